// A page of 200 records with 2 formulas, beside one of the same bytes whose records store what the formulas give.
import { alternate, ratioOf } from '../alternation.mjs';
import { requestText } from '../load.mjs';
import { API_NAME, PLAIN_API_NAME } from './fill.mjs';

const CONNECTIONS = 4;
const ROUNDS = 9;
/** Formulas may add 15 % to a page. */
const AT_LEAST = 1 / 1.15;

/** Address of the records of a custom object. */
export const customRecords = (/** @type {string} */ apiName) => `/api/crm/custom/${apiName}/records`;

/** @param {Awaited<ReturnType<typeof import('./subjects.mjs').startSubjects>>} subjects */
export async function measureFormulas({ direct, token }) {
  const page = (/** @type {string} */ apiName) => {
    const path = `${customRecords(apiName)}?size=200&count=none`;
    const request = requestText('GET', path, `authorization: Bearer ${token}\r\n`);
    return { subject: direct, next: () => request };
  };
  const plan = { connections: CONNECTIONS, rounds: ROUNDS, roundMs: 1000, warmUpMs: 2000 };
  const [plain, computed] = await alternate([page(PLAIN_API_NAME), page(API_NAME)], plan);
  if (!plain || !computed) throw new Error('Nothing was measured');
  return [
    {
      name: 'page of 200 with 2 formulas, beside stored values: service, direct',
      unit: '/s',
      ours: computed.rate,
      baseline: plain.rate,
      ratio: ratioOf(computed, plain),
      atLeast: AT_LEAST,
    },
  ];
}
