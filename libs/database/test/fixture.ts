import { randomBytes } from 'node:crypto';
import net from 'node:net';
import type { GlobalTable, ServiceDatabase } from '@crm/contracts';
import pg from 'pg';
import type { QueryRunner } from 'typeorm';
import {
  catalogueProblems,
  createInboxTable,
  createOutboxTable,
  createTenantTable,
  Database,
  type MigrationClass,
  provisionDatabase,
  type Queryable,
  runMigrations,
  ServiceMigration,
} from '../src/index.js';

export const roles: ServiceDatabase = {
  database: 'libtest',
  ownerRole: 'libtest_owner',
  runtimeRole: 'libtest_runtime',
  narrowRole: 'libtest_narrow',
  distributed: process.env.CITUS_URL !== undefined,
};

export class CreateTables1700000000000 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await createTenantTable(runner, roles, {
      name: 'note',
      columns: 'id uuid NOT NULL, text text NOT NULL, rank integer NOT NULL DEFAULT 0',
      unique: [['text']],
      indexes: ['rank', { columns: 'rank', where: 'rank > 0', tenantFirst: false }],
    });
    await createOutboxTable(runner, roles);
    await createInboxTable(runner, roles);
  }
}

interface FixtureOptions {
  migrations?: MigrationClass[];
  poolSize?: number;
  connectTimeoutMs?: number;
  entities?: (new () => object)[];
}

/** Creates a separate database with the tables of the given migrations. */
export async function startFixture({
  migrations = [CreateTables1700000000000],
  entities,
  ...pool
}: FixtureOptions = {}) {
  const serverUrl = process.env.CITUS_URL ?? process.env.TEST_DATABASE_URL;
  if (!serverUrl) throw new Error('TEST_DATABASE_URL is not set: run with node scripts/with-test-servers.mjs');
  const name = `libtest_${randomBytes(6).toString('hex')}`;
  const passwords = { owner: 'owner', runtime: 'runtime', narrow: 'narrow' };
  const urls = await provisionDatabase({ adminUrl: serverUrl, definition: roles, database: name, passwords });
  const adminUrl = new URL(serverUrl);
  adminUrl.pathname = `/${name}`;
  const admin = new pg.Pool({ connectionString: adminUrl.toString(), max: 2 });
  admin.on('error', () => undefined);
  if (roles.distributed) await admin.query(`ALTER DATABASE ${name} SET citus.shard_count = 4`);
  await runMigrations({ ownerUrl: urls.ownerUrl, migrations });
  const config = { url: urls.runtimeUrl, narrowUrl: urls.narrowUrl, applicationName: name, ...pool };
  const database = new Database(config, entities);
  return {
    database,
    ...urls,
    adminUrl: adminUrl.toString(),
    /** Runs a statement in this database as the server's administrator, to whom no policy applies. */
    async admin<Row extends pg.QueryResultRow>(sql: string, parameters?: unknown[]): Promise<Row[]> {
      return (await admin.query<Row>(sql, parameters)).rows;
    },
    /** What the catalogue of this database has against its isolation. @param change is undone */
    async problems(globals: readonly GlobalTable[], change = 'SELECT 1'): Promise<string[]> {
      const client = await admin.connect();
      try {
        await client.query('BEGIN');
        await client.query(change);
        const query = async (sql: string, parameters?: unknown[]) => (await client.query(sql, parameters)).rows;
        return await catalogueProblems({ query: query as Queryable['query'] }, globals);
      } finally {
        await client.query('ROLLBACK');
        client.release();
      }
    },
    /** Another database object, whose runtime role connects to this port. */
    through(port: number, applicationName = name): Database {
      const url = new URL(urls.runtimeUrl);
      url.port = String(port);
      return new Database({ ...database.config, url: url.toString(), applicationName });
    },
    async drop() {
      const ports = 'SELECT nodeport::text AS port FROM pg_dist_node ORDER BY groupid DESC';
      const { rows: nodes } = roles.distributed ? await admin.query(ports) : { rows: [{}] };
      await database.close();
      await admin.end();
      for (const node of nodes) {
        const server = new pg.Client({ connectionString: Object.assign(new URL(serverUrl), node).toString() });
        await server.connect();
        await dropDatabase(server, name);
        await server.end();
      }
    },
  };
}

/** Anyone who is in it has five seconds to leave, which a busy machine of two cores may not have for all of a cluster's connections. */
async function dropDatabase(server: pg.Client, name: string, tries = 6): Promise<void> {
  await server.query(`DROP DATABASE ${name} WITH (FORCE)`).catch((error: pg.DatabaseError) => {
    if (error.code !== '55006' || tries === 1) throw error;
    return dropDatabase(server, name, tries - 1);
  });
}

export type Fixture = Awaited<ReturnType<typeof startFixture>>;

/** A gate at which work waits until the test opens it. */
export function gate(): { open(): void; passed: Promise<void> } {
  let open!: () => void;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, passed };
}

/** @param onClient says what becomes of what a client sends */
async function startProxy(
  target: URL,
  onClient: (upstream: net.Socket) => (chunk: Buffer) => void,
): Promise<{ port: number; stop(): void }> {
  const server = net.createServer((client) => {
    const upstream = net.connect(Number(target.port), target.hostname);
    client.on('data', onClient(upstream));
    upstream.on('data', (chunk) => client.write(chunk));
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.end());
    for (const socket of [client, upstream]) socket.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return { port: (server.address() as net.AddressInfo).port, stop: () => server.close() };
}

/**
 * A proxy to the server that keeps from it what a client sends from the moment that `from` is in it, and then calls `then`,
 * which may end the session before the server has read any of that.
 */
export function startKeepingProxy(target: URL, from: string, then: () => void) {
  return startProxy(target, (upstream) => {
    let keeps = false;
    return (chunk) => {
      if (keeps) return;
      keeps = chunk.includes(from);
      if (keeps) then();
      else upstream.write(chunk);
    };
  });
}

/** A proxy to the server. `sent` has what arrived from clients, as it arrived. */
export async function startRecordingProxy(target: URL) {
  const sent: string[] = [];
  const proxy = await startProxy(target, (upstream) => (chunk) => {
    sent.push(chunk.toString('latin1'));
    upstream.write(chunk);
  });
  return { ...proxy, sent: sent as readonly string[] };
}
