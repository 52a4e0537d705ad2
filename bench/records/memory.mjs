// What the processes hold after many requests.
import { requestText, sendLoad } from '../load.mjs';
import { residentBytes } from '../resident-memory.mjs';
import { API_NAME, newRecord } from './fill.mjs';
import { customRecords } from './formulas.mjs';

const REQUESTS = 200_000;
const CONNECTIONS = 32;
const SLICE_MS = 2000;
/** Most of what a process may hold at the end, as a multiple of what it holds after the first quarter. */
const AT_MOST = 1.1;
const BYTES_PER_MEGABYTE = 2 ** 20;

/** @param {Awaited<ReturnType<typeof import('./subjects.mjs').startSubjects>>} subjects */
export async function measureMemory({ gateway, token, data: { ids, codes } }) {
  const headers = `authorization: Bearer ${token}\r\n`;
  const base = customRecords(API_NAME);
  let turn = 0;
  // Of ten requests one is a list, one a creation and one a change.
  const next = () => {
    turn += 1;
    const id = ids[turn % ids.length];
    if (turn % 10 === 0) return requestText('POST', base, headers, newRecord(turn));
    if (turn % 10 === 1) return requestText('PATCH', `${base}/${id}`, headers, { text_2: `Changed ${turn}` });
    if (turn % 10 !== 2) return requestText('GET', `${base}/${id}`, headers);
    return requestText('GET', `${base}?filterField=code&filterValue=${codes[turn % codes.length]}`, headers);
  };
  const nodes = gateway.processes.filter((one) => !('withChildren' in one));
  const untilSent = async (/** @type {number} */ sent) => {
    while (turn < sent) {
      await sendLoad({ port: gateway.port, next, connections: CONNECTIONS, milliseconds: SLICE_MS });
    }
    return Promise.all(nodes.map(({ pid }) => residentBytes(pid)));
  };
  const early = await untilSent(REQUESTS / 4);
  const late = await untilSent(REQUESTS);
  return nodes.map(({ name }, index) => {
    const [before, after] = [Number(early[index]), Number(late[index])];
    return {
      name: `memory after ${turn} requests, beside that after ${REQUESTS / 4}: ${name}`,
      unit: 'MB',
      ours: after / BYTES_PER_MEGABYTE,
      baseline: before / BYTES_PER_MEGABYTE,
      ratio: after / before,
      atMost: AT_MOST,
    };
  });
}
