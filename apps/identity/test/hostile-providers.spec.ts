import { startReceiver } from '@crm/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestIdentity } from './identity.js';
import type { ForgingProvider } from './single-sign-on/forging-provider.js';
import { FAILED, PROVIDER_MS, Stage } from './single-sign-on/stage.js';
import type { Proven } from './single-sign-on/workspace.js';

let stage: Stage;
let identity: TestIdentity;
let provider: ForgingProvider;
let another: ForgingProvider;
let workspace: Proven;

beforeAll(async () => {
  stage = await Stage.set();
  ({ identity, provider, another, workspace } = stage);
});
afterAll(() => stage?.close());
beforeEach(() => stage.reset());

describe('a provider that misbehaves', () => {
  it.each([
    ['never answers', 'hang' as const],
    ['breaks the connection', 'reset' as const],
    ['redirects', { status: 302, headers: { location: 'https://127.0.0.1/elsewhere' } }],
    [
      'answers 10 MB',
      { status: 200, headers: { 'content-type': 'application/json' }, body: `{"a":"${'x'.repeat(10 << 20)}"}` },
    ],
    ['answers no JSON', { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' }],
    ['answers an error', { status: 500, body: 'no' }],
  ])('at the token endpoint (%s) fails the sign-in in time', async (_what, reaction) => {
    provider.reactions.set('/token', reaction);
    const startedAt = Date.now();
    expect(await stage.outcome()).toEqual(FAILED);
    expect(Date.now() - startedAt).toBeLessThan(PROVIDER_MS + 10_000);
  });

  it('is waited for by a few sign-ins of a workspace at a time, and holds up no other workspace', async () => {
    provider.reactions.set('/token', 'hang');
    const waiting = await Promise.all(Array.from({ length: 20 }, () => stage.begun()));
    const outcomes = Promise.all(waiting.map(({ browser, state }) => browser.comeBack(stage.callback(state))));
    const other = await stage.proven();
    // Also where both have the same provider.
    await stage.begun(await stage.add(other, provider), provider, other);
    const at = await stage.add(other, another);
    const { browser, state } = await stage.begun(at, another, other);
    expect((await browser.comeBack(stage.callback(state, { at }))).code).toBeTruthy();
    const errors = (await outcomes).map(({ error }) => error);
    expect(errors.filter((error) => error === 'SERVICE_UNAVAILABLE')).toHaveLength(4);
    expect(errors.filter((error) => error === 'SINGLE_SIGN_ON_FAILED')).toHaveLength(16);
  });
});

describe('an address of a provider', () => {
  it.each([
    ['the issuer on loopback', 'https://127.0.0.1:9'],
    ['the issuer in a private network', 'https://10.0.0.1'],
    ['the issuer of a cloud', 'https://169.254.169.254'],
    ['the issuer as IPv6 loopback', 'https://[::1]'],
    ['the issuer without TLS', 'http://login.example.com'],
    ['an issuer with a query', 'https://login.acme-login.com/?a=b'],
    ['a document instead of the issuer', 'https://login.acme-login.com/.well-known/openid-configuration'],
  ])('(%s) is refused and not called', async (_what, issuer) => {
    const { owner } = workspace;
    const answer = await identity.post('/api/tenant/identity-providers', { name: 'X', issuer }, owner.accessToken);
    expect([answer.status, answer.body.errors]).toMatchObject([
      422,
      [{ pointer: '/issuer', code: 'DISCOVERY_FAILED' }],
    ]);
  });

  it('that has a name is refused by what the name leads to, at each lookup (rebinding)', async () => {
    const host = `login.${workspace.domain}`;
    for (const address of ['127.0.0.1', '10.1.2.3', '169.254.169.254', '100.64.0.1']) {
      stage.dns.addresses.set(host, address);
      const body = { name: 'X', issuer: `https://${host}` };
      const answer = await identity.post('/api/tenant/identity-providers', body, workspace.owner.accessToken);
      expect([answer.status, answer.body.errors]).toMatchObject([
        422,
        [{ detail: expect.stringContaining('not public') }],
      ]);
    }
  });

  it.each(['authorization_endpoint', 'token_endpoint', 'jwks_uri', 'userinfo_endpoint'])(
    '(its %s) is checked like any other, and a hostile one is never called',
    async (name) => {
      const trap = await startReceiver({ tls: stage.tls });
      const hostile = await stage.proven();
      for (const address of [
        trap.url,
        'https://169.254.169.254/latest',
        'http://127.0.0.1:4001/',
        'javascript:alert(1)',
      ]) {
        another.metadata = { [name]: address };
        const body = { name: 'X', issuer: another.issuer };
        const answer = await identity.post('/api/tenant/identity-providers', body, hostile.owner.accessToken);
        expect([answer.status, answer.body.errors]).toMatchObject([422, [{ code: 'DISCOVERY_FAILED' }]]);
      }
      expect(trap.requests).toEqual([]);
      await trap.close();
    },
  );

  it.each([
    ['says that it is another issuer', { issuer: 'https://login.example.com' }],
    ['signs with shared secrets only', { id_token_signing_alg_values_supported: ['HS256', 'none'] }],
    ['gives no code', { response_types_supported: ['id_token'] }],
    ['has no keys', { jwks_uri: undefined }],
  ])('is refused for a provider that %s', async (_what, metadata) => {
    another.metadata = metadata;
    const body = { name: 'X', issuer: another.issuer };
    const answer = await identity.post('/api/tenant/identity-providers', body, workspace.owner.accessToken);
    expect([answer.status, answer.body.errors]).toMatchObject([422, [{ code: 'DISCOVERY_FAILED' }]]);
  });
});
