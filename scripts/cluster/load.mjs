import { setTimeout as delay } from 'node:timers/promises';
import { client } from '../demo/client.mjs';
import { columns } from '../platform/addresses.mjs';

const PASSWORD = 'correct-horse-battery-staple';
/** Each has a limit of its own at the gateway, 50 requests a second. */
const PEOPLE = ['admin@globex.test', 'member@globex.test', 'admin@initech.test'];
/** Requests a second of each person, spread evenly. */
const PER_SECOND = 20;
/** Whoever gets no answer within so many milliseconds gives up. */
const GIVES_UP_MS = 20_000;
/** So many different failures of a phase are shown. */
const SHOWN = 5;

const LEADS = '/api/crm/leads';

/** What the requests of a phase came to; the gap: longest time without a successful write.
 * @typedef {{ name: string, requests: number, failures: string[], slowestMs: number, longestGapMs: number }} Phase */

/** People who create, read and change leads at a steady rate. Nothing is tried again, so that each failure is seen.
 * @param {string} baseUrl of the gateway */
export async function signInPeople(baseUrl) {
  /** Access tokens by person, valid for 15 minutes. @type {Record<string, string>} */
  const tokens = {};
  for (const email of PEOPLE) {
    const order = { body: { email, password: PASSWORD }, expect: 200 };
    tokens[email] = (await client(baseUrl)('POST', '/api/auth/login', order)).body.accessToken;
  }
  /** Ids of leads whose creation was answered with 201. @type {string[]} */
  const accepted = [];
  /** @type {Set<Promise<void>>} */
  const underWay = new Set();
  /** @type {Promise<void>[]} */
  let people = [];
  let isStopped = false;
  let phase = emptyPhase('');
  let wroteAt = 0;

  /** Resolves with the answer's body; with undefined when it failed, which is noted.
   * @type {(person: string, method: string, path: string, expected: number, body?: object) => Promise<any>} */
  const send = async (person, method, path, expected, body) => {
    const counted = phase;
    const began = performance.now();
    counted.requests += 1;
    const { status, text } = await fetch(new URL(path, baseUrl), {
      method,
      headers: { authorization: `Bearer ${tokens[person]}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(GIVES_UP_MS),
    })
      .then(async (response) => ({ status: response.status, text: await response.text() }))
      .catch(({ cause, message }) => ({ status: 0, text: cause?.code ?? message }));
    const now = performance.now();
    counted.slowestMs = Math.max(counted.slowestMs, now - began);
    if (status !== expected) {
      const code = /"code":"([A-Z_]+)"/.exec(text)?.[1] ?? text.slice(0, 200);
      counted.failures.push(`${method} ${status || 'no answer'} ${code}`);
      return undefined;
    }
    if (method !== 'GET') {
      counted.longestGapMs = Math.max(counted.longestGapMs, now - wroteAt);
      wroteAt = now;
    }
    return JSON.parse(text);
  };

  /** Half of the requests read, a quarter each creates and changes. @param {string} person @param {number} turn @param {string[]} own */
  async function request(person, turn, own) {
    const id = own.length > 0 ? own[(turn * 7) % own.length] : undefined;
    if (turn % 4 === 0 || id === undefined) {
      const lead = await send(person, 'POST', LEADS, 201, { lastName: `Lead ${turn} of ${person}` });
      if (lead) own.push(lead.id);
      if (lead) accepted.push(lead.id);
    } else if (turn % 4 === 2) await send(person, 'PATCH', `${LEADS}/${id}`, 200, { firstName: `Turn ${turn}` });
    else await send(person, 'GET', turn % 4 === 1 ? `${LEADS}/${id}` : `${LEADS}?size=10`, 200);
  }

  /** @param {string} person */
  async function live(person) {
    /** @type {string[]} */
    const own = [];
    for (let turn = 0; !isStopped; turn += 1) {
      const next = performance.now() + 1000 / PER_SECOND;
      const one = request(person, turn, own).finally(() => underWay.delete(one));
      underWay.add(one);
      await delay(Math.max(0, next - performance.now()));
    }
  }

  return {
    accepted,
    /** Tokens of one of every tenant. */
    administrators: PEOPLE.filter((person) => person.startsWith('admin@')).map((person) => tokens[person] ?? ''),
    start() {
      people = PEOPLE.map(live);
    },
    async stop() {
      isStopped = true;
      await Promise.all(people);
      await Promise.all(underWay);
    },

    /** Does something, and says what the requests meanwhile came to. @param {string} name @param {() => Promise<unknown>} work */
    async during(name, work) {
      const counted = emptyPhase(name);
      phase = counted;
      wroteAt = performance.now();
      await work();
      // A request that began meanwhile belongs to it.
      await Promise.all(underWay);
      counted.longestGapMs = Math.max(counted.longestGapMs, performance.now() - wroteAt);
      return counted;
    },
  };
}

/** @param {string} name @returns {Phase} */
const emptyPhase = (name) => ({ name, requests: 0, failures: [], slowestMs: 0, longestGapMs: 0 });

/** @param {readonly Phase[]} phases @returns {string} a table, and the most frequent failures of each */
export function reportOf(phases) {
  const seconds = (/** @type {number} */ ms) => `${(ms / 1000).toFixed(2)} s`;
  const rows = phases.map(({ name, requests, failures, slowestMs, longestGapMs }) => [
    ...[name, String(requests), String(failures.length)],
    ...[seconds(slowestMs), seconds(longestGapMs)],
  ]);
  const failed = phases.flatMap(({ name, failures }) => {
    const counts = [...new Set(failures)].map((one) => ({
      one,
      count: failures.filter((other) => other === one).length,
    }));
    const most = counts.sort((left, right) => right.count - left.count).slice(0, SHOWN);
    return most.map(({ one, count }) => `  ${name}: ${count} × ${one}`);
  });
  return [...columns([['While', 'requests', 'failed', 'slowest', 'longest without a write'], ...rows]), ...failed].join(
    '\n',
  );
}
