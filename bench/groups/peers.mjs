// Reading, listing and creating records through the gateway, beside Parse Server and Directus on the same PostgreSQL: each with
// its own access control and log on, its other defaults, a pool of ten, an index for the list, the same fields of the same bytes.
import { setting } from '../lab.mjs';
import {
  alternate,
  counter,
  detailRows,
  inTurn,
  PLAN,
  ratioOf,
  requestText,
  sendOne,
  serverMicroseconds,
} from '../load.mjs';
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
    subject: { ...gateway, name: 'ours' },
    ids: data.records.ids,
    foreignId: foreign.rows[0].id,
    token: lab.authorization().trim(),
    read: (id) => requestText('GET', `${recordsOf()}/${id}`, lab.authorization()),
    list: (code) => requestText('GET', `${recordsOf()}?filterField=code&filterValue=${code}`, lab.authorization()),
    create: (turn) => requestText('POST', recordsOf(), lab.authorization(), newRecord(turn)),
    recordOf: (answer) => answer,
    recordsOf: (answer) => answer.data,
  };
  const peers = [ours, await startParseServer(lab), await startDirectus(lab)];
  for (const peer of peers) await checkAccess(peer);
  return { peers, codes: data.records.filters };
}

/** A peer with its access control switched off by mistake would be measured at another work. @param {Peer} peer */
async function checkAccess({ subject, token, ids, foreignId, read, list, create, recordOf, recordsOf: recordsIn }) {
  const ask = async (/** @type {string} */ request) => {
    const { status, body } = await sendOne(subject.port, request);
    return { status, body, isRefused: status >= 400 };
  };
  const must = (/** @type {boolean} */ holds, /** @type {string} */ what, /** @type {{ body: string }} */ { body }) => {
    if (!holds) throw new Error(`${subject.name}: ${what}: ${body}`);
  };
  const isRight = (/** @type {Record<string, unknown>} */ record) =>
    VISIBLE.every((name) => record[name] !== undefined && record[name] !== null) && !(HIDDEN in record);
  const id = String(ids[0]);
  const one = await ask(read(id));
  must(!one.isRefused && isRight(recordOf(JSON.parse(one.body))), 'a record lacks fields or shows too many', one);
  const many = await ask(list(CODE));
  const records = many.isRefused ? [] : recordsIn(JSON.parse(many.body));
  const areRight = records.length === 25 && records.every((record) => isRight(record) && record.code === CODE);
  must(areRight, 'a list has other records or fields', many);
  const created = await ask(create(1));
  must(!created.isRefused, 'a record is not created', created);
  const foreign = await ask(read(foreignId));
  must(foreign.isRefused, "another tenant's record is shown", foreign);
  const stranger = await ask(read(id).replace(token, `${token.slice(0, -4)}xxxx`));
  must(stranger.isRefused, 'a wrong token is accepted', stranger);
}

/**
 * @param {string} work @param {(peer: Peer, subjects: Subjects) => () => string} nextOf gives what gives the next request
 * @param {readonly (number | undefined)[]} targets smallest ratio of ours to each of the others
 */
const measure = (work, nextOf, targets) => async (/** @type {Subjects} */ subjects) => {
  const sides = subjects.peers.map((peer) => ({ subject: peer.subject, next: nextOf(peer, subjects) }));
  const all = await alternate(sides, { ...PLAN, ...WARM_UP });
  const [own, ...others] = /** @type {[typeof all[0], ...typeof all]} */ (all);
  return [
    ...others.map((other, index) => ({
      name: `${work}: ours beside ${other.subject.name}`,
      unit: '/s',
      ours: own.rate,
      baseline: other.rate,
      ratio: ratioOf(own, other),
      atLeast: targets[index],
    })),
    ...others.map((other) => ({
      name: `${work}: processor time a request in all servers, ours beside ${other.subject.name}`,
      unit: 'µs',
      ours: serverMicroseconds(own),
      baseline: serverMicroseconds(other),
    })),
    ...all.flatMap((series) => detailRows(`${work}: ${series.subject.name}`, series)),
  ];
};

const cases = {
  read: measure(
    'read',
    ({ ids, read }) => {
      const id = inTurn(ids);
      return () => read(id());
    },
    [3, 8],
  ),
  list: measure(
    'list',
    ({ list }, { codes }) => {
      const code = inTurn(codes);
      return () => list(code());
    },
    [1.5],
  ),
  create: measure(
    'create',
    ({ create }) => {
      const turn = counter();
      return () => create(turn());
    },
    [1.4, 6.5],
  ),
};

export const suites = [{ start, cases }];
