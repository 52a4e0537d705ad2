// Directus with a collection that tenants share: the item permissions of the tenant's role compare a column with the role
// of the caller.
import path from 'node:path';
import { accepts } from '../../scripts/platform/readiness.mjs';
import { lastLines, run } from '../../scripts/processes/run.mjs';
import { freePorts } from '../../scripts/servers/free-port.mjs';
import { requestText } from '../load.mjs';
import { PASSWORD } from '../processes.mjs';
import { COLUMNS, createDatabase, HIDDEN, inDatabase, newPeerRecord } from './data.mjs';
import { VERSIONS } from './installation.mjs';
import { setupClient } from './setup-client.mjs';

const COLLECTION = 'site_visit';
const ADMIN_TOKEN = 'bench-admin-token';
const TENANT_TOKEN = 'bench-tenant-token';
const POOL = 10;

const NAME = `Directus ${VERSIONS.directus}`;
/** @type {import('./subjects.mjs').PeerKind} */
export const DIRECTUS = {
  package: 'directus',
  settings: `${NAME}: one process, NODE_ENV=production, LOG_STYLE=raw, LOG_LEVEL=info (a line a request, into a file), pool of ${POOL}, rate limiter, pressure limiter, telemetry and cache of answers off, cache of schema and permissions on (default), activity and revisions kept (default); the static token of a user whose role may read and create the items of its tenant and not read one field; index on (tenant, code, id)`,
  start,
};

/** @type {Readonly<Record<string, string>>} types of Directus */
const TYPES = {
  text: 'string',
  number: 'float',
  date: 'date',
  checkbox: 'boolean',
  picklist: 'string',
  email: 'string',
};

/**
 * @param {import('./subjects.mjs').Place} place
 * @returns {Promise<import('./subjects.mjs').Peer>}
 */
async function start({ folder, processes, database, adminUrl, records }) {
  const [port] = /** @type {[number]} */ (await freePorts(1));
  const databaseUrl = await createDatabase(adminUrl, 'directus');
  const program = path.join(folder, 'node_modules', 'directus', 'cli.js');
  const environment = environmentOf(processes.folder, databaseUrl, port);
  const bootstrap = await run(process.execPath, [program, 'bootstrap'], { env: { ...process.env, ...environment } });
  if (bootstrap.code !== 0) {
    throw new Error(`Directus could not be prepared:\n${lastLines(bootstrap.stdout + bootstrap.stderr, 20)}`);
  }
  const server = await processes.start('directus', program, environment, () => accepts(port), ['start']);
  const role = await prepare(`http://127.0.0.1:${port}`);
  const { ids, foreignId } = await fill(databaseUrl, records, role);
  const headers = `authorization: Bearer ${TENANT_TOKEN}\r\n`;
  const items = `/items/${COLLECTION}`;
  return {
    subject: { name: NAME, port, processes: [server, database] },
    ids,
    foreignId,
    token: TENANT_TOKEN,
    read: (id) => requestText('GET', `${items}/${id}`, headers),
    list: (code) => requestText('GET', `${items}?filter%5Bcode%5D%5B_eq%5D=${code}&sort=-id&limit=25`, headers),
    create: (turn) => requestText('POST', items, headers, newPeerRecord(turn)),
    recordOf: (answer) => answer.data,
    recordsOf: (answer) => answer.data,
  };
}

/**
 * @param {string} folder for what it writes
 * @param {URL} databaseUrl
 * @param {number} port
 * @returns {NodeJS.ProcessEnv}
 */
const environmentOf = (folder, databaseUrl, port) => ({
  NODE_ENV: 'production',
  HOST: '127.0.0.1',
  PORT: String(port),
  PUBLIC_URL: `http://127.0.0.1:${port}`,
  SECRET: 'bench-secret-of-at-least-32-characters',
  ADMIN_EMAIL: 'admin@example.com',
  ADMIN_PASSWORD: PASSWORD,
  ADMIN_TOKEN,
  DB_CLIENT: 'pg',
  DB_HOST: databaseUrl.hostname,
  DB_PORT: databaseUrl.port,
  DB_DATABASE: databaseUrl.pathname.slice(1),
  DB_USER: databaseUrl.username,
  DB_PASSWORD: databaseUrl.password,
  DB_POOL__MIN: '0',
  DB_POOL__MAX: String(POOL),
  LOG_LEVEL: 'info',
  LOG_STYLE: 'raw',
  RATE_LIMITER_ENABLED: 'false',
  PRESSURE_LIMITER_ENABLED: 'false',
  CACHE_ENABLED: 'false',
  TELEMETRY: 'false',
  EXTENSIONS_PATH: path.join(folder, 'directus-extensions'),
  STORAGE_LOCAL_ROOT: path.join(folder, 'directus-uploads'),
  // There is none, so that no file of the current folder is read.
  CONFIG_PATH: path.join(folder, 'directus.env'),
});

/**
 * Makes the collection and a user with the role of the tenant.
 * @param {string} base
 * @returns {Promise<string>} id of the role
 */
async function prepare(base) {
  const call = setupClient(base, { authorization: `Bearer ${ADMIN_TOKEN}` });
  await call('POST', '/collections', {
    collection: COLLECTION,
    schema: {},
    meta: {},
    fields: [
      { field: 'id', type: 'uuid', schema: { is_primary_key: true }, meta: { special: ['uuid'] } },
      { field: 'tenant', type: 'uuid', schema: {}, meta: {} },
      { field: 'created_at', type: 'timestamp', schema: {}, meta: { special: ['date-created'] } },
      { field: 'updated_at', type: 'timestamp', schema: {}, meta: { special: ['date-updated'] } },
      ...COLUMNS.map(({ name, type }) => ({ field: name, type: TYPES[type], schema: {}, meta: {} })),
    ],
  });
  const { data: role } = await call('POST', '/roles', { name: 'Tenant' });
  const { data: policy } = await call('POST', '/policies', { name: 'Tenant', app_access: false, admin_access: false });
  await call('POST', '/access', { role: role.id, policy: policy.id });
  const ofTenant = { tenant: { _eq: '$CURRENT_ROLE' } };
  const fields = COLUMNS.map(({ name }) => name).filter((name) => name !== HIDDEN);
  await call('POST', '/permissions', {
    policy: policy.id,
    collection: COLLECTION,
    action: 'read',
    permissions: ofTenant,
    fields: ['id', 'created_at', 'updated_at', ...fields],
  });
  await call('POST', '/permissions', {
    policy: policy.id,
    collection: COLLECTION,
    action: 'create',
    permissions: {},
    presets: { tenant: '$CURRENT_ROLE' },
    fields,
  });
  await call('POST', '/users', {
    email: 'tenant@example.com',
    role: role.id,
    status: 'active',
    token: TENANT_TOKEN,
  });
  return role.id;
}

/**
 * @param {URL} databaseUrl
 * @param {number} records
 * @param {string} role
 * @returns {Promise<{ ids: string[], foreignId: string }>} some of their ids, and that of an item of another tenant
 */
function fill(databaseUrl, records, role) {
  return inDatabase(databaseUrl.href, async (client) => {
    const casts = /** @type {Readonly<Record<string, string>>} */ ({ date: '::date' });
    await client.query(
      `INSERT INTO ${COLLECTION} (id, tenant, created_at, updated_at, ${COLUMNS.map(({ name }) => name).join(', ')})
       SELECT gen_random_uuid(), $1, now(), now(), ${COLUMNS.map(({ sql, type }) => `(${sql})${casts[type] ?? ''}`).join(', ')}
         FROM generate_series(1, ${records}) i`,
      [role],
    );
    await client.query(`CREATE INDEX ON ${COLLECTION} (tenant, code, id)`);
    await client.query(`VACUUM ANALYZE ${COLLECTION}`);
    const { rows } = await client.query(`SELECT id FROM ${COLLECTION} ORDER BY random() LIMIT 5000`);
    const foreign = await client.query(
      `INSERT INTO ${COLLECTION} (id, tenant) VALUES (gen_random_uuid(), gen_random_uuid()) RETURNING id`,
    );
    return { ids: rows.map(({ id }) => id), foreignId: foreign.rows[0].id };
  });
}
