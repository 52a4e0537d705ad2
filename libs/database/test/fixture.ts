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

export interface Fixture {
  database: Database;
  adminUrl: string;
  ownerUrl: string;
  runtimeUrl: string;
  narrowUrl: string;
  /** Runs a statement in this database as the server's administrator, to whom no policy applies. */
  admin<Row extends pg.QueryResultRow>(sql: string, parameters?: unknown[]): Promise<Row[]>;
  /** What the catalogue of this database has against its isolation. */
  problems(globals: readonly GlobalTable[]): Promise<string[]>;
  /** Another database object, whose runtime role connects to this port. */
  through(port: number, applicationName?: string): Database;
  drop(): Promise<void>;
}

/** Creates a separate database with the tables of the given migrations. */
export async function startFixture(
  options: {
    migrations?: MigrationClass[];
    poolSize?: number;
    connectTimeoutMs?: number;
    entities?: (new () => object)[];
  } = {},
): Promise<Fixture> {
  const serverUrl = process.env.TEST_DATABASE_URL;
  if (!serverUrl) throw new Error('TEST_DATABASE_URL is not set: run with node scripts/with-test-servers.mjs');
  const name = `libtest_${randomBytes(6).toString('hex')}`;
  const urls = await provisionDatabase({
    adminUrl: serverUrl,
    definition: roles,
    database: name,
    passwords: { owner: 'owner', runtime: 'runtime', narrow: 'narrow' },
  });
  await runMigrations({ ownerUrl: urls.ownerUrl, migrations: options.migrations ?? [CreateTables1700000000000] });
  const adminUrl = new URL(serverUrl);
  adminUrl.pathname = `/${name}`;
  const admin = new pg.Pool({ connectionString: adminUrl.toString(), max: 2 });
  admin.on('error', () => undefined);
  const database = new Database(
    {
      url: urls.runtimeUrl,
      narrowUrl: urls.narrowUrl,
      applicationName: name,
      poolSize: options.poolSize,
      connectTimeoutMs: options.connectTimeoutMs,
    },
    options.entities,
  );
  const asAdmin: Fixture['admin'] = async (sql, parameters) => (await admin.query(sql, parameters)).rows;
  return {
    database,
    adminUrl: adminUrl.toString(),
    ...urls,
    admin: asAdmin,
    problems: (globals) => catalogueProblems({ query: asAdmin as Queryable['query'] }, globals),
    through(port, applicationName = name) {
      const url = new URL(urls.runtimeUrl);
      url.port = String(port);
      return new Database({ ...database.config, url: url.toString(), applicationName });
    },
    async drop() {
      await database.close();
      await admin.end();
      const server = new pg.Client({ connectionString: serverUrl });
      await server.connect();
      await server.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await server.end();
    },
  };
}

/** A gate at which work waits until the test opens it. */
export function gate(): { open(): void; passed: Promise<void> } {
  let open!: () => void;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, passed };
}

/**
 * A proxy to the server that keeps from it what a client sends from the moment that `from` is in it, and then calls `then`,
 * which may end the session before the server has read any of that.
 */
export async function startKeepingProxy(
  target: URL,
  from: string,
  then: () => void,
): Promise<{ port: number; stop(): void }> {
  const server = net.createServer((client) => {
    const upstream = net.connect(Number(target.port), target.hostname);
    let keeps = false;
    client.on('data', (chunk) => {
      if (keeps) return;
      keeps = chunk.includes(from);
      if (keeps) then();
      else upstream.write(chunk);
    });
    upstream.on('data', (chunk) => client.write(chunk));
    upstream.on('close', () => client.end());
    for (const socket of [client, upstream]) socket.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return { port: (server.address() as net.AddressInfo).port, stop: () => server.close() };
}

/**
 * A proxy to the server that holds back answers from the moment a client sends `from` until it has sent `until`: a client
 * that waits for an answer in between waits forever. `sent` has what arrived from clients, as it arrived.
 */
export async function startHoldingProxy(
  target: URL,
  from: string,
  until: string,
): Promise<{ port: number; held: () => number; sent: () => readonly string[]; stop(): void }> {
  let held = 0;
  const sent: string[] = [];
  const server = net.createServer((client) => {
    const upstream = net.connect(Number(target.port), target.hostname);
    let holding = false;
    client.on('data', (chunk) => {
      sent.push(chunk.toString('latin1'));
      if (chunk.includes(from)) {
        holding = true;
        held += 1;
        upstream.pause();
      }
      if (holding && chunk.includes(until)) {
        holding = false;
        upstream.resume();
      }
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => client.write(chunk));
    for (const socket of [client, upstream]) {
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        client.destroy();
        upstream.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as net.AddressInfo).port,
    held: () => held,
    sent: () => sent,
    stop: () => server.close(),
  };
}
