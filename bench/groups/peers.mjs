// Reading, listing and creating records through the gateway, beside Parse Server and Directus on the same PostgreSQL: each with
// its own access control and log on, its other defaults, a pool of ten, an index for the list, the same fields of the same bytes.
import assert from 'node:assert/strict';
import { alternate, ask, counter, inTurn, PLAN, requestText } from '../load.mjs';
import { besideRow, setting } from '../measure.mjs';
import { HIDDEN, startDirectus, startParseServer, VISIBLE } from '../peer-servers.mjs';
import { newRecord } from '../records-data.mjs';
import { recordsOf, startRecords } from './records.mjs';

/** @typedef {import('../peer-servers.mjs').Peer} Peer */
/** @typedef {{ peers: readonly Peer[], codes: readonly string[] }} Subjects */

const WARM_UP = { warmUpMs: setting('WARM_UP_MS', 4000, 200), warmUpRequests: setting('WARM_UP_REQUESTS', 3000, 100) };
/** A value of the filtered field that as many records have as any. */
const CODE = 'C1';

/** @param {import('../lab.mjs').Lab} lab */
async function start(lab) {
  const { data, admin, gateway } = await startRecords(lab);
  const foreign = await admin.query(`SELECT id FROM custom_record WHERE object_id = md5('object1')::uuid LIMIT 1`);
  /** @type {Peer} */
  const ours = {
    ...gateway,
    name: 'ours',
    ids: data.records.ids,
    foreignId: foreign.rows[0].id,
    read: (id) => requestText('GET', `${recordsOf()}/${id}`, lab.authorization()),
    list: (code) => requestText('GET', `${recordsOf()}?filterField=code&filterValue=${code}`, lab.authorization()),
    create: (turn) => requestText('POST', recordsOf(), lab.authorization(), newRecord(turn)),
  };
  const peers = [ours, await startParseServer(lab), await startDirectus(lab)];
  for (const peer of peers) await checkAccess(peer);
  return { peers, codes: data.records.filters };
}

/** A peer with its access control switched off by mistake would be measured at another work. @param {Peer} peer */
async function checkAccess({ name, port, ids, foreignId, read, list, create }) {
  const isRight = (/** @type {Record<string, unknown>} */ record) =>
    VISIBLE.every((field) => record[field] !== undefined && record[field] !== null) && !(HIDDEN in record);
  const id = String(ids[0]);
  const one = await ask(port, read(id));
  assert.ok(isRight(one.data ?? one), `${name}: a record lacks fields or shows too many: ${JSON.stringify(one)}`);
  const many = await ask(port, list(CODE));
  /** @type {Record<string, unknown>[]} */
  const records = many.data ?? many.results;
  const areRight = records.length === 25 && records.every((record) => isRight(record) && record.code === CODE);
  assert.ok(areRight, `${name}: a list has other records or fields: ${JSON.stringify(many)}`);
  await ask(port, create(1));
  const refusal = / answered HTTP\/1\.1 4/;
  await assert.rejects(ask(port, read(foreignId)), refusal, `${name}: another tenant's record is shown`);
  // The last header says who calls.
  const stranger = read(id).replace(/....\r\n\r\n$/, 'xxxx\r\n\r\n');
  await assert.rejects(ask(port, stranger), refusal, `${name}: a wrong token is accepted`);
}

/** @param {string} work @param {(peer: Peer, id: () => string, code: () => string, turn: () => number) => string} request
 * @param {readonly number[]} targets smallest ratio of ours to each of the others */
const measure =
  (work, request, targets) =>
  async (/** @type {Subjects} */ { peers, codes }) => {
    const sides = peers.map((peer) => {
      const [id, code, turn] = [inTurn(peer.ids), inTurn(codes), counter()];
      return { ...peer, next: () => request(peer, id, code, turn) };
    });
    const [own, ...others] = await alternate(sides, { ...PLAN, ...WARM_UP });
    return others.map((other, index) =>
      besideRow(`${work}: ours beside ${other.name}`, '/s', own.rates, other.rates, { atLeast: targets[index] }),
    );
  };

const cases = {
  read: measure('read', ({ read }, id) => read(id()), [3, 8]),
  list: measure('list', ({ list }, _id, code) => list(code()), [1.5]),
  create: measure('create', ({ create }, _id, _code, turn) => create(turn()), [1.4, 6.5]),
};

export const suites = [{ start, cases }];
