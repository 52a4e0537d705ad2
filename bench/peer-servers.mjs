// Parse Server and Directus, each with its own access control on, with a class or collection that tenants share and the records
// of bench/records-data.mjs. Peers have no formulas; what ours computes they store, so that all answer with the same fields.
import { access } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { PlainError } from '../scripts/plain-error.mjs';
import { accepts } from '../scripts/processes/readiness.mjs';
import { runOrFail } from '../scripts/processes/run.mjs';
import { CACHE_DIR } from '../scripts/root.mjs';
import { freePorts } from '../scripts/servers/free-port.mjs';
import { PASSWORD } from './lab.mjs';
import { requestText } from './load.mjs';
import { FIELDS, newRecord, RECORDS, sqlOf } from './records-data.mjs';

/**
 * A server with its records, and how its API is asked; ours too. ids: records that the token may read; foreignId: one that it may
 * not; list: 25 records by the filtered field, the last ids first.
 * @typedef {{ subject: import('./lab.mjs').Subject, ids: readonly string[], foreignId: string, token: string, read: (id: string) => string, list: (code: string) => string, create: (turn: number) => string, recordOf: (answer: any) => Record<string, unknown>, recordsOf: (answer: any) => Record<string, unknown>[] }} Peer
 */

/** The newest that say in `engines` that they run on the Node of this repository: Directus needs Node 22 from 11.4 on. */
const VERSIONS = { 'parse-server': '9.10.0', directus: '11.3.5' };
const POOL = 10;
/** What the tenant's user must not read. */
export const HIDDEN = 'secret';

/** The fields that a peer stores, with their values in SQL by the number `i` of the record. */
const COLUMNS = FIELDS.map(({ apiName: name, type }) => {
  const of = (/** @type {string} */ other) =>
    `(${sqlOf(FIELDS.find(({ apiName }) => apiName === other) ?? FIELDS[0] ?? { apiName: '', type: '' })})`;
  if (name === 'total') return { name, type: 'number', sql: `${of('number_1')} * ${of('number_2')}` };
  if (name === 'summary') return { name, type: 'text', sql: `${of('text_1')} || ' (' || ${of('stage')} || ')'` };
  return { name, type, sql: sqlOf({ apiName: name, type }) };
});
const NAMES = COLUMNS.map(({ name }) => name);
export const VISIBLE = NAMES.filter((name) => name !== HIDDEN);

/** The body of a request that creates a record, the values that ours computes included. @param {number} turn */
function newPeerRecord(turn) {
  const record = newRecord(turn);
  return { ...record, total: (turn % 1000) ** 2, summary: `Text number ${turn} of this record (${record.stage})` };
}

/** The folder whose node_modules holds a peer: it is measured, not depended on. @param {keyof typeof VERSIONS} name */
async function folderOf(name) {
  const version = VERSIONS[name];
  const folder = path.join(CACHE_DIR, 'peers', `${name}-${version}`);
  await access(path.join(folder, 'node_modules', name)).catch(() => {
    throw new PlainError(`Install what is compared with: npm install --prefix ${folder} ${name}@${version}`);
  });
  return folder;
}

/** A database that belongs to a role of the peer. @param {import('./lab.mjs').Lab} lab @param {string} name of both */
async function createDatabase(lab, name) {
  const { url: adminUrl, process } = await lab.postgres();
  const connect = (/** @type {string} */ url) => {
    const pool = new pg.Pool({ connectionString: url, max: 1 });
    lab.stops.push(() => pool.end());
    return pool;
  };
  const admin = connect(adminUrl);
  await admin.query(`CREATE ROLE ${name} LOGIN PASSWORD '${PASSWORD}'`);
  await admin.query(`CREATE DATABASE ${name} OWNER ${name}`);
  const url = new URL(adminUrl);
  Object.assign(url, { username: name, password: PASSWORD, pathname: name });
  return { url, connect: () => connect(url.href), process };
}

/** Calls of the API of a peer that prepare it. @param {string} base @param {Readonly<Record<string, string>>} headers */
const setupClient = (base, headers) => async (/** @type {string} */ where, /** @type {object} */ body) => {
  const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } };
  const response = await fetch(base + where, { ...init, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${where} answered ${response.status} ${text}`);
  return /** @type {any} */ (text === '' ? undefined : JSON.parse(text));
};

const CLASS = 'SiteVisit';
const ROLE = 'tenant_1';
const SIGNED_IN = { requiresAuthentication: true };
/** Types of Parse; a day alone is no Date of it. @type {Readonly<Record<string, string>>} */
const PARSE_TYPES = { number: 'Number', checkbox: 'Boolean' };

/** Class-level permissions let in who has signed in, and the ACL of an object names the role of its tenant. @param {import('./lab.mjs').Lab} lab @returns {Promise<Peer>} */
export async function startParseServer(lab) {
  const folder = await folderOf('parse-server');
  const database = await createDatabase(lab, 'parse');
  database.url.searchParams.set('poolSize', String(POOL));
  const [port = 0] = await freePorts(1);
  const program = path.join(folder, 'node_modules', 'parse-server', 'bin', 'parse-server');
  const environment = {
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    PORT: String(port),
    PARSE_SERVER_HOST: '127.0.0.1',
    PARSE_SERVER_URL: `http://127.0.0.1:${port}/parse`,
    PARSE_SERVER_MOUNT_PATH: '/parse',
    PARSE_SERVER_APPLICATION_ID: 'bench',
    PARSE_SERVER_MASTER_KEY: PASSWORD,
    PARSE_SERVER_DATABASE_URI: database.url.href,
    PARSE_SERVER_ALLOW_CLIENT_CLASS_CREATION: 'false',
    PARSE_SERVER_LOGS_FOLDER: path.join(lab.folder, 'parse-logs'),
  };
  const isReady = () => accepts(port);
  const server = await lab.startProgram('parse-server', process.execPath, [program], isReady, environment);
  const application = { 'x-parse-application-id': 'bench' };
  const call = setupClient(`http://127.0.0.1:${port}/parse`, { ...application, 'x-parse-master-key': PASSWORD });
  const actions = ['find', 'get', 'count', 'create', 'update', 'delete'];
  const permissions = Object.fromEntries(actions.map((action) => [action, SIGNED_IN]));
  await call(`/schemas/${CLASS}`, {
    className: CLASS,
    fields: Object.fromEntries(COLUMNS.map(({ name, type }) => [name, { type: PARSE_TYPES[type] ?? 'String' }])),
    classLevelPermissions: { ...permissions, addField: {}, protectedFields: { '*': [HIDDEN] } },
  });
  const credentials = { username: 'bench', password: 'bench-password' };
  const user = { __type: 'Pointer', className: '_User', objectId: (await call('/users', credentials)).objectId };
  await call('/roles', { name: ROLE, ACL: {}, users: { __op: 'AddRelation', objects: [user] } });
  const { sessionToken } = await call('/login', credentials);
  const pool = database.connect();
  // Ids are scattered, as Parse's own are: the factor is odd, so that no two are the same.
  await pool.query(
    `INSERT INTO "${CLASS}" ("objectId", "createdAt", "updatedAt", _rperm, _wperm, ${NAMES.join(', ')})
     SELECT lpad(to_hex((i::bigint * 2654435761) % 1099511627776), 10, '0'), now(), now(), $1::text[], $1::text[],
            ${COLUMNS.map(({ sql }) => sql).join(', ')} FROM generate_series(1, ${RECORDS}) i`,
    [[`role:${ROLE}`]],
  );
  await pool.query(`CREATE INDEX ON "${CLASS}" (code, "objectId")`);
  await pool.query(`VACUUM ANALYZE "${CLASS}"`);
  const { rows } = await pool.query(`SELECT "objectId" AS id FROM "${CLASS}" ORDER BY random() LIMIT 5000`);
  await pool.query(
    `INSERT INTO "${CLASS}" ("objectId", "createdAt", "updatedAt", _rperm, _wperm) VALUES ('foreign', now(), now(), $1, $1)`,
    [['role:another']],
  );
  const headers = `x-parse-application-id: bench\r\nx-parse-session-token: ${sessionToken}\r\n`;
  const objects = `/parse/classes/${CLASS}`;
  const acl = { [`role:${ROLE}`]: { read: true, write: true } };
  const where = (/** @type {string} */ code) => encodeURIComponent(JSON.stringify({ code }));
  return {
    subject: { name: `Parse Server ${VERSIONS['parse-server']}`, port, processes: [server, database.process] },
    ids: rows.map(({ id }) => id),
    foreignId: 'foreign',
    token: sessionToken,
    read: (id) => requestText('GET', `${objects}/${id}`, headers),
    list: (code) => requestText('GET', `${objects}?where=${where(code)}&order=-objectId&limit=25`, headers),
    create: (turn) => requestText('POST', objects, headers, { ...newPeerRecord(turn), ACL: acl }),
    recordOf: (answer) => answer,
    recordsOf: (answer) => answer.results,
  };
}

const COLLECTION = 'site_visit';
const TOKEN = 'bench-tenant-token';
/** @type {Readonly<Record<string, string>>} */
const DIRECTUS_TYPES = { number: 'float', date: 'date', checkbox: 'boolean' };

/** Item permissions of the tenant's role compare a column with the role of the caller. @param {import('./lab.mjs').Lab} lab @returns {Promise<Peer>} */
export async function startDirectus(lab) {
  const program = path.join(await folderOf('directus'), 'node_modules', 'directus', 'cli.js');
  const database = await createDatabase(lab, 'directus');
  const [port = 0] = await freePorts(1);
  const environment = {
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    SECRET: 'bench-secret-of-at-least-32-characters',
    ADMIN_EMAIL: 'admin@example.com',
    ADMIN_PASSWORD: PASSWORD,
    ADMIN_TOKEN: 'bench-admin-token',
    DB_CLIENT: 'pg',
    DB_HOST: database.url.hostname,
    DB_PORT: database.url.port,
    DB_DATABASE: 'directus',
    DB_USER: 'directus',
    DB_PASSWORD: PASSWORD,
    DB_POOL__MIN: '0',
    DB_POOL__MAX: String(POOL),
    LOG_LEVEL: 'info',
    LOG_STYLE: 'raw',
    RATE_LIMITER_ENABLED: 'false',
    PRESSURE_LIMITER_ENABLED: 'false',
    CACHE_ENABLED: 'false',
    TELEMETRY: 'false',
    EXTENSIONS_PATH: path.join(lab.folder, 'directus-extensions'),
    STORAGE_LOCAL_ROOT: path.join(lab.folder, 'directus-uploads'),
    // There is none, so that no file of the current folder is read.
    CONFIG_PATH: path.join(lab.folder, 'directus.env'),
  };
  await runOrFail(process.execPath, [program, 'bootstrap'], { env: { ...process.env, ...environment } });
  const isReady = () => accepts(port);
  const server = await lab.startProgram('directus', process.execPath, [program, 'start'], isReady, environment);
  const call = setupClient(`http://127.0.0.1:${port}`, { authorization: 'Bearer bench-admin-token' });
  await call('/collections', {
    collection: COLLECTION,
    schema: {},
    meta: {},
    fields: [
      { field: 'id', type: 'uuid', schema: { is_primary_key: true }, meta: { special: ['uuid'] } },
      { field: 'tenant', type: 'uuid', schema: {}, meta: {} },
      { field: 'created_at', type: 'timestamp', schema: {}, meta: { special: ['date-created'] } },
      { field: 'updated_at', type: 'timestamp', schema: {}, meta: { special: ['date-updated'] } },
      ...COLUMNS.map(({ name, type }) => ({
        field: name,
        type: DIRECTUS_TYPES[type] ?? 'string',
        schema: {},
        meta: {},
      })),
    ],
  });
  const { data: role } = await call('/roles', { name: 'Tenant' });
  const { data: policy } = await call('/policies', { name: 'Tenant', app_access: false, admin_access: false });
  await call('/access', { role: role.id, policy: policy.id });
  const permission = { policy: policy.id, collection: COLLECTION };
  const own = {
    permissions: { tenant: { _eq: '$CURRENT_ROLE' } },
    fields: ['id', 'created_at', 'updated_at', ...VISIBLE],
  };
  await call('/permissions', { ...permission, ...own, action: 'read' });
  const presets = { tenant: '$CURRENT_ROLE' };
  await call('/permissions', { ...permission, action: 'create', permissions: {}, presets, fields: VISIBLE });
  await call('/users', { email: 'tenant@example.com', role: role.id, status: 'active', token: TOKEN });
  const pool = database.connect();
  await pool.query(
    `INSERT INTO ${COLLECTION} (id, tenant, created_at, updated_at, ${NAMES.join(', ')})
     SELECT gen_random_uuid(), $1, now(), now(), ${COLUMNS.map(({ sql, type }) => `(${sql})${type === 'date' ? '::date' : ''}`).join(', ')}
       FROM generate_series(1, ${RECORDS}) i`,
    [role.id],
  );
  await pool.query(`CREATE INDEX ON ${COLLECTION} (tenant, code, id)`);
  await pool.query(`VACUUM ANALYZE ${COLLECTION}`);
  const { rows } = await pool.query(`SELECT id FROM ${COLLECTION} ORDER BY random() LIMIT 5000`);
  const foreign = await pool.query(
    `INSERT INTO ${COLLECTION} (id, tenant) VALUES (gen_random_uuid(), gen_random_uuid()) RETURNING id`,
  );
  const headers = `authorization: Bearer ${TOKEN}\r\n`;
  const items = `/items/${COLLECTION}`;
  return {
    subject: { name: `Directus ${VERSIONS.directus}`, port, processes: [server, database.process] },
    ids: rows.map(({ id }) => id),
    foreignId: foreign.rows[0].id,
    token: TOKEN,
    read: (id) => requestText('GET', `${items}/${id}`, headers),
    list: (code) => requestText('GET', `${items}?filter%5Bcode%5D%5B_eq%5D=${code}&sort=-id&limit=25`, headers),
    create: (turn) => requestText('POST', items, headers, newPeerRecord(turn)),
    recordOf: (answer) => answer.data,
    recordsOf: (answer) => answer.data,
  };
}
