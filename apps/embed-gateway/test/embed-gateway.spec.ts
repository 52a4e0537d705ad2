import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { type ErrorCode, fingerprintOf, PlatformError, rpc } from '@crm/contracts';
import { answerRpc, startTestService, type TestService, testServiceConfig, testTokens } from '@crm/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { AppModule } from '../src/app.module.js';
import type { EmbedGatewayConfig } from '../src/config.js';
import { FAILURES_PER_CLIENT } from '../src/embed/embed-client.strategy.js';
import { PAGES_PER_ADDRESS } from '../src/embed/embed-page.js';

/** Long enough that it comes in several pieces, and compresses. */
const SCRIPT = 'console.log(1);\n'.repeat(1000);

const pageDir = mkdtempSync(path.join(os.tmpdir(), 'embed-page-'));
mkdirSync(path.join(pageDir, 'assets'));
writeFileSync(path.join(pageDir, 'index.html'), '<!doctype html>\n<html lang="en"><body></body></html>');
writeFileSync(path.join(pageDir, 'assets', 'index-1.js'), SCRIPT);
writeFileSync(path.join(pageDir, 'assets', 'index-1.js.gz'), gzipSync(SCRIPT));
writeFileSync(path.join(pageDir, 'assets', 'index-1.js.br'), brotliCompressSync(SCRIPT));

const config: EmbedGatewayConfig = {
  pageDir,
  // Trusted, so that a test can call from different addresses.
  service: { ...testServiceConfig('embed-gateway'), trustedProxies: ['127.0.0.1'] },
  limits: {},
};

const neighbours: { close(): Promise<void> }[] = [];
/** Requests to mint. */
const seen: unknown[] = [];
let service: TestService;
beforeAll(async () => {
  service = await startTestService(config, AppModule.with(config), { keySource: testTokens().keySource });
});
afterEach(async () => {
  seen.length = 0;
  for (const neighbour of neighbours.splice(0)) await neighbour.close();
});
afterAll(async () => {
  await service?.close();
  rmSync(pageDir, { recursive: true });
});

const stand: typeof answerRpc = async (contract, handler) => {
  const neighbour = await answerRpc(contract, handler);
  neighbours.push(neighbour);
  return neighbour;
};
/** identity, which mints, or refuses with a code, unless the secret is the right one. */
const standMint = (refusal?: ErrorCode, right = '') =>
  stand(rpc.identity.mintEmbedToken, (request) => {
    seen.push(request);
    if (refusal && request.fingerprint !== fingerprintOf(right)) throw new PlatformError(refusal);
    return { embedToken: 'token', expiresIn: 900 };
  });

const PATH = '/api/auth/v1/embed/sessions';
const credentials = { 'x-embed-key': 'embed_1', 'x-embed-secret': 'a secret' };
const hostUser = { sub: 'u1', email: 'host@user.test', name: 'Host user', scopes: ['leads'] };
const mint = (body: unknown = hostUser, headers: Record<string, string> = credentials) =>
  service.request<Record<string, unknown>>('POST', PATH, { body, headers });

describe('POST /api/auth/v1/embed/sessions', () => {
  it('exchanges credentials and a host user for a token', async () => {
    await standMint();
    const { status, body, headers } = await mint();
    expect([status, body]).toEqual([201, { embed_token: 'token', expires_in: 900 }]);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(seen).toEqual([{ ...hostUser, clientId: 'embed_1', fingerprint: fingerprintOf('a secret') }]);
    // The broker, and anyone who listens there, learns nothing to mint with.
    expect(JSON.stringify(seen)).not.toContain('a secret');
  });

  it.each([
    [{}],
    [{ 'x-embed-key': 'embed_1' }],
    [{ 'x-embed-secret': 'a secret' }],
    [{ 'x-embed-key': '', 'x-embed-secret': '' }],
    [{ 'x-embed-key': 'embed_1', 'x-embed-secret': 'x'.repeat(201) }],
  ])('refuses the credentials %j without a call to identity', async (headers) => {
    const { status, body } = await mint(hostUser, headers as Record<string, string>);
    expect([status, body.code]).toEqual([401, 'INVALID_EMBED_CREDENTIALS']);
  });

  it('refuses an Idempotency-Key before a token is minted', async () => {
    await standMint();
    const { status, body } = await mint(hostUser, { ...credentials, 'idempotency-key': 'k' });
    expect([status, body.code, seen]).toEqual([400, 'MALFORMED_REQUEST', []]);
  });

  it.each([
    ['INVALID_EMBED_CREDENTIALS', 401],
    ['EMBED_SCOPE_DENIED', 403],
    ['EMBED_USER_DISABLED', 403],
    ['ROLE_NOT_GRANTABLE', 403],
    ['EMBED_IDENTITY_CONFLICT', 409],
    ['EMAIL_NOT_VERIFIED', 403],
    ['RATE_LIMITED', 429],
  ] as const)('passes on %s from identity', async (code, expected) => {
    await standMint(code);
    const { status, body } = await mint(hostUser, { ...credentials, 'x-forwarded-for': '192.0.2.50' });
    expect([status, body.code]).toEqual([expected, code]);
    expect(JSON.stringify(body)).not.toContain('a secret');
  });

  it.each([
    [{ ...hostUser, sub: '' }, '/sub'],
    [{ ...hostUser, sub: 'x'.repeat(256) }, '/sub'],
    [{ ...hostUser, sub: undefined }, '/sub'],
    [{ ...hostUser, email: 'nobody' }, '/email'],
    [{ ...hostUser, scopes: 'leads' }, '/scopes'],
    [{ ...hostUser, scopes: [] }, '/scopes'],
    [{ ...hostUser, roles: ['owner'] }, '/roles'],
  ])('refuses the body %j', async (body, pointer) => {
    const answer = await mint(body);
    expect([answer.status, answer.body.code]).toEqual([422, 'VALIDATION_FAILED']);
    expect((answer.body.errors as { pointer: string }[]).map((error) => error.pointer)).toContain(pointer);
  });

  it('refuses a body over 16 KiB before it is parsed', async () => {
    const { status, body } = await mint({ ...hostUser, name: 'x'.repeat(16 * 1024) });
    expect([status, body.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });

  it('refuses a client after twenty failures from one address, whatever the secret, and only from there', async () => {
    await standMint('INVALID_EMBED_CREDENTIALS', 'right');
    const from = (address: string, client = 'embed_1', secret = 'wrong') =>
      mint(hostUser, { 'x-embed-key': client, 'x-embed-secret': secret, 'x-forwarded-for': address });
    for (let count = 0; count < FAILURES_PER_CLIENT; count += 1) expect((await from('192.0.2.1')).status).toBe(401);
    const { status, headers } = await from('192.0.2.1');
    expect([status, seen.length]).toEqual([429, FAILURES_PER_CLIENT]);
    expect(headers.get('ratelimit-policy')).toBe(`"mint-client";q=${FAILURES_PER_CLIENT};w=900`);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await from('192.0.2.1', 'embed_1', 'right')).status).toBe(429);
    expect(seen).toHaveLength(FAILURES_PER_CLIENT);
    expect((await from('192.0.2.2', 'embed_1', 'right')).status).toBe(201);
    expect([(await from('192.0.2.2')).status, (await from('192.0.2.1', 'embed_2')).status]).toEqual([401, 401]);
  });

  it('answers 503 while identity does not answer', async () => {
    expect((await mint()).status).toBe(503);
  });
});

describe('GET /embed/{clientId}', () => {
  const page = (clientId: string) => service.request<string>('GET', `/embed/${clientId}`);

  it('can be framed by the origins that the app declared', async () => {
    await stand(rpc.identity.getEmbedOrigins, () => ({ allowedOrigins: ['https://host.example'] }));
    const { status, headers, body } = await page('embed_1');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('content-security-policy')).toMatch(/frame-ancestors https:\/\/host\.example$/);
    expect(headers.get('x-frame-options')).toBeNull();
    // Also by a host page that requires it of its frames.
    expect(headers.get('cross-origin-embedder-policy')).toBe('require-corp');
    expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    expect(body).toContain('data-origins="https://host.example"');
  });

  it.each([
    ['for an unknown client', true, 200],
    ['while identity does not answer', false, 503],
  ])('can be framed by nobody %s', async (_, answers, expected) => {
    if (answers) await stand(rpc.identity.getEmbedOrigins, () => ({ allowedOrigins: [] }));
    const { status, headers } = await page('unknown');
    expect(status).toBe(expected);
    expect(headers.get('content-security-policy')).toMatch(/frame-ancestors 'none'$/);
  });

  it('is asked for only so often from one address, and then nobody may frame the answer', async () => {
    let asked = 0;
    await stand(rpc.identity.getEmbedOrigins, () => {
      asked += 1;
      return { allowedOrigins: ['https://host.example'] };
    });
    const from = (address: string) =>
      service.request<string>('GET', '/embed/embed_1', { headers: { 'x-forwarded-for': address } });
    const together = 50;
    let refused: Awaited<ReturnType<typeof from>> | undefined;
    // The rate goes on while the requests are made, so that a few more than those at once are answered.
    for (let sent = 0; !refused && sent < 2 * PAGES_PER_ADDRESS; sent += together) {
      const answers = await Promise.all(Array.from({ length: together }, () => from('192.0.2.77')));
      refused = answers.find(({ status }) => status !== 200);
    }
    expect(refused?.status).toBe(429);
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused?.headers.get('content-security-policy')).toMatch(/frame-ancestors 'none'$/);
    const before = asked;
    expect(before).toBeGreaterThanOrEqual(PAGES_PER_ADDRESS);
    expect((await service.request('GET', '/embed/assets/index-1.js')).status).toBe(200);
    expect((await from('192.0.2.78')).status).toBe(200);
    expect(asked).toBe(before + 1);
  });

  it.each([
    ['br', 'gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip, br;q=0', 'gzip'],
    ['nothing', 'identity', null],
  ])('serves its script compressed with %s to who accepts it', async (_, accepted, coding) => {
    const { status, headers, body } = await service.request<string>('GET', '/embed/assets/index-1.js', {
      headers: { 'accept-encoding': accepted },
    });
    expect([status, headers.get('content-encoding'), body]).toEqual([200, coding, SCRIPT]);
    expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(headers.get('vary')).toBe('Accept-Encoding');
    expect(headers.get('cross-origin-embedder-policy')).toBe('require-corp');
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
  });

  it.each(['missing.js', 'index-1.js.gz', '..%2findex.html', '%2e%2e', 'constructor'])(
    'has no file %s, and the refusal is not kept',
    async (name) => {
      const { status, headers } = await service.request('GET', `/embed/assets/${name}`);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(500);
      expect(headers.get('cache-control') ?? '').not.toContain('max-age');
    },
  );
});

describe('the API of this address', () => {
  it('is documented with its credentials, also as a page', async () => {
    type Document = { servers: object[]; paths: Record<string, { post: { parameters: { name: string }[] } }> };
    const { body } = await service.request<Document>('GET', '/api/openapi.json');
    expect(body.servers).toEqual([{ url: '/' }]);
    const headerNames = body.paths[PATH]?.post.parameters.map(({ name }) => name);
    expect(headerNames?.sort()).toEqual(['X-Embed-Key', 'X-Embed-Secret']);
    const { status, headers } = await service.request('GET', '/api/docs');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  });
});
