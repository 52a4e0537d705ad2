// Searches through the gateway, one at a time, and what they do to the reads of another tenant.
import pg from 'pg';
import { sendLoad } from '../load.mjs';
import { median } from '../measure.mjs';
import { API_NAME } from './fill.mjs';

const ROUND_MS = Number(process.env.BENCH_SEARCH_MS ?? 2000);
const ROUNDS = 5;
const NEIGHBOUR_RECORDS = 1000;
const READERS = 4;
const SEARCHERS = 8;

/** Texts by what they find, with the most milliseconds of the median. */
const SEARCHES = [
  { name: 'nothing', q: () => 'zzzz', atMost: 50 },
  { name: 'a few records', q: (/** @type {number} */ turn) => `visitor${(turn % 900) + 100}`, atMost: 25 },
  { name: 'two words of a few records', q: (/** @type {number} */ turn) => `number ${1000 + turn}`, atMost: 25 },
  { name: 'every third record', q: () => 'done', atMost: 25 },
  { name: 'every record', q: () => 'this record', atMost: 25 },
];

/** @param {Awaited<ReturnType<typeof import('./subjects.mjs').startSubjects>>} subjects */
export async function measureSearch({ gateway: { port }, data, records, token, sign, tenantId }) {
  const neighbour = await addNeighbour(data.bareUrl, tenantId);
  const other = await sign(neighbour.tenantId);
  const get = (/** @type {string} */ path, /** @type {string} */ bearer) =>
    `GET /api/crm/custom/${API_NAME}/records${path} HTTP/1.1\r\nhost: 127.0.0.1:8080\r\naccept: application/json\r\nuser-agent: bench\r\nauthorization: Bearer ${bearer}\r\n\r\n`;
  const rows = [];
  for (const { name, q, atMost } of SEARCHES) {
    for (const [counting, more] of [
      ['', ''],
      [', count=none', '&count=none'],
    ]) {
      let turn = 0;
      const next = () => get(`?q=${encodeURIComponent(q(turn++))}${more}`, token);
      await sendLoad({ port, next, connections: 1, milliseconds: ROUND_MS / 2 });
      const { latencies } = await sendLoad({ port, next, connections: 1, milliseconds: ROUND_MS });
      const title = `search of ${records} records that finds ${name}${counting}`;
      rows.push({ name: `${title}, p50`, unit: 'ms', ours: percentile(latencies, 0.5), atMost });
      rows.push({ name: `${title}, p99`, unit: 'ms', ours: percentile(latencies, 0.99) });
    }
  }

  let turn = 0;
  const read = () => get(`/${neighbour.ids[turn++ % neighbour.ids.length]}`, other);
  const reads = () => sendLoad({ port, next: read, connections: READERS, milliseconds: ROUND_MS });
  const searches = () =>
    sendLoad({ port, next: () => get('?q=zzzz', token), connections: SEARCHERS, milliseconds: ROUND_MS });
  await reads();
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const alone = percentile((await reads()).latencies, 0.99);
    const [beside] = await Promise.all([reads(), searches()]);
    rounds.push({ alone, beside: percentile(beside.latencies, 0.99) });
  }
  rows.push({
    name: `p99 of another tenant's reads on ${READERS} connections beside searches for zzzz on ${SEARCHERS}`,
    unit: 'ms',
    ours: median(rounds.map(({ beside }) => beside)),
    baseline: median(rounds.map(({ alone }) => alone)),
    ratio: median(rounds.map(({ alone, beside }) => beside / alone)),
    atMost: 1.5,
  });
  return rows;
}

/**
 * A tenant with the same object and some of the records.
 * @param {string} url of the administrator in the database
 * @param {string} tenantId the tenant that is copied
 */
async function addNeighbour(url, tenantId) {
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  try {
    const { rows } = await admin.query('SELECT gen_random_uuid() AS tenant, gen_random_uuid() AS object');
    const { tenant, object } = rows[0];
    const copy = (/** @type {string} */ table, /** @type {string} */ ids, limit = 'ALL') =>
      admin.query(
        `INSERT INTO ${table} SELECT (jsonb_populate_record(NULL::${table}, to_jsonb(source) || jsonb_build_object('tenant_id', $1::uuid, '${ids}', $2::uuid))).*
           FROM (SELECT * FROM ${table} WHERE tenant_id = $3
                    AND ${ids} = (SELECT id FROM custom_object WHERE tenant_id = $3 AND api_name = $4) LIMIT ${limit}) AS source`,
        [tenant, object, tenantId, API_NAME],
      );
    await copy('custom_object', 'id');
    await copy('custom_field', 'object_id');
    await copy('custom_record', 'object_id', String(NEIGHBOUR_RECORDS));
    const found = await admin.query('SELECT id FROM custom_record WHERE tenant_id = $1', [tenant]);
    return { tenantId: tenant, ids: found.rows.map(({ id }) => id) };
  } finally {
    await admin.end();
  }
}

/**
 * @param {readonly number[]} values
 * @param {number} part
 */
function percentile(values, part) {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length * part)] ?? Number.NaN;
}
