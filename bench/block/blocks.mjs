// The longest block of the event loop that calls cause, each sent by itself to a service that otherwise rests.
import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '@crm/database';
import { get } from '../../scripts/processes/readiness.mjs';
import { freePorts } from '../../scripts/servers/free-port.mjs';
import { inRounds, median, setting } from '../measure.mjs';

/** @typedef {import('../lab.mjs').Lab} Lab */
/** status: of the answer, any success by default; act: instead of a call to the service.
 * @typedef {{ method?: string, path?: string, body?: unknown, status?: number, headers?: Record<string, string>, act?: () => Promise<unknown> }} Call */
/** What gives the call of a round, by what it shows. @typedef {Readonly<Record<string, (round: number) => Call>>} Calls */
/** @typedef {{ name: string, url: string, probePort: number }} Watched */

const ROUNDS = setting('ROUNDS', 5, 1);
/** Milliseconds of the thread's processor between two turns of the loop. */
const LONGEST_MS = 20;
/** After an answer, for what the service does without anybody waiting. */
const SETTLE_MS = 100;
const MEASURED = new RegExp(process.env.BENCH_CALLS ?? '');

/** A service of the platform that tells its blocks. @param {Lab} lab @param {string} name @param {NodeJS.ProcessEnv} [environment] @returns {Promise<Watched>} */
export async function watched(lab, name, environment) {
  const [probePort = 0] = await freePorts(1);
  const NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --import=${new URL('probe.mjs', import.meta.url).href}`;
  const probe = { NODE_OPTIONS, BENCH_PROBE_PORT: String(probePort) };
  return { ...(await lab.service(name, { ...environment, ...probe })), probePort };
}

/** What calls a service as an administrator of a workspace; gives what it answers.
 * @param {Lab} lab @param {string} [tenantId] @param {() => string} [token] */
export function caller(lab, tenantId, token) {
  const sub = newId();
  /** @param {{ url: string }} service @param {Call} call @returns {Promise<any>} */
  return async ({ url }, { method = 'GET', path = '', body, status, headers: more, act }) => {
    if (act) return act();
    const bearer = token?.() ?? lab.sign(tenantId, { sub });
    const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json', ...more };
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const response = await fetch(`${url}${path}`, { method, headers, body: text });
    const answer = await response.text();
    if (status === undefined ? response.ok : response.status === status)
      return answer.startsWith('{') ? JSON.parse(answer) : answer;
    throw new Error(
      `${method} ${path.slice(0, 200)} answered ${response.status} to ${text?.length ?? 0} characters: ${answer.slice(0, 1000)}`,
    );
  };
}

/** Returns the median of five rounds of each call, after one in which all that is kept is made.
 * @param {Watched} service @param {ReturnType<typeof caller>} send @param {Calls} calls */
export async function blockRows(service, send, calls) {
  const rows = [];
  for (const [what, next] of Object.entries(calls)) {
    const name = `${service.name}: ${what}`;
    if (!MEASURED.test(name)) continue;
    let round = 0;
    const blocks = await inRounds(ROUNDS + 1, async () => {
      const call = next(round++);
      await longestBlock(service);
      await send(service, call);
      await delay(SETTLE_MS);
      return longestBlock(service);
    });
    const ours = median(blocks.slice(1));
    process.stderr.write(`${name}: ${ours.toFixed(1)} ms, the first ${Number(blocks[0]).toFixed(1)} ms\n`);
    rows.push({ name, unit: 'ms', ours, atMost: LONGEST_MS });
  }
  return rows;
}

/** Milliseconds, since the last question. @param {Watched} service */
const longestBlock = async ({ probePort }) => Number((await get(`http://127.0.0.1:${probePort}/`)).body) / 1000;
