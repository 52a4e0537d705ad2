import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { SERVICES, type ServiceName } from '@crm/contracts';
import { waitUntil } from '@crm/testing';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Account, newWorkspace, operatorToken } from '../platform/accounts.js';
import { addresses, runState } from '../platform/addresses.js';
import {
  type DocumentedRoute,
  documentedRoutes,
  ENDS_ITS_CALLER,
  isOfOperators,
  nameOf,
  withParameters,
} from './routes.js';

// Limits count addresses: all of these are this machine, and each is someone else.
const FRESH = '127.0.0.71';
const EXHAUSTED = '127.0.0.72';
const AT_ONCE = 64;
const ANSWER_MS = 15_000;
/** 300 a minute are allowed, and come back while they are sent. */
const MOST_TO_EXHAUST = 5_000;

/** What a path may have in place of an id, a key or a name: NUL, half a character, bytes that are none, separators, long ones. */
const ODD_VALUES = [
  ...['%00', `${randomUUID()}%00`, '%ED%A0%80', '%C0%AF', '%ff', '%zz', '%2F', '%2e%2e', ';a=b', '%20', '%F0%9F%98%80'],
  ...['__proto__', 'x'.repeat(8192)],
];
/** Each in place of some parameters. */
const ODDER_VALUES = [
  ...['%', '%2', '%u0041', '..', '.', '%252e', '%5c', '%0d%0aX:1', '%7f', '%E2%80%AE', '%27%22%3C', '*', '-1', '1e999'],
  ...[Buffer.from('\u{1F600}').toString('latin1'), '\xff', 'constructor', '9'.repeat(400), 'x'.repeat(513)],
  ...['%C3%A4'.repeat(1365), `${randomUUID()}%EF%BB%BF`],
];
/** Addresses that send a part of the requests without a token each: more of one are refused by its limit. */
const OTHERS = Array.from({ length: 40 }, (_, index) => `127.0.2.${index + 1}`);

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

/** The status is 0 when the connection ended without an answer. */
interface Answer {
  readonly status: number;
  readonly isProblem: boolean;
}

const answerOf = (head: string): Answer => ({
  status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? 0),
  isProblem: /^content-type: application\/problem\+json/im.test(head),
});

function send({ url, method, path: target, token, body, from, isHalfClosed }: Attempt): Promise<Answer> {
  const { hostname, port } = new URL(url);
  const [headers, content] = BODIES[body];
  const authorization = token === undefined ? '' : `Authorization: Bearer ${token}\r\n`;
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), localAddress: from });
    const end = (head = '') => {
      clearTimeout(late);
      socket.destroy();
      resolve(answerOf(head));
    };
    const late = setTimeout(() => {
      socket.destroy();
      reject(new Error(`${method} ${target}, ${body}, ${isHalfClosed ? 'half-closed' : 'kept'}: no answer`));
    }, ANSWER_MS);
    socket.on('data', (chunk) => end(chunk.toString('latin1')));
    socket.on('error', () => end());
    socket.on('close', () => end());
    socket.write(
      `${method} ${target} HTTP/1.1\r\nHost: crm.test\r\n${authorization}${headers}\r\n${content}`,
      'latin1',
    );
    // Anyone who cuts a body off has nothing more to send.
    if (isHalfClosed || body === 'cut off') socket.end();
  });
}

async function sendAll(
  attempts: Iterable<Attempt>,
  look: (attempt: Attempt, answer: Answer) => void = () => undefined,
): Promise<Map<number, number>> {
  const queue = attempts[Symbol.iterator]();
  const statuses = new Map<number, number>();
  const worker = async () => {
    for (let next = queue.next(); !next.done; next = queue.next()) {
      const answer = await send(next.value);
      const { status } = answer;
      look(next.value, answer);
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

async function bytesOfBodiesUnderWay(): Promise<string[]> {
  const text = await (await fetch(`${addresses.services.gateway?.operationsUrl}/metrics`)).text();
  return text.split('\n').filter((line) => line.startsWith('gateway_body_bytes{') && !line.endsWith(' 0'));
}

describe('every route of every address', () => {
  let owner: Account;
  let operator: string;
  let before: Awaited<ReturnType<typeof pids>>;
  let since: ReadonlyMap<string, number>;
  beforeAll(async () => {
    [owner, operator] = [await newWorkspace(), await operatorToken()];
  });
  beforeEach(async () => {
    before = await pids();
    since = new Map(await Promise.all(SERVICES.map(async (name) => [name, (await logOf(name)).length] as const)));
  });
  afterEach(async () => {
    expect(await pids()).toEqual(before);
    await waitUntil(async () => (await held()) === 0);
    expect(await bytesOfBodiesUnderWay()).toEqual([]);
    expect(await warnings(since)).toEqual([]);
  });

  it('outlives odd requests from strangers and callers beyond their limits, and tells nobody', async () => {
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
  });

  it('refuses odd values of each parameter of its path by a problem, and tells nobody', async () => {
    // A principal has 3,000 calls a minute.
    const owners = [owner.token, ...(await Promise.all([newWorkspace(), newWorkspace()])).map(({ token }) => token)];
    const attempts = [...oddPaths(await servedRoutes(), owners, operator)];
    const wrong: string[] = [];
    const begun = performance.now();
    const statuses = await sendAll(attempts, ({ method, path: target }, { status, isProblem }) => {
      const isRight = status === 503 || (status > 0 && status < 500 && (status < 400 || isProblem));
      if (!isRight) wrong.push(`${method} ${target.slice(0, 200)}: ${status}${isProblem ? '' : ', no problem'}`);
    });
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    process.stderr.write(`${attempts.length} odd paths in ${seconds} s: ${JSON.stringify([...statuses].sort())}\n`);
    expect(wrong).toEqual([]);
    // They were looked at, and not turned away as too many.
    expect(statuses.get(429) ?? 0).toBeLessThan(attempts.length / 10);
  });
});

/** What every process says that it serves, pages too. */
async function servedRoutes() {
  type Served = Pick<DocumentedRoute, 'method' | 'path' | 'public'>;
  const routesOf = async (service: ServiceName): Promise<DocumentedRoute[]> => {
    const answer = await fetch(`${addresses.services[service]?.operationsUrl}/routes`);
    return ((await answer.json()) as Served[]).map((route) => ({ ...route, service }));
  };
  return (await Promise.all(SERVICES.map(routesOf))).flat();
}

/** Each odd value in place of each parameter; the others are ids. */
function* oddPaths(
  routes: readonly DocumentedRoute[],
  owners: readonly string[],
  operator: string,
): Generator<Attempt> {
  let [turn, place] = [0, 0];
  for (const route of routes) {
    const { method, path: template } = route;
    const body: Body = method === 'GET' || method === 'DELETE' ? 'absent' : 'an object';
    for (const odd of template.match(/:\w+/g) ?? []) {
      place += 1;
      for (const value of [...ODD_VALUES, ODDER_VALUES[place % ODDER_VALUES.length] as string]) {
        turn += 1;
        const token = isOfOperators(route) ? operator : owners[turn % owners.length];
        const target = template.replace(/:\w+/g, (name) => (name === odd ? value : randomUUID()));
        const from = OTHERS[turn % OTHERS.length] as string;
        yield { url: addressOf(route), method, path: target, token, body, from, isHalfClosed: false };
      }
    }
  }
}

const addressOf = (route: Pick<DocumentedRoute, 'service'>): string => {
  if (route.service === 'marketplace-admin') return addresses.adminUrl;
  return route.service === 'embed-gateway' ? addresses.embedApiUrl : addresses.baseUrl;
};

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
    const url = addressOf(route);
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
