// Ours and the peers, started beside each other on one Postgres.
import { requestText } from '../load.mjs';
import { API_NAME, newRecord } from '../records/fill.mjs';
import { startSubjects } from '../records/subjects.mjs';
import { inDatabase } from './data.mjs';
import { DIRECTUS } from './directus.mjs';
import { installPeer } from './installation.mjs';
import { PARSE_SERVER } from './parse-server.mjs';

/**
 * @typedef {object} Place where a peer is started
 * @property {string} folder whose node_modules holds it
 * @property {import('../processes.mjs').Processes} processes
 * @property {import('../processes.mjs').Subject['processes'][number]} database
 * @property {string} adminUrl of the superuser of Postgres
 * @property {number} records
 */

/**
 * @typedef {object} PeerKind
 * @property {keyof typeof import('./installation.mjs').VERSIONS} package
 * @property {string} settings what it is measured with, in a sentence
 * @property {(place: Place) => Promise<Peer>} start
 */

/**
 * @typedef {object} Peer a server with its records, and how its API is asked; ours too
 * @property {import('../processes.mjs').Subject} subject
 * @property {readonly string[]} ids of records that the token may read
 * @property {string} foreignId of a record that it may not
 * @property {string} token
 * @property {(id: string) => string} read the request, as it goes over the wire
 * @property {(code: string) => string} list 25 records by the filtered field, the last ids first
 * @property {(turn: number) => string} create
 * @property {(answer: any) => Record<string, unknown>} recordOf the record in an answer
 * @property {(answer: any) => Record<string, unknown>[]} recordsOf the records in the answer of a list
 */

const OURS =
  'Ours: gateway and custom-objects, a process each, with token, limits, row-level security, field security and logs at info; the records are those of one of 1,000 tenants, and its lists are counted';

/**
 * @param {number} records of the tenant
 * @returns {Promise<{ ours: Peer, parseServer: Peer, directus: Peer, codes: readonly string[], stop: () => Promise<void> }>}
 * @throws {PlainError} when a peer cannot be installed
 */
export async function startPeers(records) {
  const folders = {
    parseServer: await installPeer(PARSE_SERVER.package),
    directus: await installPeer(DIRECTUS.package),
  };
  const own = await startSubjects(records);
  try {
    const { processes, database, adminUrl, data } = own;
    const place = { processes, database, adminUrl, records };
    const parseServer = await PARSE_SERVER.start({ ...place, folder: folders.parseServer });
    const directus = await DIRECTUS.start({ ...place, folder: folders.directus });
    // Standard output is for the rows.
    process.stderr.write(`${[OURS, PARSE_SERVER.settings, DIRECTUS.settings].join('\n')}\n`);
    return { ours: await oursOf(own), parseServer, directus, codes: data.codes, stop: own.stop };
  } catch (error) {
    await own.stop();
    throw error;
  }
}

/**
 * @param {Awaited<ReturnType<typeof startSubjects>>} own
 * @returns {Promise<Peer>}
 */
async function oursOf({ gateway, token, data }) {
  const headers = `authorization: Bearer ${token}\r\n`;
  const base = `/api/crm/custom/${API_NAME}/records`;
  const foreign = await inDatabase(data.bareUrl, (client) =>
    client.query(`SELECT id FROM custom_record WHERE object_id = md5('object1')::uuid LIMIT 1`),
  );
  return {
    subject: { ...gateway, name: 'ours' },
    ids: data.ids,
    foreignId: foreign.rows[0].id,
    token,
    read: (id) => requestText('GET', `${base}/${id}`, headers),
    list: (code) => requestText('GET', `${base}?filterField=code&filterValue=${code}`, headers),
    create: (turn) => requestText('POST', base, headers, newRecord(turn)),
    recordOf: (answer) => answer,
    recordsOf: (answer) => answer.data,
  };
}
