import type { ServiceDatabase } from '@crm/contracts';
import pg from 'pg';
import { identifier } from './partition-functions.js';

/** Lock on the administrator's database while roles and databases are created; CREATE ROLE has no IF NOT EXISTS. */
const PROVISION_LOCK = 47_152_012;

/** Contrib extensions of every database; trusted ones, which need no superuser. */
const EXTENSIONS = ['pg_trgm', 'btree_gin'];

/** Every node of a Citus cluster is told what it needs by itself; elsewhere these settings have no meaning. */
const EACH_NODE_BY_ITSELF = ['ddl', 'create_database', 'create_role', 'alter_role']
  .map((kind) => `-c citus.enable_${kind}_propagation=off`)
  .join(' ');

export interface Provisioning {
  /** A role that may create roles and databases, connected to a maintenance database. */
  adminUrl: string;
  definition: ServiceDatabase;
  database?: string;
  passwords: { owner: string; runtime: string; narrow: string };
  /** Copies this database instead of creating an empty one. It must have no connections. */
  template?: string;
}

const MOST_TRIES = 10;

export interface ProvisionedDatabase {
  ownerUrl: string;
  runtimeUrl: string;
  narrowUrl: string;
}

/** Creates the roles and the database of a service, or updates them; can be repeated and run in several processes at once. */
export async function provisionDatabase(options: Provisioning): Promise<ProvisionedDatabase & { created: boolean }> {
  const { adminUrl, definition } = options;
  const database = identifier(options.database ?? definition.database);
  let created = false;
  await withClient(adminUrl, async (admin) => {
    await admin.query('SELECT pg_advisory_lock($1)', [PROVISION_LOCK]);
    const nodes = definition.distributed ? await listNodes(admin) : [];
    created = await provisionNode(adminUrl, options, database);
    if (nodes.length > 0) await provisionCluster(options, database, nodes);
    // The end of the session releases the lock.
  });
  return { ...databaseUrls(options), created };
}

/** @returns whether the database was created now */
async function provisionNode(url: string, { definition, passwords, template }: Provisioning, database: string) {
  let created = false;
  await withClient(url, async (admin) => {
    // Roles belong to the server and the schema to the copy: a template has brought both.
    if (!template) {
      await ensureRole(admin, definition.ownerRole, passwords.owner);
      await ensureRole(admin, definition.runtimeRole, passwords.runtime);
      await ensureRole(admin, definition.narrowRole, passwords.narrow);
    }
    created = await ensureDatabase(admin, database, definition, template);
  });
  if (template) return created;
  await withClient(withDatabase(url, database), (inDatabase) => prepareSchema(inDatabase, definition));
  return created;
}

export function databaseUrls({ adminUrl, definition, passwords, ...options }: Provisioning): ProvisionedDatabase {
  const database = identifier(options.database ?? definition.database);
  return {
    ownerUrl: roleUrl(adminUrl, database, definition.ownerRole, passwords.owner),
    runtimeUrl: roleUrl(adminUrl, database, definition.runtimeRole, passwords.runtime),
    narrowUrl: roleUrl(adminUrl, database, definition.narrowRole, passwords.narrow),
  };
}

async function prepareSchema(admin: pg.Client, definition: ServiceDatabase): Promise<void> {
  await admin.query('REVOKE ALL ON SCHEMA public FROM PUBLIC');
  await admin.query(`GRANT USAGE, CREATE ON SCHEMA public TO ${definition.ownerRole}`);
  await admin.query(`GRANT USAGE ON SCHEMA public TO ${definition.runtimeRole}, ${definition.narrowRole}`);
  for (const extension of EXTENSIONS) await admin.query(`CREATE EXTENSION IF NOT EXISTS ${identifier(extension)}`);
}

interface ClusterNode {
  readonly group: number;
  readonly host: string;
  readonly port: number;
}

/** The nodes of the Citus cluster whose coordinator this is, as they are registered in the maintenance database; otherwise none. */
async function listNodes(admin: pg.Client): Promise<ClusterNode[]> {
  const { rowCount } = await admin.query("SELECT FROM pg_extension WHERE extname = 'citus'");
  if (rowCount === 0) return [];
  const { rows } = await admin.query<ClusterNode>(
    `SELECT groupid AS group, nodename AS host, nodeport AS port FROM pg_dist_node WHERE noderole = 'primary' ORDER BY groupid`,
  );
  return rows;
}

/** Gives each worker the same roles and the same database, and makes the coordinator's know those of the workers. */
async function provisionCluster(options: Provisioning, database: string, nodes: readonly ClusterNode[]): Promise<void> {
  const { adminUrl, definition, passwords } = options;
  const roles = [
    [definition.ownerRole, passwords.owner],
    [definition.runtimeRole, passwords.runtime],
    [definition.narrowRole, passwords.narrow],
  ] as const;
  for (const { group, host, port } of nodes) {
    const url = new URL(adminUrl);
    if (group > 0) {
      [url.hostname, url.port] = [host, String(port)];
      await provisionNode(url.toString(), options, database);
    }
    await withClient(withDatabase(url.toString(), database), async (admin) => {
      await admin.query('CREATE EXTENSION IF NOT EXISTS citus');
      // What set_config() sets stays on the coordinator; SET LOCAL is passed on to the workers of the transaction.
      await admin.query(`ALTER DATABASE ${database} SET citus.propagate_set_commands = 'local'`);
      const administrator = [decodeURIComponent(url.username), decodeURIComponent(url.password)] as const;
      for (const [role, password] of [...roles, administrator]) {
        // How this node logs in at the others; 0 means each of them.
        await admin.query(
          `INSERT INTO pg_dist_authinfo (nodeid, rolename, authinfo) VALUES (0, $1, 'password=''' || regexp_replace($2, '([''\\\\])', '\\\\\\1', 'g') || '''')
           ON CONFLICT (nodeid, rolename) DO UPDATE SET authinfo = excluded.authinfo`,
          [role, password],
        );
      }
    });
  }
  await withClient(withDatabase(adminUrl, database), async (coordinator) => {
    for (const { group, host, port } of nodes) {
      const register = group === 0 ? 'citus_set_coordinator_host' : 'citus_add_node';
      await coordinator.query(`SELECT ${register}($1, $2)`, [host, port]);
    }
  });
}

async function ensureRole(admin: pg.Client, name: string, password: string): Promise<void> {
  const role = identifier(name);
  const { rowCount } = await admin.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [role]);
  const attributes = 'LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION NOINHERIT';
  const verb = rowCount === 0 ? 'CREATE' : 'ALTER';
  const statement = `${verb} ROLE ${role} ${attributes} PASSWORD ${pg.escapeLiteral(password)}`;
  for (let tries = 1; ; tries += 1) {
    try {
      await admin.query(statement);
      return;
    } catch (error) {
      // Citus copies roles from node to node by itself, whenever it likes.
      if (tries === MOST_TRIES || !(error instanceof Error && error.message === 'tuple concurrently updated'))
        throw error;
    }
  }
}

/** @returns whether it was created now */
async function ensureDatabase(
  admin: pg.Client,
  database: string,
  definition: ServiceDatabase,
  template: string | undefined,
): Promise<boolean> {
  const { rowCount } = await admin.query('SELECT 1 FROM pg_database WHERE datname = $1', [database]);
  if (rowCount === 0) {
    // Through the log, which is the default, a copy costs three times as much processor time.
    const source = template ? ` TEMPLATE ${identifier(template)} STRATEGY FILE_COPY` : '';
    await admin.query(`CREATE DATABASE ${database} OWNER ${definition.ownerRole}${source}`);
  }
  await admin.query(`REVOKE ALL ON DATABASE ${database} FROM PUBLIC`);
  await admin.query(
    `GRANT CONNECT ON DATABASE ${database} TO ${definition.ownerRole}, ${definition.runtimeRole}, ${definition.narrowRole}`,
  );
  return rowCount === 0;
}

async function withClient(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'provisioning',
    options: EACH_NODE_BY_ITSELF,
  });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

function withDatabase(url: string, database: string): string {
  const copy = new URL(url);
  copy.pathname = `/${database}`;
  return copy.toString();
}

function roleUrl(adminUrl: string, database: string, role: string, password: string): string {
  const url = new URL(withDatabase(adminUrl, database));
  url.username = encodeURIComponent(role);
  url.password = encodeURIComponent(password);
  return url.toString();
}
