import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { DATABASES, type ServiceDatabase, type StatefulService } from '@crm/contracts';
import {
  createGlobalTable,
  createInboxTable,
  createOutboxTable,
  createTenantTable,
  type DatabaseConfig,
  type MigrationClass,
  type ProvisionedDatabase,
  provisionDatabase,
  runMigrations,
} from '@crm/database';
import pg from 'pg';
import { testServers } from './config.js';
import { waitUntil } from './wait-until.js';

export interface TestDatabase {
  config: DatabaseConfig;
  ownerUrl: string;
  /** Connection URL of the server's administrator in this database, whom no policy binds. */
  adminUrl: string;
  drop(): Promise<void>;
}

const PASSWORDS = { owner: 'owner', runtime: 'runtime', narrow: 'narrow' };
const TEMPLATE_LOCK = 47_152_014;
/** SQLSTATE object_in_use: a connection is still open. */
const OBJECT_IN_USE = '55006';
const TEST_POOL_SIZE = 5;

/** A fresh database with the service's tables, copied from a template that is migrated once for all tests. */
export async function testDatabase(
  service: StatefulService,
  migrations: readonly MigrationClass[],
): Promise<TestDatabase> {
  const definition: ServiceDatabase = DATABASES[service];
  const database = `test_${definition.database}_${randomBytes(6).toString('hex')}`;
  const clusterUrl = definition.distributed ? testServers.clusterUrl() : undefined;
  const adminUrl = clusterUrl ?? testServers.databaseUrl();
  const urls = clusterUrl
    ? await migrateOnCluster(clusterUrl, definition, database, migrations)
    : await copy(adminUrl, definition, database, await ensureTemplate(adminUrl, definition, migrations));
  return {
    config: {
      url: urls.runtimeUrl,
      narrowUrl: urls.narrowUrl,
      poolSize: TEST_POOL_SIZE,
      applicationName: database,
    },
    ownerUrl: urls.ownerUrl,
    adminUrl: withDatabase(adminUrl, database),
    drop: () =>
      asAdmin(adminUrl, (admin) =>
        clusterUrl ? dropOnNodes(admin, clusterUrl, database) : dropDatabase(admin, database),
      ),
  };
}

/** No database of a cluster can be copied. With fewer shards than the 32 of a cluster, whose tables take eight times as long to make. */
async function migrateOnCluster(
  adminUrl: string,
  definition: ServiceDatabase,
  database: string,
  migrations: readonly MigrationClass[],
): Promise<ProvisionedDatabase> {
  const urls = await provisionDatabase({ adminUrl, definition, database, passwords: PASSWORDS });
  await asAdmin(
    adminUrl,
    async (admin) => void (await admin.query(`ALTER DATABASE ${database} SET citus.shard_count = 4`)),
  );
  await runMigrations({ ownerUrl: urls.ownerUrl, migrations });
  return urls;
}

/** By force: the nodes keep connections to each other. */
async function dropOnNodes(admin: pg.Client, adminUrl: string, database: string): Promise<void> {
  const { rows } = await admin.query<{ host: string; port: number }>(
    'SELECT nodename AS host, nodeport AS port FROM pg_dist_node ORDER BY groupid DESC',
  );
  for (const { host, port } of rows) {
    const url = Object.assign(new URL(adminUrl), { hostname: host, port: String(port) });
    await asAdmin(url.toString(), async (node) => {
      await node.query('SET citus.enable_create_database_propagation = off');
      // What a killed connection had prepared is settled by the cluster within seconds.
      const held = 'SELECT FROM pg_prepared_xacts WHERE database = $1';
      const isFree = async () => (await node.query(held, [database])).rowCount === 0;
      await waitUntil(isFree, { describe: `${database} has no prepared transactions`, timeoutMs: 20_000 });
      await node.query(`DROP DATABASE ${database} WITH (FORCE)`);
    });
  }
}

/** Waits for closing connections, as the server does for 5 s: ended by force, their clients would report errors. */
async function dropDatabase(admin: pg.Client, database: string): Promise<void> {
  try {
    await admin.query(`DROP DATABASE ${database}`);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code !== OBJECT_IN_USE) throw error;
    await admin.query(`DROP DATABASE ${database} WITH (FORCE)`);
  }
}

/** @returns name of a database in which the migrations have run; made by the first of the test workers that asks */
async function ensureTemplate(
  adminUrl: string,
  definition: ServiceDatabase,
  migrations: readonly MigrationClass[],
): Promise<string> {
  const name = `template_${definition.database}_${fingerprint(migrations)}`;
  await asAdmin(adminUrl, async (admin) => {
    // Goes with the session.
    await admin.query('SELECT pg_advisory_lock($1, hashtext($2))', [TEMPLATE_LOCK, name]);
    const { rowCount } = await admin.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (rowCount) return;
    // Renamed when it is complete, so that half a template is never copied.
    const unfinished = `${name}_new`;
    await admin.query(`DROP DATABASE IF EXISTS ${unfinished} WITH (FORCE)`);
    const urls = await provisionDatabase({ adminUrl, definition, database: unfinished, passwords: PASSWORDS });
    await runMigrations({ ownerUrl: urls.ownerUrl, migrations });
    await whenFree(() => admin.query(`ALTER DATABASE ${unfinished} RENAME TO ${name}`));
  });
  return name;
}

const copy = (
  adminUrl: string,
  definition: ServiceDatabase,
  database: string,
  template: string,
): Promise<ProvisionedDatabase> =>
  whenFree(() => provisionDatabase({ adminUrl, definition, database, template, passwords: PASSWORDS }));

/** The text of the migrations and of what makes their tables. */
function fingerprint(migrations: readonly MigrationClass[]): string {
  const sources = [createTenantTable, createGlobalTable, createOutboxTable, createInboxTable, ...migrations];
  const hash = createHash('sha256');
  for (const source of sources) hash.update(source.toString());
  return hash.digest('hex').slice(0, 12);
}

async function whenFree<T>(work: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + 10_000;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if ((error as { code?: string }).code !== OBJECT_IN_USE || Date.now() > deadline) throw error;
      await delay(50);
    }
  }
}

async function asAdmin(url: string, work: (admin: pg.Client) => Promise<void>): Promise<void> {
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  try {
    await work(admin);
  } finally {
    await admin.end();
  }
}

function withDatabase(url: string, database: string): string {
  const result = new URL(url);
  result.pathname = `/${database}`;
  return result.toString();
}
