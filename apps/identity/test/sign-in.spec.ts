import { describe, expect, it, jest } from '@jest/globals';
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { HashPool } from '../src/sign-in/hash-pool.js';
import { newEmail, PASSWORD, TestIdentity } from './identity.js';
import { ORIGIN, TestOperators } from './operators.js';

const identity = TestIdentity.ofFile();

describe('POST /api/auth/login', () => {
  it('answers a token pair', async () => {
    const { email } = await identity.account();
    const { status, body } = await identity.login(email);
    expect(status).toBe(200);
    expect(body).toEqual({
      accessToken: expect.any(String),
      refreshToken: expect.any(String),
      tokenType: 'Bearer',
      expiresIn: 900,
    });
  });

  it('issues tokens of the RFC 9068 profile that the published keys verify', async () => {
    const { accessToken, userId, tenantId } = await identity.account();
    const keys = (await identity.request('GET', '/.well-known/jwks.json')).body;
    const { payload } = await jwtVerify(accessToken, createLocalJWKSet(keys), {
      issuer: 'http://127.0.0.1:8080',
      audience: 'platform-api',
      typ: 'at+jwt',
      algorithms: ['EdDSA'],
    });
    expect(payload).toMatchObject({ sub: userId, tid: tenantId, roles: ['owner'], sid: expect.any(String) });
    expect(payload.exp! - payload.iat!).toBe(900);
    expect(payload.jti).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect(decodeProtectedHeader(accessToken)).toMatchObject({ alg: 'EdDSA', typ: 'at+jwt', kid: expect.any(String) });
  });

  it('accepts the e-mail address in any spelling', async () => {
    const { email } = await identity.account();
    expect((await identity.login(` ${email.toUpperCase()} `)).status).toBe(200);
  });

  it('answers an unknown address and a wrong password alike', async () => {
    const { email } = await identity.account();
    const wrong = await identity.login(email, 'not-the-password');
    const unknown = await identity.login(newEmail(), 'not-the-password');
    for (const { status, body, headers } of [wrong, unknown]) {
      expect([status, body.code]).toEqual([401, 'INVALID_CREDENTIALS']);
      expect(headers.get('www-authenticate')).toBeTruthy();
    }
    expect(Object.keys(wrong.body).sort()).toEqual(Object.keys(unknown.body).sort());
    expect(wrong.body.detail).toEqual(unknown.body.detail);
  });

  it.each([
    [{}],
    [{ email: 'a@b.test' }],
    [{ email: 1, password: PASSWORD }],
    [{ email: 'a@b.test', password: PASSWORD, admin: true }],
  ])('refuses the body %j', async (body) => {
    expect((await identity.post('/api/auth/login', body)).status).toBe(422);
  });

  it('refuses even the right password after ten failures of an account from one address', async () => {
    const { email } = await identity.account();
    for (let count = 0; count < 10; count += 1) {
      expect((await identity.login(email, 'not-the-password')).status).toBe(401);
    }
    const { status, body, headers } = await identity.login(email);
    expect([status, body.code]).toEqual([429, 'RATE_LIMITED']);
    const wait = headers.get('retry-after');
    expect(Number(wait)).toBeGreaterThan(0);
    expect(headers.get('ratelimit-policy')).toBe('"sign-in-account";q=10;w=900');
    expect(headers.get('ratelimit')).toBe(`"sign-in-account";r=0;t=${wait}`);
    expect((await identity.login(email, PASSWORD, { 'x-forwarded-for': '198.51.100.4' })).status).toBe(200);
  });

  it('does not throttle successful sign-ins', async () => {
    const { email } = await identity.account();
    const answers = await Promise.all(Array.from({ length: 25 }, () => identity.login(email)));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
  });
});

describe('GET /api/auth/me', () => {
  it('returns the current user', async () => {
    const account = await identity.account({ name: 'Mine', plan: 'business' });
    const { status, body } = await identity.me(account.accessToken);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: account.userId,
      email: account.email,
      roles: ['owner'],
      tenant: { id: account.tenantId, name: 'Mine', plan: 'business' },
    });
  });

  it.each([[undefined], ['nonsense'], ['a.b.c']])('refuses the access token %p', async (token) => {
    const { status, headers } = await identity.me(token);
    expect(status).toBe(401);
    expect(headers.get('www-authenticate')).toMatch(/^Bearer/);
  });
});

describe('GET /.well-known/jwks.json', () => {
  it('publishes the public keys of tenants without a private part and lets them be cached', async () => {
    const { body, headers } = await identity.request('GET', '/.well-known/jwks.json');
    const keys = body.keys;
    expect(keys).toHaveLength(1);
    expect(keys[0]).toMatchObject({
      kty: 'OKP',
      crv: 'Ed25519',
      use: 'sig',
      crm_audiences: ['platform-api', 'platform-internal'],
    });
    expect(keys[0]).not.toHaveProperty('d');
    expect(headers.get('cache-control')).toBe('public, max-age=300');
  });
});

/** For whom passwords are hashed meanwhile. */
async function sourcesOf(work: () => Promise<unknown>): Promise<string[]> {
  const run = jest.spyOn(identity.get(HashPool), 'run');
  try {
    await work();
    return run.mock.calls.map(([source]) => source);
  } finally {
    run.mockRestore();
  }
}

describe('a password that is checked takes its turn', () => {
  it('with others of the same user, within a session', async () => {
    const { userId, accessToken: token } = await identity.account();
    const sources = await sourcesOf(async () => {
      await identity.stepUp(token);
      await identity.request('PUT', '/api/auth/mfa', { token, body: { enabled: true, password: PASSWORD } });
    });
    expect(sources).toEqual([userId, userId]);
  });

  it('with others of the same address at the sign-in of an operator, and of the operator afterwards', async () => {
    const operators = new TestOperators(identity);
    const email = await operators.create();
    const sources = await sourcesOf(async () => {
      const { accessToken } = await operators.signedIn(email);
      await operators.call('stepUp', { password: PASSWORD }, accessToken);
    });
    expect(sources).toEqual([ORIGIN.address, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
  });
});
