import { describe, expect, it, jest } from '@jest/globals';
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { HashPool } from '../src/passwords/hash-pool.js';
import { newEmail, outcome, PASSWORD, withMail } from './identity.js';
import { codeIn } from './mail-server.js';
import { ORIGIN, TestOperators } from './operators.js';
import { optionsFor, passkeyAccount } from './passkeys.js';

const { identity, mailServer } = withMail();

describe('POST /api/auth/login', () => {
  it('answers a token pair, to the e-mail address in any spelling', async () => {
    const { email } = await identity.account();
    const tokens = { accessToken: expect.any(String), refreshToken: expect.any(String) };
    for (const spelling of [email, ` ${email.toUpperCase()} `]) {
      const { status, body } = await identity.login(spelling);
      expect([status, body]).toEqual([200, { ...tokens, tokenType: 'Bearer', expiresIn: 900 }]);
    }
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

  it('answers an unknown address and a wrong password alike', async () => {
    const { email } = await identity.account();
    const wrong = await identity.login(email, 'not-the-password');
    const unknown = await identity.login(newEmail(), 'not-the-password');
    for (const answer of [wrong, unknown]) {
      expect(await outcome(answer)).toEqual([401, 'INVALID_CREDENTIALS']);
      expect(answer.headers.get('www-authenticate')).toBeTruthy();
    }
    expect(Object.keys(wrong.body).sort()).toEqual(Object.keys(unknown.body).sort());
    expect(wrong.body.detail).toEqual(unknown.body.detail);
  });

  it.each([
    {},
    { email: 'a@b.test' },
    { email: 1, password: PASSWORD },
    { email: 'a@b.test', password: PASSWORD, admin: true },
  ])('refuses the body %j', async (body) => {
    expect((await identity.post('/api/auth/login', body)).status).toBe(422);
  });
});

describe('GET /api/auth/me', () => {
  it('returns the current user', async () => {
    const account = await identity.account({ name: 'Mine', plan: 'business' });
    const { userId: id, tenantId, email } = account;
    const tenant = { id: tenantId, name: 'Mine', plan: 'business' };
    const body = { id, email, roles: ['owner'], tenant };
    expect(await identity.me(account.accessToken)).toMatchObject({ status: 200, body });
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
    const audiences = ['platform-api', 'platform-internal'];
    expect(body.keys).toHaveLength(1);
    expect(body.keys[0]).toMatchObject({ kty: 'OKP', crv: 'Ed25519', use: 'sig', crm_audiences: audiences });
    expect(body.keys[0]).not.toHaveProperty('d');
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
      await identity.setSecondFactor(token, true);
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

const verify = (challengeId: string, code: string) => identity.post('/api/auth/mfa/verify', { challengeId, code });
const stepUp = (token: string, proof: object) => identity.post('/api/auth/step-up', proof, token);
const another = (code: string) => (code === '000000' ? '000001' : '000000');

/** Signs in with the password and reads the code from the mail. */
async function challenge(email: string) {
  const { answer, text } = await mailServer.sentBy(email, () => identity.login(email), 'code is');
  const { challengeId } = answer.body;
  const body = { mfaRequired: true, challengeId: expect.any(String), expiresIn: 600, methods: ['mail'] };
  expect([answer.status, answer.body]).toEqual([200, body]);
  return { challengeId, code: codeIn(text) };
}

/** Proves within the session who uses it: password and code. */
async function proveByMail(accessToken: string, email: string) {
  const { answer, text } = await mailServer.sentBy(email, () => identity.stepUp(accessToken), 'code is');
  const proof = { password: PASSWORD, challengeId: answer.body.challengeId, code: codeIn(text) };
  expect((await stepUp(accessToken, proof)).status).toBe(204);
}

async function protectedAccount() {
  const account = await identity.account();
  expect((await identity.setSecondFactor(account.accessToken, true)).status).toBe(204);
  return account;
}

describe('a second factor', () => {
  it('asks for the code after the right password; the code completes one sign-in, which can turn it off', async () => {
    const { email } = await protectedAccount();
    expect(await outcome(identity.login(email, 'not-the-password'))).toEqual([401, 'INVALID_CREDENTIALS']);
    const { challengeId, code } = await challenge(email);
    const signedIn = await verify(challengeId, code);
    expect(signedIn).toMatchObject({ status: 200, body: { accessToken: expect.any(String), expiresIn: 900 } });
    expect(await outcome(verify(challengeId, code))).toEqual([401, 'INVALID_CREDENTIALS']);
    expect((await identity.setSecondFactor(signedIn.body.accessToken, false)).status).toBe(204);
  });

  it('refuses the right code after five wrong ones', async () => {
    const { email, tenantId } = await protectedAccount();
    const { challengeId, code } = await challenge(email);
    for (let count = 0; count < 5; count += 1) expect((await verify(challengeId, another(code))).status).toBe(401);
    // The user has to wait, and when the wait is over the challenge has no try left.
    expect((await verify(challengeId, code)).status).toBe(429);
    await identity.query(tenantId, 'DELETE FROM code_guess');
    expect((await verify(challengeId, code)).status).toBe(401);
  });

  it('accepts only the code of the latest challenge, until it expires', async () => {
    const { email, tenantId } = await protectedAccount();
    const [first, second] = [await challenge(email), await challenge(email)];
    expect((await verify(first.challengeId, first.code)).status).toBe(401);
    expect((await verify(second.challengeId, second.code)).status).toBe(200);
    const { challengeId, code } = await challenge(email);
    await identity.expire('mfa_challenge', tenantId);
    expect((await verify(challengeId, code)).status).toBe(401);
  });

  it('sends a user at most five codes in the time of the limit', async () => {
    const { email } = await protectedAccount();
    for (let count = 0; count < 5; count += 1) expect((await identity.login(email)).status).toBe(200);
    const { status, headers } = await identity.login(email);
    expect(status).toBe(429);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('is turned off with the password and its code, not with either alone', async () => {
    const { email, accessToken } = await protectedAccount();
    expect(await outcome(identity.setSecondFactor(accessToken, false))).toEqual([403, 'STEP_UP_REQUIRED']);
    await proveByMail(accessToken, email);
    expect((await identity.setSecondFactor(accessToken, false, 'not-the-password')).status).toBe(401);
    expect((await identity.setSecondFactor(accessToken, false)).status).toBe(204);
    expect((await identity.login(email)).body.accessToken).toBeTruthy();
  });

  it('is turned off after a proof with a passkey', async () => {
    const { account, authenticator } = await passkeyAccount(identity);
    const { accessToken } = account;
    expect((await identity.setSecondFactor(accessToken, true)).status).toBe(204);
    expect((await identity.setSecondFactor(accessToken, false)).body.code).toBe('STEP_UP_REQUIRED');
    const { challengeId, publicKey } = await optionsFor(identity, '/api/auth/step-up/passkey/options', accessToken);
    const credential = authenticator.get(publicKey);
    const proven = await identity.post('/api/auth/step-up/passkey', { challengeId, credential }, accessToken);
    expect(proven.status).toBe(204);
    expect((await identity.setSecondFactor(accessToken, false)).status).toBe(204);
  });

  it('is not replaced by an authenticator or a passkey with the password alone', async () => {
    const { email, accessToken } = await protectedAccount();
    const begin = (path: string) => identity.post(path, {}, accessToken);
    const ways = ['/api/auth/mfa/authenticator', '/api/auth/passkeys/options'];
    const { answer } = await mailServer.sentBy(email, () => identity.stepUp(accessToken), 'code is');
    const body = { mfaRequired: true, challengeId: expect.any(String) };
    expect(answer).toMatchObject({ status: 200, body });
    for (const way of ways) expect((await begin(way)).body.code).toBe('STEP_UP_REQUIRED');
    await proveByMail(accessToken, email);
    for (const way of ways) expect((await begin(way)).status).toBeLessThan(300);
  });

  it('takes no code of a sign-in as a proof, and no wrong one', async () => {
    const { email, accessToken } = await protectedAccount();
    const signIn = await challenge(email);
    expect((await stepUp(accessToken, { password: PASSWORD, ...signIn })).status).toBe(401);
    expect((await stepUp(accessToken, {})).status).toBe(401);
    const { body } = await identity.stepUp(accessToken);
    const guessed = { password: PASSWORD, challengeId: body.challengeId, code: another('000000') };
    expect((await stepUp(accessToken, guessed)).status).toBe(401);
    expect((await identity.setSecondFactor(accessToken, false)).body.code).toBe('STEP_UP_REQUIRED');
  });

  it.each([
    ['nonsense', '123456', 401],
    ['AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', '123456', 401],
    ['x', '12345', 422],
    ['x', 'abcdef', 422],
  ])('refuses the challenge %p with the code %p', async (challengeId, code, status) => {
    expect((await verify(challengeId, code)).status).toBe(status);
  });
});
