import { describe, expect, it } from '@jest/globals';
import { PASSWORD, withMail } from './identity.js';
import { optionsFor, passkeyAccount } from './passkeys.js';

const { identity, mailServer } = withMail();

const setMfa = (token: string, enabled: boolean, password = PASSWORD) =>
  identity.request('PUT', '/api/auth/mfa', { token, body: { enabled, password } });
const verify = (challengeId: string, code: string) => identity.post('/api/auth/mfa/verify', { challengeId, code });
const stepUp = (token: string, proof: object) => identity.post('/api/auth/step-up', proof, token);
const another = (code: string) => (code === '000000' ? '000001' : '000000');

const codeIn = (text: string) => /code is (\d{6})/.exec(text)?.[1] ?? '';

/** Signs in with the password and reads the code from the mail. */
async function challenge(email: string) {
  const since = mailServer.mails.length;
  const { status, body } = await identity.login(email);
  expect([status, body]).toEqual([
    200,
    { mfaRequired: true, challengeId: expect.any(String), expiresIn: 600, methods: ['mail'] },
  ]);
  const { text } = await mailServer.mailTo(email, since);
  return { challengeId: body.challengeId, code: codeIn(text) };
}

/** Proves within the session who uses it: password and code. */
async function proveByMail(accessToken: string, email: string) {
  const since = mailServer.mails.length;
  const { challengeId } = (await stepUp(accessToken, { password: PASSWORD })).body;
  const code = codeIn((await mailServer.mailTo(email, since)).text);
  expect((await stepUp(accessToken, { password: PASSWORD, challengeId, code })).status).toBe(204);
}

async function protectedAccount() {
  const account = await identity.account();
  expect((await setMfa(account.accessToken, true)).status).toBe(204);
  return account;
}

describe('a second factor', () => {
  it('asks for the code after the password; the code completes one sign-in', async () => {
    const { email } = await protectedAccount();
    const { challengeId, code } = await challenge(email);
    const { status, body } = await verify(challengeId, code);
    expect([status, body]).toMatchObject([200, { accessToken: expect.any(String), expiresIn: 900 }]);
    const again = await verify(challengeId, code);
    expect([again.status, again.body.code]).toEqual([401, 'INVALID_CREDENTIALS']);
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

  it('accepts only the code of the latest challenge', async () => {
    const { email } = await protectedAccount();
    const first = await challenge(email);
    const second = await challenge(email);
    expect((await verify(first.challengeId, first.code)).status).toBe(401);
    expect((await verify(second.challengeId, second.code)).status).toBe(200);
  });

  it('refuses the code of an expired challenge', async () => {
    const { email, tenantId } = await protectedAccount();
    const { challengeId, code } = await challenge(email);
    await identity.query(tenantId, `UPDATE mfa_challenge SET expires_at = now() - interval '1 second'`);
    expect((await verify(challengeId, code)).status).toBe(401);
  });

  it('sends a user at most five codes in the time of the limit', async () => {
    const { email } = await protectedAccount();
    for (let count = 0; count < 5; count += 1) expect((await identity.login(email)).status).toBe(200);
    const { status, headers } = await identity.login(email);
    expect(status).toBe(429);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('does not ask for a code after a wrong password', async () => {
    const { email } = await protectedAccount();
    const { status, body } = await identity.login(email, 'not-the-password');
    expect([status, body.code]).toEqual([401, 'INVALID_CREDENTIALS']);
  });

  it('is turned off with the password and its code, not with either alone', async () => {
    const { email, accessToken } = await protectedAccount();
    const wanting = await setMfa(accessToken, false);
    expect([wanting.status, wanting.body.code]).toEqual([403, 'STEP_UP_REQUIRED']);
    await proveByMail(accessToken, email);
    expect((await setMfa(accessToken, false, 'not-the-password')).status).toBe(401);
    expect((await setMfa(accessToken, false)).status).toBe(204);
    expect((await identity.login(email)).body.accessToken).toBeTruthy();
  });

  it('is turned off after a sign-in with its code', async () => {
    const { email } = await protectedAccount();
    const { challengeId, code } = await challenge(email);
    const { accessToken } = (await verify(challengeId, code)).body;
    expect((await setMfa(accessToken, false)).status).toBe(204);
  });

  it('is turned off after a proof with a passkey', async () => {
    const { account, authenticator } = await passkeyAccount(identity);
    const { accessToken } = account;
    expect((await setMfa(accessToken, true)).status).toBe(204);
    expect((await setMfa(accessToken, false)).body.code).toBe('STEP_UP_REQUIRED');
    const { challengeId, publicKey } = await optionsFor(identity, '/api/auth/step-up/passkey/options', accessToken);
    const credential = authenticator.get(publicKey);
    const proven = await identity.post('/api/auth/step-up/passkey', { challengeId, credential }, accessToken);
    expect(proven.status).toBe(204);
    expect((await setMfa(accessToken, false)).status).toBe(204);
  });

  it('is not replaced by an authenticator or a passkey with the password alone', async () => {
    const { email, accessToken } = await protectedAccount();
    const begin = (path: string) => identity.post(path, {}, accessToken);
    const ways = ['/api/auth/mfa/authenticator', '/api/auth/passkeys/options'];
    const since = mailServer.mails.length;
    const asked = await stepUp(accessToken, { password: PASSWORD });
    expect([asked.status, asked.body]).toMatchObject([200, { mfaRequired: true, challengeId: expect.any(String) }]);
    for (const way of ways) expect((await begin(way)).body.code).toBe('STEP_UP_REQUIRED');
    await mailServer.mailTo(email, since);
    await proveByMail(accessToken, email);
    for (const way of ways) expect((await begin(way)).status).toBeLessThan(300);
  });

  it('takes no code of a sign-in as a proof, and no wrong one', async () => {
    const { email, accessToken } = await protectedAccount();
    const signIn = await challenge(email);
    expect((await stepUp(accessToken, { password: PASSWORD, ...signIn })).status).toBe(401);
    expect((await stepUp(accessToken, {})).status).toBe(401);
    const { body } = await stepUp(accessToken, { password: PASSWORD });
    const guessed = { password: PASSWORD, challengeId: body.challengeId, code: another('000000') };
    expect((await stepUp(accessToken, guessed)).status).toBe(401);
    expect((await setMfa(accessToken, false)).body.code).toBe('STEP_UP_REQUIRED');
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
