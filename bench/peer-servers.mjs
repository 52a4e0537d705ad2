// Parse Server and Directus, each with its own access control on, with a class or collection that tenants share and the records
// of bench/records-data.mjs. Peers have no formulas; what ours computes they store, so that all answer with the same fields.
import { access } from 'node:fs/promises';
import path from 'node:path';
import { PlainError } from '../scripts/plain-error.mjs';
import { runOrFail } from '../scripts/processes/run.mjs';
import { CACHE_DIR } from '../scripts/root.mjs';
import { freePorts } from '../scripts/servers/free-port.mjs';
import { PASSWORD } from './lab.mjs';
import { ask, requestText } from './load.mjs';
import { FIELDS, newRecord, RECORDS, sqlOf } from './records-data.mjs';

/** @typedef {import('./lab.mjs').Lab} Lab */
/** A server with its records, and how its API is asked; ours too. ids: records that the token may read; foreignId: one that it may
 * not; list: 25 records by the filtered field, the last ids first.
 * @typedef {import('./lab.mjs').Subject & { ids: readonly string[], foreignId: string, read: (id: string) => string, list: (code: string) => string, create: (turn: number) => string }} Peer */

/** The newest that say in `engines` that they run on the Node of this repository: Directus needs Node 22 from 11.4 on. */
const VERSIONS = { 'parse-server': '9.10.0', directus: '11.3.5' };
const POOL = '10';
/** What the tenant's user must not read. */
export const HIDDEN = 'secret';

const TOTAL = `(${sqlOf({ apiName: 'number_1', type: 'number' })}) * (${sqlOf({ apiName: 'number_2', type: 'number' })})`;
const SUMMARY = `${sqlOf({ apiName: 'text_1', type: 'text' })} || ' (' || ${sqlOf({ apiName: 'stage', type: 'picklist' })} || ')'`;

/** The fields that a peer stores, with their values in SQL by the number `i` of the record. */
const COLUMNS = FIELDS.map(({ apiName: name, type }) => {
  if (name === 'total') return { name, type: 'number', sql: TOTAL };
  if (name === 'summary') return { name, type: 'text', sql: SUMMARY };
  return { name, type, sql: sqlOf({ apiName: name, type }) };
});
export const VISIBLE = COLUMNS.map(({ name }) => name).filter((name) => name !== HIDDEN);

/** The body of a request that creates a record, the values that ours computes included. @param {number} turn */
function newPeerRecord(turn) {
  const record = newRecord(turn);
  return { ...record, total: (turn % 1000) ** 2, summary: `Text number ${turn} of this record (${record.stage})` };
}

/** A peer on a database that belongs to a role of its own.
 * @param {Lab} lab @param {keyof typeof VERSIONS} name @param {string} program in its package
 * @param {readonly [first: string[], ...then: string[][]]} runs arguments of each; the last one stays
 * @param {(url: string, database: URL, folder: string) => NodeJS.ProcessEnv} environmentOf folder: for what it writes */
async function startPeer(lab, name, program, runs, environmentOf) {
  const version = VERSIONS[name];
  // It is measured, not depended on.
  const folder = path.join(CACHE_DIR, 'peers', `${name}-${version}`);
  const file = path.join(folder, 'node_modules', name, program);
  await access(file).catch(() => {
    throw new PlainError(`Install what is compared with: npm install --prefix ${folder} ${name}@${version}`);
  });
  const postgres = await lab.postgres();
  const { folder: logs } = await lab.servers();
  const admin = lab.connect(postgres.url);
  const owner = name.replace('-', '_');
  await admin.query(`CREATE ROLE ${owner} LOGIN PASSWORD '${PASSWORD}'`);
  await admin.query(`CREATE DATABASE ${owner} OWNER ${owner}`);
  const database = Object.assign(new URL(postgres.url), { username: owner, password: PASSWORD, pathname: owner });
  const [port = 0] = await freePorts(1);
  const own = environmentOf(`http://127.0.0.1:${port}`, database, logs);
  const env = { NODE_ENV: 'production', HOST: '127.0.0.1', PORT: String(port), ...own };
  for (const args of runs.slice(0, -1)) {
    await runOrFail(process.execPath, [file, ...args], { env: { ...process.env, ...env } });
  }
  const server = await lab.start({ name, port, args: [file, ...(runs.at(-1) ?? [])], env, behind: [postgres] });
  return { server, pool: lab.connect(database.href) };
}

/** Fills a table with the records, and gives the ids of some.
 * @param {import('pg').Pool} pool @param {string} table @param {string} id @param {Record<string, string>} columns values in SQL
 * @param {string} index columns of an index for the list */
async function fill(pool, table, id, columns, index) {
  await pool.query(
    `INSERT INTO ${table} (${Object.keys(columns).join(', ')})
     SELECT ${Object.values(columns).join(', ')} FROM generate_series(1, ${RECORDS}) i`,
  );
  await pool.query(`CREATE INDEX ON ${table} (${index})`);
  await pool.query(`VACUUM ANALYZE ${table}`);
  const { rows } = await pool.query(`SELECT ${id} AS id FROM ${table} ORDER BY random() LIMIT 5000`);
  return rows.map((row) => String(row.id));
}

const CLASS = 'SiteVisit';
const ROLE = 'tenant_1';
/** Types of Parse; a day alone is no Date of it. @type {Readonly<Record<string, string>>} */
const PARSE_TYPES = { number: 'Number', checkbox: 'Boolean' };

/** Class-level permissions let in who has signed in, and the ACL of an object names the role of its tenant. @param {Lab} lab @returns {Promise<Peer>} */
export async function startParseServer(lab) {
  const { server, pool } = await startPeer(lab, 'parse-server', 'bin/parse-server', [[]], (url, database, logs) => ({
    PARSE_SERVER_HOST: '127.0.0.1',
    PARSE_SERVER_URL: `${url}/parse`,
    PARSE_SERVER_APPLICATION_ID: 'bench',
    PARSE_SERVER_MASTER_KEY: PASSWORD,
    PARSE_SERVER_DATABASE_URI: `${database.href}?poolSize=${POOL}`,
    PARSE_SERVER_LOGS_FOLDER: path.join(logs, 'parse-logs'),
  }));
  const application = 'x-parse-application-id: bench\r\n';
  const master = `${application}x-parse-master-key: ${PASSWORD}\r\n`;
  const call = (/** @type {string} */ where, /** @type {object} */ body) =>
    ask(server.port, requestText('POST', `/parse${where}`, master, body));
  const actions = ['find', 'get', 'count', 'create', 'update', 'delete'];
  const permissions = Object.fromEntries(actions.map((action) => [action, { requiresAuthentication: true }]));
  await call(`/schemas/${CLASS}`, {
    className: CLASS,
    fields: Object.fromEntries(COLUMNS.map(({ name, type }) => [name, { type: PARSE_TYPES[type] ?? 'String' }])),
    classLevelPermissions: { ...permissions, addField: {}, protectedFields: { '*': [HIDDEN] } },
  });
  const credentials = { username: 'bench', password: 'bench-password' };
  const user = { __type: 'Pointer', className: '_User', objectId: (await call('/users', credentials)).objectId };
  await call('/roles', { name: ROLE, ACL: {}, users: { __op: 'AddRelation', objects: [user] } });
  const { sessionToken } = await call('/login', credentials);
  const readable = `'{role:${ROLE}}'::text[]`;
  const columns = {
    // Ids are scattered, as Parse's own are: the factor is odd, so that no two are the same.
    '"objectId"': `lpad(to_hex((i::bigint * 2654435761) % 1099511627776), 10, '0')`,
    ...{ '"createdAt"': 'now()', '"updatedAt"': 'now()', _rperm: readable, _wperm: readable },
    ...Object.fromEntries(COLUMNS.map(({ name, sql }) => [name, sql])),
  };
  const ids = await fill(pool, `"${CLASS}"`, '"objectId"', columns, 'code, "objectId"');
  await pool.query(
    `INSERT INTO "${CLASS}" ("objectId", "createdAt", "updatedAt", _rperm, _wperm)
     VALUES ('foreign', now(), now(), '{role:another}', '{role:another}')`,
  );
  const headers = `${application}x-parse-session-token: ${sessionToken}\r\n`;
  const objects = `/parse/classes/${CLASS}`;
  const acl = { [`role:${ROLE}`]: { read: true, write: true } };
  const where = (/** @type {string} */ code) => encodeURIComponent(JSON.stringify({ code }));
  return {
    ...server,
    name: `Parse Server ${VERSIONS['parse-server']}`,
    ids,
    foreignId: 'foreign',
    read: (id) => requestText('GET', `${objects}/${id}`, headers),
    list: (code) => requestText('GET', `${objects}?where=${where(code)}&order=-objectId&limit=25`, headers),
    create: (turn) => requestText('POST', objects, headers, { ...newPeerRecord(turn), ACL: acl }),
  };
}

const COLLECTION = 'site_visit';
const TOKEN = 'bench-tenant-token';
/** @type {Readonly<Record<string, string>>} */
const DIRECTUS_TYPES = { number: 'float', date: 'date', checkbox: 'boolean' };

/** Item permissions of the tenant's role compare a column with the role of the caller. @param {Lab} lab @returns {Promise<Peer>} */
export async function startDirectus(lab) {
  const { server, pool } = await startPeer(
    lab,
    'directus',
    'cli.js',
    [['bootstrap'], ['start']],
    (url, database, logs) => ({
      PUBLIC_URL: url,
      SECRET: 'bench-secret-of-at-least-32-characters',
      ADMIN_EMAIL: 'admin@example.com',
      ADMIN_PASSWORD: PASSWORD,
      ADMIN_TOKEN: 'bench-admin-token',
      DB_CLIENT: 'pg',
      DB_CONNECTION_STRING: database.href,
      DB_POOL__MIN: '0',
      DB_POOL__MAX: POOL,
      LOG_STYLE: 'raw',
      PRESSURE_LIMITER_ENABLED: 'false',
      TELEMETRY: 'false',
      EXTENSIONS_PATH: path.join(logs, 'directus-extensions'),
      STORAGE_LOCAL_ROOT: path.join(logs, 'directus-uploads'),
      // There is none, so that no file of the current folder is read.
      CONFIG_PATH: path.join(logs, 'directus.env'),
    }),
  );
  const call = async (/** @type {string} */ where, /** @type {object} */ body) =>
    (await ask(server.port, requestText('POST', where, 'authorization: Bearer bench-admin-token\r\n', body)))?.data;
  const column = (/** @type {string} */ field, /** @type {string} */ type, schema = {}, meta = {}) => ({
    ...{ field, type, schema, meta },
  });
  await call('/collections', {
    collection: COLLECTION,
    schema: {},
    meta: {},
    fields: [
      column('id', 'uuid', { is_primary_key: true }, { special: ['uuid'] }),
      column('tenant', 'uuid'),
      column('created_at', 'timestamp', {}, { special: ['date-created'] }),
      column('updated_at', 'timestamp', {}, { special: ['date-updated'] }),
      ...COLUMNS.map(({ name, type }) => column(name, DIRECTUS_TYPES[type] ?? 'string')),
    ],
  });
  const role = await call('/roles', { name: 'Tenant' });
  const policy = await call('/policies', { name: 'Tenant', app_access: false, admin_access: false });
  await call('/access', { role: role.id, policy: policy.id });
  const permission = { policy: policy.id, collection: COLLECTION };
  const fields = ['id', 'created_at', 'updated_at', ...VISIBLE];
  const permissions = { tenant: { _eq: '$CURRENT_ROLE' } };
  await call('/permissions', { ...permission, action: 'read', permissions, fields });
  const presets = { tenant: '$CURRENT_ROLE' };
  await call('/permissions', { ...permission, action: 'create', permissions: {}, presets, fields: VISIBLE });
  await call('/users', { email: 'tenant@example.com', role: role.id, status: 'active', token: TOKEN });
  const columns = {
    ...{ id: 'gen_random_uuid()', tenant: `'${role.id}'::uuid`, created_at: 'now()', updated_at: 'now()' },
    ...Object.fromEntries(COLUMNS.map(({ name, type, sql }) => [name, type === 'date' ? `(${sql})::date` : sql])),
  };
  const ids = await fill(pool, COLLECTION, 'id', columns, 'tenant, code, id');
  const foreign = await pool.query(
    `INSERT INTO ${COLLECTION} (id, tenant) VALUES (gen_random_uuid(), gen_random_uuid()) RETURNING id`,
  );
  const headers = `authorization: Bearer ${TOKEN}\r\n`;
  const items = `/items/${COLLECTION}`;
  return {
    ...server,
    name: `Directus ${VERSIONS.directus}`,
    ids,
    foreignId: foreign.rows[0].id,
    read: (id) => requestText('GET', `${items}/${id}`, headers),
    list: (code) => requestText('GET', `${items}?filter%5Bcode%5D%5B_eq%5D=${code}&sort=-id&limit=25`, headers),
    create: (turn) => requestText('POST', items, headers, newPeerRecord(turn)),
  };
}
