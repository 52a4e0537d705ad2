// Before anything is measured: every server answers with the same fields and keeps the same things closed. A peer with its
// access control switched off by mistake would be measured at another work.
import { sendOne } from '../load.mjs';
import { COLUMNS, HIDDEN } from './data.mjs';

const VISIBLE = COLUMNS.map(({ name }) => name).filter((name) => name !== HIDDEN);
/** A value of the filtered field that as many records have as any. */
const CODE = 'C1';

/**
 * @param {import('./subjects.mjs').Peer} peer
 * @throws {Error} for an answer that is not what is measured
 */
export async function checkAccess(peer) {
  const { subject, token, ids, foreignId, read, list, create, recordOf, recordsOf } = peer;
  const ask = (/** @type {string} */ request) => sendOne(subject.port, request);
  const must = (/** @type {boolean} */ holds, /** @type {string} */ what, /** @type {string} */ answer) => {
    if (!holds) throw new Error(`${subject.name}: ${what}: ${answer}`);
  };
  const isRight = (/** @type {Record<string, unknown>} */ record) =>
    VISIBLE.every((name) => record[name] !== undefined && record[name] !== null) && !(HIDDEN in record);

  const id = /** @type {string} */ (ids[0]);
  const one = await ask(read(id));
  must(
    one.status === 200 && isRight(recordOf(JSON.parse(one.body))),
    'a record lacks fields or shows too many',
    one.body,
  );
  const many = await ask(list(CODE));
  must(many.status === 200, 'a list is refused', many.body);
  const records = recordsOf(JSON.parse(many.body));
  const areRight = records.length === 25 && records.every((record) => isRight(record) && record.code === CODE);
  must(areRight, 'a list has other records or fields', many.body);
  const created = await ask(create(1));
  must(created.status === 200 || created.status === 201, 'a record is not created', created.body);
  const foreign = await ask(read(foreignId));
  must(foreign.status >= 400, "another tenant's record is shown", foreign.body);
  const stranger = await ask(read(id).replace(token, `${token.slice(0, -4)}xxxx`));
  must(stranger.status >= 400, 'a wrong token is accepted', stranger.body);
}
