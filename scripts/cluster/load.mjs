import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { client, eventually } from '../demo/client.mjs';
import { startDemoReceiver } from '../demo/receiver.mjs';
import { columns } from '../platform/addresses.mjs';
import { builtFile } from '../root.mjs';

/** @typedef {import('../platform/addresses.mjs').Addresses} Addresses */

const PASSWORD = 'correct-horse-battery-staple';
/** Each has a limit of its own at the gateway, 50 requests a second. */
const PEOPLE = ['admin@globex.test', 'member@globex.test', 'admin@initech.test'];
/** Requests a second of each person, spread evenly. */
const PER_SECOND = 20;
/** Anyone who gets no answer within so many milliseconds gives up. */
const GIVES_UP_MS = 20_000;
/** So many different failures of a phase are shown. */
const SHOWN = 5;

/** A failed attempt comes again after five seconds, then after five minutes; a claim of a dead process after 30 s. */
const ARRIVE_MS = 420_000;

const LEADS = '/api/crm/leads';

/** What the requests of a phase came to; the gap: longest time without a successful write.
 * @typedef {{ name: string, requests: number, failures: string[], slowestMs: number, longestGapMs: number }} Phase */

/** People who create, read and change leads at a steady rate. Nothing is tried again, so that each failure is seen.
 * @param {string} baseUrl of the gateway */
export async function signInPeople(baseUrl) {
  const call = client(baseUrl);
  /** Access tokens by person, valid for 15 minutes. @type {Record<string, string>} */
  const tokens = {};
  for (const email of PEOPLE) {
    const order = { body: { email, password: PASSWORD }, expect: 200 };
    tokens[email] = (await call('POST', '/api/auth/login', order)).body.accessToken;
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
    const signal = AbortSignal.timeout(GIVES_UP_MS);
    const answer = await call(method, path, { token: tokens[person], body, signal }).catch(({ cause, message }) => {
      return { status: 0, body: { code: cause?.code ?? message } };
    });
    const now = performance.now();
    counted.slowestMs = Math.max(counted.slowestMs, now - began);
    if (answer.status !== expected) {
      const code = answer.body?.code ?? String(answer.body).slice(0, 200);
      counted.failures.push(`${method} ${answer.status || 'no answer'} ${code}`);
      return undefined;
    }
    if (method !== 'GET') {
      counted.longestGapMs = Math.max(counted.longestGapMs, now - wroteAt);
      wroteAt = now;
    }
    return answer.body;
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
      const counted = phase;
      counted.name = name;
      wroteAt = performance.now();
      await work();
      // A request that began meanwhile belongs to it, and ends before anything else is done; those that begin now belong to that.
      phase = emptyPhase('');
      await Promise.all(underWay);
      counted.longestGapMs = Math.max(counted.longestGapMs, performance.now() - wroteAt);
      return counted;
    },
  };
}

/** @param {string} name @returns {Phase} */
const emptyPhase = (name) => ({ name, requests: 0, failures: [], slowestMs: 0, longestGapMs: 0 });

/** @param {readonly string[]} failures */
function mostFrequent(failures) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const one of failures) counts.set(one, (counts.get(one) ?? 0) + 1);
  return [...counts].sort((left, right) => right[1] - left[1]).slice(0, SHOWN);
}

/** @param {readonly Phase[]} phases @returns {string} a table, and failures of each */
export function reportOf(phases) {
  const seconds = (/** @type {number} */ ms) => `${(ms / 1000).toFixed(2)} s`;
  const rows = phases.map(({ name, requests, failures, slowestMs, longestGapMs }) => [
    ...[name, String(requests), String(failures.length)],
    ...[seconds(slowestMs), seconds(longestGapMs)],
  ]);
  const failed = phases.flatMap(({ name, failures }) =>
    mostFrequent(failures).map(([one, count]) => `  ${name}: ${count} × ${one}`),
  );
  return [...columns([['While', 'requests', 'failed', 'slowest', 'longest without a write'], ...rows]), ...failed].join(
    '\n',
  );
}

/** Subscribes a receiver to the leads of tenants. @param {Addresses} addresses @param {readonly string[]} tokens of administrators */
export async function receiveLeads({ baseUrl, demoReceiver }, tokens) {
  const receiver = await startDemoReceiver(demoReceiver);
  for (const token of tokens) {
    const body = { events: ['lead.created'], url: `${demoReceiver.url}/leads` };
    await client(baseUrl)('POST', '/api/webhooks/subscriptions', { token, body, expect: 201 });
  }
  return receiver;
}

/** Resolves when each of these leads has arrived: with how many have, and how many requests there were.
 * @param {Awaited<ReturnType<typeof receiveLeads>>} receiver @param {readonly string[]} leads */
export async function untilArrived({ received }, leads) {
  let looked = 0;
  const waiting = new Set(leads);
  const haveArrived = async () => {
    for (const { body } of received.slice(looked)) waiting.delete(JSON.parse(body).data.id);
    looked = received.length;
    return waiting.size === 0;
  };
  try {
    await eventually(haveArrived, 'the arrival of every lead that was accepted', ARRIVE_MS);
  } catch (error) {
    const some = [...waiting].slice(0, 5).join(', ');
    throw new Error(`${waiting.size} of ${leads.length} leads have not arrived, of them ${some}`, { cause: error });
  }
  return { events: new Set(received.map(({ id }) => id)).size, requests: received.length };
}

/** How many of these leads PostgreSQL does not have. @param {Addresses} addresses @param {readonly string[]} ids */
export async function countLost({ databaseUrl }, ids) {
  /** @type {typeof import('../../libs/contracts/src/databases.js')} */
  const { DATABASES } = await import(builtFile('libs/contracts', 'databases.js'));
  const url = new URL(databaseUrl);
  url.pathname = DATABASES['custom-objects'].database;
  const database = new pg.Client({ connectionString: url.href });
  await database.connect();
  try {
    const sql = 'SELECT count(DISTINCT id)::int AS present FROM custom_record WHERE id = ANY($1)';
    const { rows } = await database.query(sql, [ids]);
    return new Set(ids).size - rows[0].present;
  } finally {
    await database.end();
  }
}
