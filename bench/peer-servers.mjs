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
import { newRecord, PLAIN_FIELDS, RECORDS } from './records-data.mjs';

/** @typedef {import('./lab.mjs').Lab} Lab */
/** A server with its records, and how its API is asked; ours too. ids: records that the token may read; foreignId: one that it may
 * not; list: 25 records by the filtered field, the last ids first.
 * @typedef {import('./lab.mjs').Subject & { ids: readonly string[], foreignId: string, read: (id: string) => string, list: (code: string) => string, create: (turn: number) => string }} Peer */

/** The newest that say in `engines` that they run on the Node of this repository: Directus needs Node 22 from 11.4 on. */
const VERSIONS = { 'parse-server': '9.10.0', directus: '11.3.5' };
/** What the tenant's user must not read. */
export const HIDDEN = 'secret';

export const VISIBLE = PLAIN_FIELDS.map(({ apiName }) => apiName).filter((name) => name !== HIDDEN);

/** The body of a request that creates a record, the values that ours computes included. @param {number} turn */
function newPeerRecord(turn) {
  const record = newRecord(turn);
  return { ...record, total: (turn % 1000) ** 2, summary: `Text number ${turn} of this record (${record.stage})` };
}

/** A peer on a database of its own.
 * @param {Lab} lab @param {keyof typeof VERSIONS} name @param {string} program in its package
 * @param {readonly string[]} commands the last one stays @param {(url: string, database: string) => NodeJS.ProcessEnv} environmentOf */
async function startPeer(lab, name, program, commands, environmentOf) {
  const version = VERSIONS[name];
  // It is measured, not depended on.
  const installed = path.join(CACHE_DIR, 'peers', `${name}-${version}`);
  const file = path.join(installed, 'node_modules', name, program);
  await access(file).catch(() => {
    throw new PlainError(`Install what is compared with: npm install --prefix ${installed} ${name}@${version}`);
  });
  const { folder: cwd, postgres } = await lab.servers();
  const pathname = name.replace('-', '_');
  await lab.connect(postgres.url).query(`CREATE DATABASE ${pathname}`);
  const { href } = Object.assign(new URL(postgres.url), { pathname });
  const [port = 0] = await freePorts(1);
  const own = environmentOf(`http://127.0.0.1:${port}`, href);
  const env = { ...process.env, NODE_ENV: 'production', HOST: '127.0.0.1', ...own };
  for (const command of commands.slice(0, -1)) await runOrFail(process.execPath, [file, command], { env, cwd });
  const server = await lab.start({ name, port, args: [file, ...commands.slice(-1)], env, cwd });
  return { server, pool: lab.connect(href) };
}

/** Fills a table with the records, and gives the ids of some.
 * @param {import('pg').Pool} pool @param {string} table @param {{ id: string, columns: Record<string, string>, index: string, foreign: string }} data
 *   columns: values in SQL; index: its columns, for the list; foreign: what makes a record another tenant's */
async function fill(pool, table, { id, columns, index, foreign }) {
  await pool.query(
    `INSERT INTO ${table} (${Object.keys(columns).join(', ')})
     SELECT ${Object.values(columns).join(', ')} FROM generate_series(1, ${RECORDS}) i`,
  );
  await pool.query(`CREATE INDEX ON ${table} (${index})`);
  const { rows } = await pool.query(`SELECT ${id} AS id FROM ${table} ORDER BY random() LIMIT 5000`);
  const [foreignId = '', ...ids] = rows.map((row) => String(row.id));
  await pool.query(`UPDATE ${table} SET ${foreign} WHERE ${id} = $1`, [foreignId]);
  await pool.query(`VACUUM ANALYZE ${table}`);
  return { ids, foreignId };
}

const CLASS = 'SiteVisit';
const ROLE = 'tenant_1';
/** Types of Parse; a day alone is no Date of it. @type {Readonly<Record<string, string>>} */
const PARSE_TYPES = { number: 'Number', checkbox: 'Boolean' };

/** Class-level permissions let in who has signed in, and the ACL of an object names the role of its tenant. @param {Lab} lab @returns {Promise<Peer>} */
export async function startParseServer(lab) {
  const { server, pool } = await startPeer(lab, 'parse-server', 'bin/parse-server', [], (url, database) => ({
    PARSE_SERVER_HOST: '127.0.0.1',
    PARSE_SERVER_URL: `${url}/parse`,
    PARSE_SERVER_APPLICATION_ID: 'bench',
    PARSE_SERVER_MASTER_KEY: PASSWORD,
    PARSE_SERVER_DATABASE_URI: database,
  }));
  const application = 'x-parse-application-id: bench\r\n';
  const master = `${application}x-parse-master-key: ${PASSWORD}\r\n`;
  const call = (/** @type {string} */ where, /** @type {object} */ body) =>
    ask(server.port, requestText('POST', `/parse${where}`, master, body));
  const actions = ['find', 'get', 'count', 'create', 'update', 'delete'];
  const permissions = Object.fromEntries(actions.map((action) => [action, { requiresAuthentication: true }]));
  await call(`/schemas/${CLASS}`, {
    className: CLASS,
    fields: Object.fromEntries(
      PLAIN_FIELDS.map(({ apiName, type }) => [apiName, { type: PARSE_TYPES[type] ?? 'String' }]),
    ),
    classLevelPermissions: { ...permissions, addField: {}, protectedFields: { '*': [HIDDEN] } },
  });
  const credentials = { username: 'bench', password: PASSWORD };
  const { objectId } = await call('/users', credentials);
  const { sessionToken } = await call('/login', credentials);
  const user = { __type: 'Pointer', className: '_User', objectId };
  await call('/roles', { name: ROLE, ACL: {}, users: { __op: 'AddRelation', objects: [user] } });
  const readable = `'{role:${ROLE}}'::text[]`;
  const columns = {
    // Ids are scattered, as Parse's own are: the factor is odd, so that no two are the same.
    '"objectId"': `lpad(to_hex((i::bigint * 2654435761) % 1099511627776), 10, '0')`,
    ...{ '"createdAt"': 'now()', '"updatedAt"': 'now()', _rperm: readable, _wperm: readable },
    ...Object.fromEntries(PLAIN_FIELDS.map(({ apiName, sql }) => [apiName, sql])),
  };
  const data = { id: '"objectId"', columns, index: 'code, "objectId"', foreign: `_rperm = '{role:another}'` };
  const headers = `${application}x-parse-session-token: ${sessionToken}\r\n`;
  const objects = `/parse/classes/${CLASS}`;
  const acl = { [`role:${ROLE}`]: { read: true, write: true } };
  const where = (/** @type {string} */ code) => encodeURIComponent(JSON.stringify({ code }));
  return {
    ...server,
    name: `Parse Server ${VERSIONS['parse-server']}`,
    ...(await fill(pool, `"${CLASS}"`, data)),
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
  const { server, pool } = await startPeer(lab, 'directus', 'cli.js', ['bootstrap', 'start'], (_url, database) => ({
    ADMIN_TOKEN: 'bench-admin-token',
    DB_CLIENT: 'pg',
    DB_CONNECTION_STRING: database,
    LOG_STYLE: 'raw',
    PRESSURE_LIMITER_ENABLED: 'false',
    TELEMETRY: 'false',
  }));
  const call = async (/** @type {string} */ where, /** @type {object} */ body) =>
    (await ask(server.port, requestText('POST', where, 'authorization: Bearer bench-admin-token\r\n', body)))?.data;
  await call('/collections', {
    collection: COLLECTION,
    schema: {},
    meta: {},
    fields: [
      { field: 'id', type: 'uuid', schema: { is_primary_key: true }, meta: { special: ['uuid'] } },
      { field: 'tenant', type: 'uuid' },
      { field: 'created_at', type: 'timestamp', meta: { special: ['date-created'] } },
      { field: 'updated_at', type: 'timestamp', meta: { special: ['date-updated'] } },
      ...PLAIN_FIELDS.map(({ apiName, type }) => ({ field: apiName, type: DIRECTUS_TYPES[type] ?? 'string' })),
    ],
  });
  const fields = ['id', 'created_at', 'updated_at', ...VISIBLE];
  const own = { permissions: { tenant: { _eq: '$CURRENT_ROLE' } }, fields };
  const added = { permissions: {}, presets: { tenant: '$CURRENT_ROLE' }, fields: VISIBLE };
  const permissions = [
    { collection: COLLECTION, action: 'read', ...own },
    { collection: COLLECTION, action: 'create', ...added },
  ];
  const role = await call('/roles', {
    name: 'Tenant',
    policies: [{ policy: { name: 'Tenant', permissions } }],
    users: [{ email: 'tenant@example.com', status: 'active', token: TOKEN }],
  });
  const columns = {
    ...{ id: 'gen_random_uuid()', tenant: `'${role.id}'::uuid`, created_at: 'now()', updated_at: 'now()' },
    ...Object.fromEntries(
      PLAIN_FIELDS.map(({ apiName, type, sql }) => [apiName, type === 'date' ? `(${sql})::date` : sql]),
    ),
  };
  const data = { id: 'id', columns, index: 'tenant, code, id', foreign: 'tenant = gen_random_uuid()' };
  const headers = `authorization: Bearer ${TOKEN}\r\n`;
  const items = `/items/${COLLECTION}`;
  return {
    ...server,
    name: `Directus ${VERSIONS.directus}`,
    ...(await fill(pool, COLLECTION, data)),
    read: (id) => requestText('GET', `${items}/${id}`, headers),
    list: (code) => requestText('GET', `${items}?filter%5Bcode%5D%5B_eq%5D=${code}&sort=-id&limit=25`, headers),
    create: (turn) => requestText('POST', items, headers, newPeerRecord(turn)),
  };
}
