// Parse Server with a class that tenants share: class-level permissions let in who has signed in, and the ACL of an object
// names the role of its tenant.
import path from 'node:path';
import { accepts } from '../../scripts/platform/readiness.mjs';
import { freePorts } from '../../scripts/servers/free-port.mjs';
import { requestText } from '../load.mjs';
import { COLUMNS, createDatabase, HIDDEN, inDatabase, newPeerRecord } from './data.mjs';
import { VERSIONS } from './installation.mjs';
import { setupClient } from './setup-client.mjs';

const CLASS = 'SiteVisit';
const MASTER_KEY = 'bench-master-key';
const ROLE = 'tenant_1';
const POOL = 10;

const NAME = `Parse Server ${VERSIONS['parse-server']}`;
/** @type {import('./subjects.mjs').PeerKind} */
export const PARSE_SERVER = {
  package: 'parse-server',
  settings: `${NAME}: one process, NODE_ENV=production, its own defaults for logs (info, into files; no line a request) and caches, pool of ${POOL}; the session token of a user, class-level permissions that require authentication, the ACL of every object is the role of the tenant, protectedFields hides one field; index on (code, "objectId")`,
  start,
};

/** @type {Readonly<Record<string, string>>} types of Parse; a day alone is no Date of it */
const TYPES = {
  text: 'String',
  number: 'Number',
  date: 'String',
  checkbox: 'Boolean',
  picklist: 'String',
  email: 'String',
};

/**
 * @param {import('./subjects.mjs').Place} place
 * @returns {Promise<import('./subjects.mjs').Peer>}
 */
async function start({ folder, processes, database, adminUrl, records }) {
  const [port] = /** @type {[number]} */ (await freePorts(1));
  const databaseUrl = await createDatabase(adminUrl, 'parse');
  databaseUrl.searchParams.set('poolSize', String(POOL));
  const server = await processes.start(
    'parse-server',
    path.join(import.meta.dirname, 'servers', 'parse-server.mjs'),
    {
      NODE_ENV: 'production',
      PARSE_SERVER_FOLDER: folder,
      PORT: String(port),
      DATABASE_URL: databaseUrl.href,
      MASTER_KEY,
      PARSE_SERVER_LOGS_FOLDER: path.join(processes.folder, 'parse-logs'),
    },
    () => accepts(port),
  );
  const sessionToken = await prepare(`http://127.0.0.1:${port}/parse`);
  const { ids, foreignId } = await fill(databaseUrl, records);
  const headers = `x-parse-application-id: bench\r\nx-parse-session-token: ${sessionToken}\r\n`;
  const objects = `/parse/classes/${CLASS}`;
  const acl = { [`role:${ROLE}`]: { read: true, write: true } };
  return {
    subject: { name: NAME, port, processes: [server, database] },
    ids,
    foreignId,
    token: sessionToken,
    read: (id) => requestText('GET', `${objects}/${id}`, headers),
    list: (code) => {
      const where = encodeURIComponent(JSON.stringify({ code }));
      return requestText('GET', `${objects}?where=${where}&order=-objectId&limit=25`, headers);
    },
    create: (turn) => requestText('POST', objects, headers, { ...newPeerRecord(turn), ACL: acl }),
    recordOf: (answer) => answer,
    recordsOf: (answer) => answer.results,
  };
}

/**
 * Makes the class, a user and the role of the tenant.
 * @param {string} base
 * @returns {Promise<string>} the session token of the user
 */
async function prepare(base) {
  const call = setupClient(base, { 'x-parse-application-id': 'bench', 'x-parse-master-key': MASTER_KEY });
  const signedIn = { requiresAuthentication: true };
  await call('POST', `/schemas/${CLASS}`, {
    className: CLASS,
    fields: Object.fromEntries(COLUMNS.map(({ name, type }) => [name, { type: TYPES[type] }])),
    classLevelPermissions: {
      find: signedIn,
      get: signedIn,
      count: signedIn,
      create: signedIn,
      update: signedIn,
      delete: signedIn,
      addField: {},
      protectedFields: { '*': [HIDDEN] },
    },
  });
  const credentials = { username: 'bench', password: 'bench-password' };
  const user = await call('POST', '/users', credentials);
  await call('POST', '/roles', {
    name: ROLE,
    ACL: {},
    users: {
      __op: 'AddRelation',
      objects: [{ __type: 'Pointer', className: '_User', objectId: user.objectId }],
    },
  });
  const { sessionToken } = await call('POST', '/login', credentials);
  return sessionToken;
}

/**
 * @param {URL} databaseUrl
 * @param {number} records
 * @returns {Promise<{ ids: string[], foreignId: string }>} some of their ids, and that of an object of another tenant
 */
function fill(databaseUrl, records) {
  return inDatabase(databaseUrl.href, async (client) => {
    // Ids are scattered, as Parse's own are: the factor is odd, so that no two are the same.
    await client.query(
      `INSERT INTO "${CLASS}" ("objectId", "createdAt", "updatedAt", _rperm, _wperm, ${COLUMNS.map(({ name }) => name).join(', ')})
       SELECT lpad(to_hex((i::bigint * 2654435761) % 1099511627776), 10, '0'), now(), now(), $1::text[], $1::text[],
              ${COLUMNS.map(({ sql }) => sql).join(', ')}
         FROM generate_series(1, ${records}) i`,
      [[`role:${ROLE}`]],
    );
    await client.query(`CREATE INDEX ON "${CLASS}" (code, "objectId")`);
    await client.query(`VACUUM ANALYZE "${CLASS}"`);
    const { rows } = await client.query(`SELECT "objectId" AS id FROM "${CLASS}" ORDER BY random() LIMIT 5000`);
    const foreignId = 'foreign';
    await client.query(
      `INSERT INTO "${CLASS}" ("objectId", "createdAt", "updatedAt", _rperm, _wperm) VALUES ($1, now(), now(), $2, $2)`,
      [foreignId, ['role:another']],
    );
    return { ids: rows.map(({ id }) => id), foreignId };
  });
}
