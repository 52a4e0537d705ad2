import { createHash, randomBytes } from 'node:crypto';
import { DATABASES, type ServiceDatabase, type StatefulService } from '@crm/contracts';
import { type DatabaseConfig, type MigrationClass, provisionDatabase, runMigrations } from '@crm/database';
import pg from 'pg';
import { testServers } from './config.js';
import { statementsOf } from './steps.js';
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
/** A busy machine is no database that is away. */
const PATIENT_MS = 20_000;

/** The migration makes so many (LAST_DAY in partition-functions.ts), so that services of tests make none: it takes longer than most tests. */
const MIGRATED_DAYS_AHEAD = 2;

/** A fresh database with the service's tables, copied from a template that is migrated once for all tests. */
export async function testDatabase(
  service: StatefulService,
  migrations: readonly MigrationClass[],
): Promise<TestDatabase> {
  const definition: ServiceDatabase = DATABASES[service];
  const database = `test_${definition.database}_${randomBytes(6).toString('hex')}`;
  const clusterUrl = definition.distributed ? testServers.clusterUrl() : undefined;
  const adminUrl = clusterUrl ?? testServers.databaseUrl();
  const template = await ensureTemplate(adminUrl, definition, migrations);
  const urls = await provisionDatabase({ adminUrl, definition, database, template, passwords: PASSWORDS });
  return {
    config: {
      url: urls.runtimeUrl,
      narrowUrl: urls.narrowUrl,
      poolSize: TEST_POOL_SIZE,
      connectTimeoutMs: PATIENT_MS,
      partitionDaysAhead: MIGRATED_DAYS_AHEAD,
      applicationName: database,
    },
    ownerUrl: urls.ownerUrl,
    adminUrl: withDatabase(adminUrl, database),
    drop: async () => dropDatabase(clusterUrl ? await serversOf(clusterUrl) : [adminUrl], database),
  };
}

/** @returns the servers that have a service's database: the nodes of a cluster, the coordinator last */
async function serversOf(adminUrl: string): Promise<string[]> {
  const servers = [adminUrl];
  await asAdmin(adminUrl, async (admin) => {
    const { rowCount } = await admin.query("SELECT FROM pg_extension WHERE extname = 'citus'");
    if (rowCount === 0) return;
    const { rows } = await admin.query<{ host: string; port: number }>(
      'SELECT nodename AS host, nodeport AS port FROM pg_dist_node WHERE groupid > 0',
    );
    const workers = rows.map(({ host, port }) =>
      Object.assign(new URL(adminUrl), { hostname: host, port: String(port) }),
    );
    servers.unshift(...workers.map(({ href }) => href));
  });
  return servers;
}

async function dropDatabase(servers: readonly string[], database: string): Promise<void> {
  for (const url of servers) await asAdmin(url, (server) => (servers.length > 1 ? dropOnNode : drop)(server, database));
}

/** By force: the nodes keep connections to each other. */
async function dropOnNode(node: pg.Client, database: string): Promise<void> {
  await node.query('SET citus.enable_create_database_propagation = off');
  // What a killed connection had prepared is settled by the cluster within seconds.
  const held = 'SELECT FROM pg_prepared_xacts WHERE database = $1';
  const isFree = async () => (await node.query(held, [database])).rowCount === 0;
  await waitUntil(isFree, { describe: `${database} has no prepared transactions`, timeoutMs: 20_000 });
  await node.query(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
}

/** Waits for closing connections, as the server does for 5 s: ended by force, their clients would report errors. */
async function drop(server: pg.Client, database: string): Promise<void> {
  try {
    await server.query(`DROP DATABASE IF EXISTS ${database}`);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code !== OBJECT_IN_USE) throw error;
    await server.query(`DROP DATABASE ${database} WITH (FORCE)`);
  }
}

/** @returns name of a database in which the migrations have run, on each node of a cluster; made by the first of the test workers that asks */
async function ensureTemplate(
  adminUrl: string,
  definition: ServiceDatabase,
  migrations: readonly MigrationClass[],
): Promise<string> {
  const name = `template_${definition.database}_${await fingerprint(migrations)}`;
  await asAdmin(adminUrl, async (admin) => {
    // Goes with the session.
    await admin.query('SELECT pg_advisory_lock($1, hashtext($2))', [TEMPLATE_LOCK, name]);
    // One that is complete takes no connections, so that it can be copied at any time.
    const complete = 'SELECT FROM pg_database WHERE datname = $1 AND NOT datallowconn';
    if ((await admin.query(complete, [name])).rowCount) return;
    const servers = await serversOf(adminUrl);
    await dropDatabase(servers, name);
    const urls = await provisionDatabase({ adminUrl, definition, database: name, passwords: PASSWORDS });
    // A table with the 32 shards of a cluster takes eight times as long to make.
    if (servers.length > 1) await admin.query(`ALTER DATABASE ${name} SET citus.shard_count = 4`);
    await runMigrations({ ownerUrl: urls.ownerUrl, migrations });
    for (const url of servers) await asAdmin(url, (server) => closeDatabase(server, name));
  });
  return name;
}

/** Ends its connections, among them those of a cluster's nodes to each other, and lets nobody connect. */
async function closeDatabase(server: pg.Client, database: string): Promise<void> {
  await server.query(`ALTER DATABASE ${database} ALLOW_CONNECTIONS false`);
  await server.query('SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = $1', [database]);
}

/** Of all that the migrations run. */
async function fingerprint(migrations: readonly MigrationClass[]): Promise<string> {
  const statements = await Promise.all(migrations.map(statementsOf));
  return createHash('sha256').update(JSON.stringify(statements)).digest('hex').slice(0, 12);
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
