import type { ServiceDatabase } from '@crm/contracts';
import pg from 'pg';
import { identifier } from './partition-functions.js';

/** Lock on the administrator's database while roles and databases are created; CREATE ROLE has no IF NOT EXISTS. */
const PROVISION_LOCK = 47_152_012;

/** Contrib extensions of every database; trusted ones, which need no superuser. */
const EXTENSIONS = ['pg_trgm', 'btree_gin'];

export interface Provisioning {
  /** A role that may create roles and databases, connected to a maintenance database. */
  adminUrl: string;
  definition: ServiceDatabase;
  database?: string;
  passwords: { owner: string; runtime: string; narrow: string };
  /** Copies this database instead of creating an empty one. It must have no connections. */
  template?: string;
}

export interface ProvisionedDatabase {
  ownerUrl: string;
  runtimeUrl: string;
  narrowUrl: string;
}

/** Creates the roles and the database of a service, or updates them; can be repeated and run in several processes at once. */
export async function provisionDatabase(options: Provisioning): Promise<ProvisionedDatabase & { created: boolean }> {
  const { adminUrl, definition, passwords } = options;
  const database = identifier(options.database ?? definition.database);
  let created = false;
  await withClient(adminUrl, async (admin) => {
    await admin.query('SELECT pg_advisory_lock($1)', [PROVISION_LOCK]);
    await ensureRole(admin, definition.ownerRole, passwords.owner);
    await ensureRole(admin, definition.runtimeRole, passwords.runtime);
    await ensureRole(admin, definition.narrowRole, passwords.narrow);
    created = await ensureDatabase(admin, database, definition, options.template);
    await withClient(withDatabase(adminUrl, database), (inDatabase) => prepareSchema(inDatabase, definition));
    // The end of the session releases the lock.
  });
  return { ...databaseUrls(options), created };
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

async function ensureRole(admin: pg.Client, name: string, password: string): Promise<void> {
  const role = identifier(name);
  const { rowCount } = await admin.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [role]);
  const attributes = 'LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION NOINHERIT';
  const verb = rowCount === 0 ? 'CREATE' : 'ALTER';
  await admin.query(`${verb} ROLE ${role} ${attributes} PASSWORD ${pg.escapeLiteral(password)}`);
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
    const source = template ? ` TEMPLATE ${identifier(template)}` : '';
    await admin.query(`CREATE DATABASE ${database} OWNER ${definition.ownerRole}${source}`);
  }
  await admin.query(`REVOKE ALL ON DATABASE ${database} FROM PUBLIC`);
  await admin.query(
    `GRANT CONNECT ON DATABASE ${database} TO ${definition.ownerRole}, ${definition.runtimeRole}, ${definition.narrowRole}`,
  );
  return rowCount === 0;
}

async function withClient(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: 'provisioning' });
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
