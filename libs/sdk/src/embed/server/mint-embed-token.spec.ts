import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from '@jest/globals';
import { mintEmbedToken } from './mint-embed-token.js';

let server: Server | undefined;
afterEach(() => {
  server?.close();
});

async function mint(answer: (request: IncomingMessage, response: ServerResponse) => unknown) {
  server = createServer(answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return mintEmbedToken({
    embedUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    credentials: { clientId: 'embed_1', clientSecret: 'a secret' },
    user: { sub: 'user-1', email: 'ada@host.example', name: 'Ada' },
    scopes: ['leads'],
  });
}
const answered =
  (status: number, body: object, headers = {}) =>
  (_: unknown, response: ServerResponse) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

describe('minting in the backend of a host', () => {
  it('exchanges credentials and user for a token', async () => {
    const seen: unknown[] = [];
    const minted = await mint(async (request, response) => {
      const { 'x-embed-key': key, 'x-embed-secret': secret } = request.headers;
      seen.push(request.method, request.url, key, secret, await json(request));
      answered(201, { embed_token: 'a.b.c', expires_in: 900 })(request, response);
    });
    expect(minted).toEqual({ token: 'a.b.c', expiresIn: 900 });
    const body = { sub: 'user-1', email: 'ada@host.example', name: 'Ada', scopes: ['leads'] };
    expect(seen).toEqual(['POST', '/api/auth/v1/embed/sessions', 'embed_1', 'a secret', body]);
  });

  it('passes on the code of a refusal, and when to try again', async () => {
    const refusal = answered(429, { code: 'RATE_LIMITED', detail: 'Too many attempts' }, { 'retry-after': '30' });
    await expect(mint(refusal)).rejects.toMatchObject({
      name: 'MintError',
      code: 'RATE_LIMITED',
      message: 'Too many attempts',
      httpStatus: 429,
      retryAfterSeconds: 30,
    });
  });

  it.each([
    ['an answer without a token', answered(201, { token: 'x' })],
    ['an answer that is not JSON', (_: unknown, response: ServerResponse) => response.end('<html>')],
  ])('refuses %s', (_, answer) => expect(mint(answer)).rejects.toMatchObject({ code: 'UNEXPECTED_ANSWER' }));

  it('does not follow a redirect with the secret', async () => {
    await expect(mint(answered(307, {}, { location: 'http://127.0.0.1:1/' }))).rejects.toMatchObject({
      code: 'UNREACHABLE',
    });
  });

  it('names the secret in no error', async () => {
    const error = await mint(answered(500, {})).catch((thrown: unknown) => thrown);
    expect(JSON.stringify(error) + String(error)).not.toContain('a secret');
  });
});
