import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { SERVICES } from '@crm/contracts';
import { waitUntil } from '@crm/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Account, newWorkspace, operatorToken } from '../platform/accounts.js';
import { addresses, runState } from '../platform/addresses.js';
import { documentedRoutes, ENDS_ITS_CALLER, isOfOperators, nameOf, withParameters } from './routes.js';

// Limits count addresses: all of these are this machine, and each is somebody else.
const FRESH = '127.0.0.71';
const EXHAUSTED = '127.0.0.72';
const AT_ONCE = 64;
const ANSWER_MS = 15_000;
/** 300 a minute are allowed, and come back while they are sent. */
const MOST_TO_EXHAUST = 5_000;

/** What follows the head of a request, and how it goes on. */
const BODIES = {
  absent: ['', ''],
  'an object': ['Content-Length: 2\r\nContent-Type: application/json\r\n', '{}'],
  malformed: ['Content-Length: 8\r\nContent-Type: application/json\r\n', '{"a":\u0000,,'],
  'too long': ['Content-Length: 2097152\r\nContent-Type: application/json\r\n', `"${'x'.repeat(100)}`],
  'cut off': ['Content-Length: 100\r\nContent-Type: application/json\r\n', '{"a":'],
  chunked: ['Transfer-Encoding: chunked\r\nContent-Type: application/json\r\n', '2\r\n{}\r\n0\r\n\r\n'],
  'chunks that are none': ['Transfer-Encoding: chunked\r\nContent-Type: application/json\r\n', 'zz\r\n{}\r\n'],
  slow: ['Content-Length: 5\r\nContent-Type: application/json\r\n', '{'],
  'of another type': ['Content-Length: 5\r\nContent-Type: text/plain\r\n', 'a=b&c'],
} as const;
type Body = keyof typeof BODIES;
/** Waited for, for seconds each. */
const SLOW = 'slow';
const BODY_NAMES = (Object.keys(BODIES) as Body[]).filter((name) => name !== SLOW);

interface Attempt {
  readonly url: string;
  readonly method: string;
  readonly path: string;
  readonly token: string | undefined;
  readonly body: Body;
  readonly from: string;
  readonly isHalfClosed: boolean;
}

/** @returns the status, or 0 when the connection ended without one */
function send({ url, method, path: target, token, body, from, isHalfClosed }: Attempt): Promise<number> {
  const { hostname, port } = new URL(url);
  const [headers, content] = BODIES[body];
  const authorization = token === undefined ? '' : `Authorization: Bearer ${token}\r\n`;
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), localAddress: from });
    const end = (status: number) => {
      clearTimeout(late);
      socket.destroy();
      resolve(status);
    };
    const late = setTimeout(() => {
      socket.destroy();
      reject(new Error(`${method} ${target}, ${body}, ${isHalfClosed ? 'half-closed' : 'kept'}: no answer`));
    }, ANSWER_MS);
    socket.on('data', (chunk) => end(Number(/^HTTP\/1\.1 (\d+)/.exec(chunk.toString('latin1'))?.[1] ?? 0)));
    socket.on('error', () => end(0));
    socket.on('close', () => end(0));
    socket.write(
      `${method} ${target} HTTP/1.1\r\nHost: crm.test\r\n${authorization}${headers}\r\n${content}`,
      'latin1',
    );
    // Whoever cuts a body off has nothing more to send.
    if (isHalfClosed || body === 'cut off') socket.end();
  });
}

async function sendAll(attempts: Iterable<Attempt>): Promise<Map<number, number>> {
  const queue = attempts[Symbol.iterator]();
  const statuses = new Map<number, number>();
  const worker = async () => {
    for (let next = queue.next(); !next.done; next = queue.next()) {
      const status = await send(next.value);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return statuses;
}

const pids = async () =>
  Object.fromEntries((await runState()).children.map(({ name, pid }) => [name, pid] as const).sort());

const logOf = (service: string) => readFile(path.join(addresses.dataDir, 'logs', `${service}.log`), 'utf8');

/** Lines at `warn` or above since a length. */
async function warnings(since: ReadonlyMap<string, number>): Promise<unknown[]> {
  const found = await Promise.all(
    SERVICES.map(async (service) => {
      const lines = (await logOf(service)).slice(since.get(service)).split('\n').filter(Boolean);
      // That a busy machine's database answers late is what /readyz is asked for.
      const expected = /"level":"(info|debug|trace)"|"logger":"Readiness"/;
      return lines.filter((line) => !expected.test(line)).map((line) => `${service}: ${line}`);
    }),
  );
  return found.flat();
}

/** Connections of ours that a server still holds, by /proc/net/tcp: addresses are in the byte order of the machine. */
async function held(): Promise<number> {
  const ours = [FRESH, EXHAUSTED].map((address) =>
    Buffer.from(address.split('.').map(Number)).readUInt32LE().toString(16),
  );
  const rows = (await readFile('/proc/net/tcp', 'utf8')).split('\n').map((row) => row.trim().split(/\s+/));
  const isOurs = (remote = '') => ours.some((address) => remote.toLowerCase().startsWith(address.padStart(8, '0')));
  // A server's end, unless it only waits for late segments.
  return rows.filter(([, , remote, state]) => isOurs(remote) && state !== '06').length;
}

async function takenRoom(): Promise<string[]> {
  const text = await (await fetch(`${addresses.services.gateway?.operationsUrl}/metrics`)).text();
  return text.split('\n').filter((line) => line.startsWith('gateway_body_bytes{') && !line.endsWith(' 0'));
}

describe('every route of every address', () => {
  let owner: Account;
  let operator: string;
  beforeAll(async () => {
    [owner, operator] = [await newWorkspace(), await operatorToken()];
  });

  it('outlives odd requests from strangers and callers beyond their limits, and tells nobody', async () => {
    const before = await pids();
    const since = new Map(await Promise.all(SERVICES.map(async (name) => [name, (await logOf(name)).length] as const)));
    const attempts = [
      ...attemptsAt(await documentedRoutes(), owner.token, operator),
      ...attemptsAtOperations(),
      ...slowAttempts(),
    ];
    const begun = performance.now();
    const exhausting = await exhaust();
    const statuses = await sendAll(attempts);
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    const all = exhausting + attempts.length;
    process.stderr.write(`${all} requests in ${seconds} s: ${JSON.stringify([...statuses].sort())}\n`);
    // 503: a queue of the service was full or its database late, as 64 at a time may cause.
    expect([...statuses.keys()].filter((status) => status >= 500 && status !== 503)).toEqual([]);
    expect(await pids()).toEqual(before);
    await waitUntil(async () => (await held()) === 0);
    expect(await takenRoom()).toEqual([]);
    expect(await warnings(since)).toEqual([]);
  });
});

/** Fails from one address until it is refused. @returns the number of requests */
async function exhaust(): Promise<number> {
  const target = '/api/auth/password-resets/complete';
  const common = { method: 'POST', path: target, token: undefined, isHalfClosed: false } as const;
  const attempt: Attempt = { ...common, url: addresses.baseUrl, body: 'an object', from: EXHAUSTED };
  for (let sent = AT_ONCE; sent < MOST_TO_EXHAUST; sent += AT_ONCE) {
    if ((await sendAll(Array<Attempt>(AT_ONCE).fill(attempt))).has(429)) return sent;
  }
  throw new Error('The limit of an address is never reached');
}

/** Each body at each route, with tokens, limits and sockets in turn; where there is no token, with all of them. */
function* attemptsAt(
  routes: Awaited<ReturnType<typeof documentedRoutes>>,
  userToken: string,
  operator: string,
): Generator<Attempt> {
  let turn = 0;
  for (const route of routes) {
    const url = isOfOperators(route)
      ? addresses.adminUrl
      : route.service === 'embed-gateway'
        ? addresses.embedApiUrl
        : addresses.baseUrl;
    const valid = ENDS_ITS_CALLER.has(nameOf(route)) ? undefined : isOfOperators(route) ? operator : userToken;
    const target = withParameters(route.path, () => randomUUID());
    for (const body of BODY_NAMES) {
      const tokens = [undefined, 'not.a.token', valid];
      const all = tokens.flatMap((token) =>
        [FRESH, EXHAUSTED].flatMap((from) => [true, false].map((isHalfClosed) => ({ token, from, isHalfClosed }))),
      );
      turn += 1;
      const chosen = route.public ? all : [all[turn % all.length] as (typeof all)[number]];
      for (const variant of chosen) yield { url, method: route.method, path: target, body, ...variant };
    }
  }
}

function* attemptsAtOperations(): Generator<Attempt> {
  for (const { operationsUrl } of Object.values(addresses.services)) {
    for (const target of ['/livez', '/readyz', '/metrics', '/routes', '/other']) {
      for (const body of BODY_NAMES) {
        for (const isHalfClosed of [true, false])
          yield { url: operationsUrl, method: 'POST', path: target, token: undefined, body, from: FRESH, isHalfClosed };
      }
    }
  }
}

function* slowAttempts(): Generator<Attempt> {
  for (const url of [addresses.baseUrl, addresses.adminUrl])
    yield {
      url,
      method: 'POST',
      path: '/api/auth/login',
      token: undefined,
      body: SLOW,
      from: FRESH,
      isHalfClosed: false,
    };
}
