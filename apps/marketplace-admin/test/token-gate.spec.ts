import { once } from 'node:events';
import { Agent, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OperatorsApi, tokens } from './operators-api.js';

const MEBIBYTE = 1024 * 1024;

const agent = new Agent({ keepAlive: true });
let api: OperatorsApi;
let routes: { method: string; path: string; public: boolean }[];

beforeAll(async () => {
  api = await OperatorsApi.start();
  routes = (await (await fetch(`${api.service.operationsUrl}/routes`)).json()) as typeof routes;
});
afterAll(async () => {
  agent.destroy();
  await api?.close();
});

/** Announces a body and sends none of it. @returns the answer, which came without it */
async function announce(method: string, path: string, headers: OutgoingHttpHeaders) {
  const call = request(new URL(path, api.service.url), {
    agent,
    method,
    headers: { 'content-type': 'application/json', ...headers },
  });
  call.flushHeaders();
  const [answer] = (await once(call, 'response')) as [IncomingMessage];
  let text = '';
  for await (const piece of answer) text += piece;
  call.destroy();
  const { code } = JSON.parse(text) as { code: string };
  return { status: answer.statusCode, connection: answer.headers.connection, code };
}

describe('a body without a token that counts', () => {
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const withBody = () => routes.filter((route) => !route.public && /^(POST|PUT|PATCH|DELETE)$/.test(route.method));

  it('is not read, by any route', async () => {
    expect(withBody().length).toBeGreaterThan(10);
    for (const { method, path } of withBody()) {
      for (const length of [{ 'content-length': MEBIBYTE }, { 'transfer-encoding': 'chunked' }]) {
        expect([method, path, await announce(method, path, length)]).toEqual([
          method,
          path,
          { status: 401, connection: 'close', code: 'UNAUTHENTICATED' },
        ]);
      }
    }
  });

  it('is not read with a token that is none, or of another audience, or has expired', async () => {
    const invalid = ['x', await tokens.sign({ roles: ['owner'] })];
    for (const token of invalid) {
      const headers = { 'content-length': MEBIBYTE, ...bearer(token) };
      const { status, connection } = await announce('PATCH', `/api/admin/tenants/${'x'}`, headers);
      expect([status, connection]).toEqual([401, 'close']);
    }
  });

  it('is not read where there is no route', async () => {
    const answer = await announce('POST', '/api/admin/nothing', { 'content-length': MEBIBYTE });
    expect(answer).toEqual({ status: 404, connection: 'close', code: 'NOT_FOUND' });
  });

  it('costs a short one no connection', async () => {
    const call = (): Promise<number> =>
      api.service
        .request('POST', '/api/admin/apps/fleet/suspend', { body: { reason: 'x' } })
        .then(({ status }) => status);
    expect([await call(), await call()]).toEqual([401, 401]);
    const short = request(new URL('/api/admin/apps/fleet/suspend', api.service.url), {
      agent,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
    });
    short.end('{"reason":"x"}');
    const [answer] = (await once(short, 'response')) as [IncomingMessage];
    answer.resume();
    expect([answer.statusCode, answer.headers.connection]).toEqual([401, 'keep-alive']);
  });

  it('is read with a token that counts', async () => {
    api.answer = () => ({ status: 404, body: {} });
    const post = (reason: string) => api.request('POST', '/api/admin/apps/fleet/suspend', { reason });
    expect((await post('x'.repeat(2000))).status).toBe(404);
    expect(api.received).toHaveLength(1);
    const refused = await post('x'.repeat(MEBIBYTE));
    expect([refused.status, refused.body.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect(api.received).toHaveLength(1);
  });
});
