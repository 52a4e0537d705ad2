// The data of a peer: the fields and the bytes of bench/records, in a table as the peer keeps it. Peers have no formulas;
// what ours computes they store, so that all answer with the same fields.
import pg from 'pg';
import { PASSWORD } from '../processes.mjs';
import { FIELDS, newRecord, sqlOf } from '../records/fill.mjs';

/** The fields that a peer stores, with their values in SQL by the number `i` of the record. */
export const COLUMNS = FIELDS.map(({ apiName, type }) => ({
  name: apiName,
  type: apiName === 'total' ? 'number' : type === 'formula' ? 'text' : type,
  sql: type === 'formula' ? formulaSql(apiName) : sqlOf({ apiName, type }),
}));

/** What the tenant's user must not read. */
export const HIDDEN = 'secret';

/** @param {string} apiName */
function formulaSql(apiName) {
  const of = (/** @type {string} */ name) => {
    const field = FIELDS.find((one) => one.apiName === name);
    if (!field) throw new Error(`There is no field ${name}`);
    return `(${sqlOf(field)})`;
  };
  return apiName === 'total'
    ? `${of('number_1')} * ${of('number_2')}`
    : `${of('text_1')} || ' (' || ${of('stage')} || ')'`;
}

/**
 * The body of a request that creates a record, the values that ours computes included.
 * @param {number} turn
 */
export function newPeerRecord(turn) {
  const record = newRecord(turn);
  return {
    ...record,
    total: (turn % 1000) ** 2,
    summary: `Text number ${turn} of this record (${record.stage})`,
  };
}

/**
 * A database that belongs to a role of the peer.
 * @param {string} adminUrl of the superuser
 * @param {string} name of both
 * @returns {Promise<URL>}
 */
export async function createDatabase(adminUrl, name) {
  await inDatabase(adminUrl, async (admin) => {
    await admin.query(`CREATE ROLE ${name} LOGIN PASSWORD '${PASSWORD}'`);
    await admin.query(`CREATE DATABASE ${name} OWNER ${name}`);
  });
  const url = new URL(adminUrl);
  url.username = name;
  url.password = PASSWORD;
  url.pathname = name;
  return url;
}

/**
 * @template T
 * @param {string} url
 * @param {(client: pg.Client) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function inDatabase(url, work) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
