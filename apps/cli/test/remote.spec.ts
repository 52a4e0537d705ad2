import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { certify } from '@crm/manifest';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { USERS_NODE } from '../../../scripts/setup/node.mjs';
import { examplePath, lastLine, Workspace } from './command.js';
import { type Answered, type Received, TestServer } from './server.js';

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

const app = examplePath('industry-app');

/** The platform's answer: the key belongs to another publisher. */
async function certification({ body }: Received): Promise<Answered> {
  const { manifest, reviewPacket } = JSON.parse(body);
  const probes = { keyOwnership: async () => 'other' as const };
  return { status: 200, body: await certify(manifest, { mode: 'certification', reviewPacket, probes }) };
}

const ROUTE = '/crm/api/marketplace/developer/certifications';
const remotely = (...args: string[]) =>
  workspace.run(['certify', app, '--remote', ...args], { config: { baseUrl: `${platform.url}/crm`, token: 'secret' } });

describe('crm-dev certify --remote', () => {
  it('sends package and packet with the token, and shows where the findings are', async () => {
    platform.respond = certification;
    const { status, out } = await remotely('--review', examplePath('industry-app', 'review-packet.json'));
    expect(status).toBe(1);
    expect(out).toContain('app.json:4:10 blocker MAN-002 The key "acme-site-visits" belongs to another publisher.');
    expect(lastLine(out)).toMatch(/^FAIL acme-site-visits@1\.0\.0 /);
    expect(platform.received).toMatchObject([{ path: ROUTE, headers: { authorization: 'Bearer secret' } }]);
    expect(JSON.parse(platform.received[0]?.body ?? '')).toMatchObject({
      manifest: { key: 'acme-site-visits' },
      reviewPacket: { demoVideo: expect.any(String) },
    });
  });

  it('prefers the options of the command line to the environment', async () => {
    platform.respond = certification;
    await remotely('--token', 'other', '--base-url', `${platform.url}/crm/`);
    expect(platform.received[0]).toMatchObject({ path: ROUTE, headers: { authorization: 'Bearer other' } });
  });

  it('does not send a text that is not JSON', async () => {
    const file = workspace.write('bad.json', '{');
    const config = { baseUrl: platform.url, token: 'a' };
    const { status, out } = await workspace.run(['certify', file, '--remote'], { config });
    expect({ status, sent: platform.received.length }).toEqual({ status: 1, sent: 0 });
    const verdict = 'FAIL unknown@unknown (blockers: MAN-001; warnings: 0; advice: 0; suite 1.5.0)';
    expect(out).toContain(`\n0 checks passed, 1 failed, 30 skipped\n${verdict}\n`);
  });

  it.each<[string, number, unknown, RegExp]>([
    ['a refusal', 403, { title: 'Forbidden', detail: 'Developers only.' }, /returned 403: Developers only\.\n$/],
    ['an expired token', 401, { title: 'No' }, /returned 401: No\. Sign in again and use the new token\.\n$/],
    ['a redirect', 302, '', /returned 302\.\n$/],
    ['a page', 502, '<html>', /returned 502\.\n$/],
    [
      'an answer that is not a certification',
      200,
      { passed: true },
      /returned an unexpected response \(expected a certification\)\.\n$/,
    ],
    ['an empty answer', 200, null, /returned an unexpected response \(expected a certification\)\.\n$/],
  ])('ends with status 2 after %s', async (_what, status, body, message) => {
    platform.respond = () => ({ status, body, headers: { location: '/elsewhere' } });
    expect(await remotely()).toMatchObject({ status: 2, out: '', err: expect.stringMatching(message) });
  });

  it('ends with status 2 when nothing listens at the address', async () => {
    const err = expect.stringMatching(/^Can't reach http:\/\/127\.0\.0\.1:9: .+\.\n$/);
    expect(await remotely('--base-url', 'http://127.0.0.1:9')).toMatchObject({ status: 2, err });
  });
});

const trigger = (...args: string[]) =>
  workspace.run(['trigger', 'lead.created', 'acme', ...args], { config: { baseUrl: platform.url, token: 'secret' } });
const sent = (...deliveries: object[]): Answered => ({
  status: 200,
  body: { event: 'lead.created', eventId: 'e1', deliveries },
});
const accepted = { url: 'https://acme.example/a', status: 'delivered', httpStatus: 202, latencyMs: 12 };
const error = { code: 'http_5xx', message: 'The endpoint returned 503' };
const failed = { url: 'https://acme.example/b', status: 'failed', httpStatus: 503, latencyMs: 34, error };

describe('crm-dev trigger', () => {
  it('has a sample event sent, and prints what the endpoint answered', async () => {
    platform.respond = () => sent(accepted);
    const out = 'lead.created e1 → https://acme.example/a 202 (12 ms)\n';
    expect(await trigger()).toEqual({ status: 0, out, err: '' });
    expect(platform.received.at(-1)).toMatchObject({
      method: 'POST',
      path: '/api/marketplace/developer/apps/acme/trigger',
      headers: { authorization: 'Bearer secret', 'content-type': 'application/json' },
      body: '{"event":"lead.created"}',
    });
  });

  it('ends with status 1 when an endpoint did not accept it', async () => {
    platform.respond = () => sent(accepted, failed, { url: 'https://acme.example/c', status: 'pending' });
    const { status, out } = await trigger();
    expect(status).toBe(1);
    expect(out.split('\n').slice(1)).toEqual([
      'lead.created e1 → https://acme.example/b failed: http_5xx, The endpoint returned 503 (34 ms)',
      'lead.created e1 → https://acme.example/c pending',
      '',
    ]);
  });

  it('prints the answer as JSON', async () => {
    const answer = sent(failed);
    platform.respond = () => answer;
    const { status, out } = await trigger('--json');
    expect([status, JSON.parse(out)]).toEqual([1, answer.body]);
  });

  it.each<[string, Answered, RegExp]>([
    ['a refusal', { status: 409, body: { detail: 'No webhook names it' } }, /returned 409: No webhook names it\.\n$/],
    [
      'an unexpected answer',
      { status: 200, body: { deliveries: 1 } },
      /returned an unexpected response \(expected deliveries\)\.\n$/,
    ],
  ])('ends with status 2 after %s', async (_what, given, message) => {
    platform.respond = () => given;
    expect(await trigger()).toMatchObject({ status: 2, out: '', err: expect.stringMatching(message) });
  });
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
    const line = (event: string) => `${event} for https://acme.example/hook\n`;
    expect(await listen({ out: 3 })).toEqual({
      status: 0,
      out: ['lead.created e1', 'deal.won e2', 'lead.created e3'].map(line).join(''),
      err: 'Listening for acme sandbox deliveries. Press Ctrl-C to stop.\nStopped.\n',
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
    const { host } = new URL(local.url);
    const forwarded = ({ headers, body }: ReturnType<typeof delivery>) => {
      const sent = { host, connection: 'close', 'content-length': String(Buffer.byteLength(body)) };
      return { method: 'POST', path: '/hooks?a=b', body, headers: { ...headers, ...sent } };
    };
    expect(local.received).toEqual([delivery(1), delivery(2)].map(forwarded));
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
    const second = await listen({ out: 1 }, '--json', '--forward', local.url);
    const forwarded = { status: 200, ms: expect.any(Number) };
    expect(JSON.parse(second.out)).toEqual({ ...delivery(2), forwarded });
  });

  it('goes on with its cursor after an interruption, and says so once', async () => {
    const away = { status: 503, headers: { 'retry-after': '1' } };
    answers(page('c1', delivery(1)), 'reset', away, page('c2', delivery(2)));
    const { status, out, err } = await listen({ out: 2 });
    expect([status, out.match(/e\d/g)]).toEqual([0, ['e1', 'e2']]);
    expect(err.split('\n').slice(1)).toEqual([
      expect.stringMatching(/^Can't reach http:\/\/127\.0\.0\.1:\d+: .+\. Reconnecting. No deliveries will be lost\.$/),
      'Reconnected.',
      'Stopped.',
      '',
    ]);
    const cursors = calls().map((called) => new URLSearchParams(called.split('?')[1]).get('cursor'));
    expect(cursors).toEqual([null, 'c1', 'c1', 'c1', ...(cursors.length > 4 ? ['c2'] : [])]);
  });

  it('renews its access token with a refresh token, of which each is used once', async () => {
    const expired: Answered = { status: 401, body: { title: 'The access token has expired' } };
    const script = [page('c1'), expired, page('c2', delivery(1)), expired, page('c3', delivery(2))];
    let renewed = 0;
    platform.respond = ({ path: called, body }) => {
      if (called !== '/api/auth/refresh') return script.shift();
      expect(JSON.parse(body)).toEqual({ refreshToken: `r${renewed}` });
      renewed += 1;
      return { status: 200, body: { accessToken: `a${renewed}`, refreshToken: `r${renewed}` } };
    };
    const { status, out } = await listenWith({ token: undefined, refreshToken: 'r0' }, { out: 2 });
    expect([status, out.match(/e\d/g), renewed]).toEqual([0, ['e1', 'e2'], 3]);
    const listening = platform.received.filter(({ method }) => method === 'GET');
    const tokens = listening.map(({ headers }) => headers.authorization);
    expect(tokens.slice(0, 5)).toEqual(['a1', 'a1', 'a2', 'a2', 'a3'].map((token) => `Bearer ${token}`));
  });

  it.each<[string, Answered, RegExp]>([
    ['a refusal', { status: 409, body: { detail: 'acme has no sandbox' } }, /returned 409: acme has no sandbox\.\n$/],
    ['an expired token', { status: 401, body: { title: 'Expired' } }, /Sign in again and use the new token\.\n$/],
    ['a platform that is away', { status: 503, body: { title: 'Away' } }, /returned 503: Away\.\n$/],
    ['something else', page('c', { id: 1 }), /returned an unexpected response \(expected deliveries\)\.\n$/],
  ])('ends with status 2 when it begins with %s', async (_what, answer, message) => {
    answers(answer);
    expect(await listen({ err: 9 })).toMatchObject({ status: 2, out: '', err: expect.stringMatching(message) });
  });

  it('ends with status 2 when the platform refuses to go on, or nothing listens at the address', async () => {
    answers(page('c1'), { status: 404, body: { title: 'Gone' } });
    expect(await listen({ err: 9 })).toMatchObject({
      status: 2,
      err: expect.stringMatching(/returned 404: Gone\.\n$/),
    });
    const away = await listen({ err: 9 }, '--base-url', 'http://127.0.0.1:9');
    expect(away).toMatchObject({ status: 2, err: expect.stringContaining("Can't reach ") });
  });

  it('shows control characters of a delivery escaped', async () => {
    answers(page('c1'), page('c2', { ...delivery(1), event: 'lead\u001b[2J', url: 'https://a/\u202e' }));
    const { out } = await listen({ out: 1 });
    expect(out).toBe('lead\\u001b[2J e1 for https://a/\\u202e\n');
  });

  it('ends at Ctrl-C while it waits, with status 0', async () => {
    answers(page('c1'));
    const program = path.join(import.meta.dirname, '../bin/crm-dev.mjs');
    const child = spawn(USERS_NODE, [program, 'listen', 'acme'], {
      env: { ...process.env, NODE_OPTIONS: '', CRM_BASE_URL: platform.url, CRM_TOKEN: 'secret' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let err = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
      if (text.includes('Ctrl-C')) child.kill('SIGINT');
    });
    const [status] = await once(child, 'close');
    expect([status, err]).toEqual([0, 'Listening for acme sandbox deliveries. Press Ctrl-C to stop.\nStopped.\n']);
  });
});
