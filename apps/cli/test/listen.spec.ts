import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Workspace } from './command.js';
import { type Answered, TestServer } from './server.js';

const workspace = new Workspace();
const platform = new TestServer(() => undefined);
const local = new TestServer(() => ({ status: 200 }));

beforeAll(() => Promise.all([platform.start(), local.start()]));
afterEach(() => {
  platform.received.length = 0;
  local.received.length = 0;
  local.respond = () => ({ status: 200 });
});
afterAll(async () => {
  workspace.remove();
  await Promise.all([platform.close(), local.close()]);
});

const delivery = (number: number, event = 'lead.created') => ({
  id: `d${number}`,
  event,
  eventId: `e${number}`,
  subscriptionId: 's',
  url: 'https://acme.example/hook',
  headers: {
    'content-type': 'application/json',
    'webhook-id': `e${number}`,
    'webhook-signature': 'v1,x',
    'user-agent': 'crm-platform-webhooks/1',
  },
  body: `{"id":"e${number}", "spaces":  "stay", "ü":1}`,
});
const page = (cursor: string, ...data: object[]): Answered => ({ status: 200, body: { data, cursor } });
/** Answers in turn, and then keeps the last call waiting. */
const answers = (...script: (Answered | 'reset')[]) => {
  platform.respond = () => script.shift();
};
const calls = () => platform.received.map(({ path: called }) => called);

/** Listens until so many lines are written, and is interrupted. */
const listen = (lines: { out?: number; err?: number }, ...args: string[]) => listenWith({}, lines, ...args);
function listenWith(config: object, { out = 0, err = 0 }: { out?: number; err?: number }, ...args: string[]) {
  const interrupted = new AbortController();
  return workspace.run(['listen', 'acme', ...args], {
    config: { baseUrl: platform.url, token: 'secret', ...config },
    interruption: interrupted.signal,
    onOutput: (written) => {
      const count = (text: string) => text.split('\n').length - 1;
      if (count(written.out) >= out && count(written.err) >= err) interrupted.abort();
    },
  });
}

describe('crm-dev listen', () => {
  it('prints deliveries from now on, page after page', async () => {
    answers(page('c1'), page('c2', delivery(1), delivery(2, 'deal.won')), page('c3', delivery(3)));
    const { status, out, err } = await listen({ out: 3 });
    expect({ status, out, err }).toEqual({
      status: 0,
      out: [
        'lead.created e1 for https://acme.example/hook\n',
        'deal.won e2 for https://acme.example/hook\n',
        'lead.created e3 for https://acme.example/hook\n',
      ].join(''),
      err: 'Listening to the sandboxes of acme. Ctrl-C ends it.\nStopped.\n',
    });
    const route = '/api/marketplace/developer/apps/acme/listen';
    expect(calls()).toEqual([route, `${route}?cursor=c1`, `${route}?cursor=c2`]);
    expect(platform.received.map(({ headers }) => headers.authorization)).toEqual(Array(3).fill('Bearer secret'));
  });

  it('forwards each with its headers and its body, in order, and prints the answer', async () => {
    const statuses = [204, 500];
    local.respond = () => ({ status: statuses.shift() ?? 200 });
    answers(page('c1'), page('c2', delivery(1), delivery(2)));
    const { out, err } = await listen({ out: 2 }, '--forward', `${local.url}/hooks?a=b`);
    expect(out.replaceAll(/\d+ ms/g, 'N ms')).toBe('lead.created e1 → 204 (N ms)\nlead.created e2 → 500 (N ms)\n');
    expect(err).toContain(`and forwarding to ${local.url}/hooks?a=b.`);
    expect(local.received).toEqual(
      [delivery(1), delivery(2)].map(({ headers, body }) => ({
        method: 'POST',
        path: '/hooks?a=b',
        body,
        headers: {
          ...headers,
          host: new URL(local.url).host,
          connection: 'close',
          'content-length': String(Buffer.byteLength(body)),
        },
      })),
    );
  });

  it('says why nothing could be forwarded, and goes on', async () => {
    answers(page('c1'), page('c2', delivery(1)), page('c3', delivery(2)));
    const { status, out } = await listen({ out: 2 }, '--forward', 'http://127.0.0.1:9/');
    expect(status).toBe(0);
    expect(out).toMatch(/^(?:lead\.created e[12] → failed: ECONNREFUSED \(\d+ ms\)\n){2}$/);
  });

  it('asks for some events only, and prints whole deliveries as JSON', async () => {
    answers(page('c1'), page('c2', delivery(1)));
    const { out } = await listen({ out: 1 }, '--events', 'lead.*,deal.won', '--events', 'task.*', '--json');
    expect(JSON.parse(out)).toEqual(delivery(1));
    expect(calls()[0]).toBe('/api/marketplace/developer/apps/acme/listen?events=lead.*&events=deal.won&events=task.*');
    answers(page('c1'), page('c2', delivery(2)));
    const forwarded = await listen({ out: 1 }, '--json', '--forward', local.url);
    expect(JSON.parse(forwarded.out)).toEqual({
      ...delivery(2),
      forwarded: { status: 200, ms: expect.any(Number) },
    });
  });

  it('goes on with its cursor after an interruption, and says so once', async () => {
    answers(
      page('c1', delivery(1)),
      'reset',
      { status: 503, headers: { 'retry-after': '1' } },
      page('c2', delivery(2)),
    );
    const { status, out, err } = await listen({ out: 2 });
    expect([status, out.match(/e\d/g)]).toEqual([0, ['e1', 'e2']]);
    expect(err.split('\n').slice(1)).toEqual([
      expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+ cannot be reached: .+\. Trying again; nothing is missed\.$/),
      'Connected again.',
      'Stopped.',
      '',
    ]);
    expect(calls().map((called) => new URLSearchParams(called.split('?')[1]).get('cursor'))).toEqual([
      null,
      'c1',
      'c1',
      'c1',
      ...(calls().length > 4 ? ['c2'] : []),
    ]);
  });

  it('renews its access token with a refresh token, of which each is used once', async () => {
    const expired: Answered = { status: 401, body: { title: 'The access token has expired' } };
    const script: (Answered | undefined)[] = [
      page('c1'),
      expired,
      page('c2', delivery(1)),
      expired,
      page('c3', delivery(2)),
    ];
    let renewed = 0;
    platform.respond = ({ path: called, body }) => {
      if (called !== '/api/auth/refresh') return script.shift();
      expect(JSON.parse(body)).toEqual({ refreshToken: `r${renewed}` });
      renewed += 1;
      return { status: 200, body: { accessToken: `a${renewed}`, refreshToken: `r${renewed}` } };
    };
    const { status, out } = await listenWith({ token: undefined, refreshToken: 'r0' }, { out: 2 });
    expect([status, out.match(/e\d/g), renewed]).toEqual([0, ['e1', 'e2'], 3]);
    const tokens = platform.received
      .filter(({ method }) => method === 'GET')
      .map(({ headers }) => headers.authorization);
    expect(tokens.slice(0, 5)).toEqual(['a1', 'a1', 'a2', 'a2', 'a3'].map((token) => `Bearer ${token}`));
  });

  it.each<[string, Answered, RegExp]>([
    ['a refusal', { status: 409, body: { detail: 'acme has no sandbox' } }, /refused: 409 acme has no sandbox\n$/],
    ['an expired token', { status: 401, body: { title: 'Expired' } }, /Sign in again and use the new token\.\n$/],
    ['a platform that is away', { status: 503, body: { title: 'Away' } }, /refused: 503 Away\n$/],
    [
      'something else',
      { status: 200, body: { data: [{ id: 1 }], cursor: 'c' } },
      /did not answer with deliveries\.\n$/,
    ],
  ])('ends with status 2 when it begins with %s', async (_what, answer, message) => {
    answers(answer);
    expect(await listen({ err: 9 })).toMatchObject({ status: 2, out: '', err: expect.stringMatching(message) });
  });

  it('ends with status 2 when the platform refuses to go on, or nothing listens at the address', async () => {
    answers(page('c1'), { status: 404, body: { title: 'Gone' } });
    expect(await listen({ err: 9 })).toMatchObject({ status: 2, err: expect.stringMatching(/refused: 404 Gone\n$/) });
    const away = await listen({ err: 9 }, '--base-url', 'http://127.0.0.1:9');
    expect(away).toMatchObject({ status: 2, err: expect.stringContaining('cannot be reached: ') });
  });

  it('shows control characters of a delivery escaped', async () => {
    answers(page('c1'), page('c2', { ...delivery(1), event: 'lead\u001b[2J', url: 'https://a/\u202e' }));
    const { out } = await listen({ out: 1 });
    expect(out).toBe('lead\\u001b[2J e1 for https://a/\\u202e\n');
  });

  it('ends at Ctrl-C while it waits, with status 0', async () => {
    answers(page('c1'));
    const program = path.join(import.meta.dirname, '../bin/crm-dev.mjs');
    const child = spawn(process.execPath, [program, 'listen', 'acme'], {
      env: { ...process.env, NODE_OPTIONS: '', CRM_BASE_URL: platform.url, CRM_TOKEN: 'secret' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let err = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
      if (text.includes('Ctrl-C')) child.kill('SIGINT');
    });
    const [status] = await once(child, 'close');
    expect([status, err]).toEqual([0, 'Listening to the sandboxes of acme. Ctrl-C ends it.\nStopped.\n']);
  });
});
