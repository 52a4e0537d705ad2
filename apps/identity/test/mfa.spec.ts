import { describe, expect, it } from '@jest/globals';
import { outcome, PASSWORD, withMail } from './identity.js';
import { codeIn } from './mail-server.js';
import { optionsFor, passkeyAccount } from './passkeys.js';

const { identity, mailServer } = withMail();

const verify = (challengeId: string, code: string) => identity.post('/api/auth/mfa/verify', { challengeId, code });
const stepUp = (token: string, proof: object) => identity.post('/api/auth/step-up', proof, token);
const another = (code: string) => (code === '000000' ? '000001' : '000000');

/** Signs in with the password and reads the code from the mail. */
async function challenge(email: string) {
  const { answer, text } = await mailServer.sentBy(email, () => identity.login(email));
  const { challengeId } = answer.body;
  const body = { mfaRequired: true, challengeId: expect.any(String), expiresIn: 600, methods: ['mail'] };
  expect([answer.status, answer.body]).toEqual([200, body]);
  return { challengeId, code: codeIn(text) };
}

/** Proves within the session who uses it: password and code. */
async function proveByMail(accessToken: string, email: string) {
  const { answer, text } = await mailServer.sentBy(email, () => identity.stepUp(accessToken));
  const proof = { password: PASSWORD, challengeId: answer.body.challengeId, code: codeIn(text) };
  expect((await stepUp(accessToken, proof)).status).toBe(204);
}

async function protectedAccount() {
  const account = await identity.account();
  expect((await identity.setSecondFactor(account.accessToken, true)).status).toBe(204);
  return account;
}

describe('a second factor', () => {
  it('asks for the code after the password; the code completes one sign-in', async () => {
    const { email } = await protectedAccount();
    const { challengeId, code } = await challenge(email);
    const body = { accessToken: expect.any(String), expiresIn: 900 };
    expect(await verify(challengeId, code)).toMatchObject({ status: 200, body });
    expect(await outcome(verify(challengeId, code))).toEqual([401, 'INVALID_CREDENTIALS']);
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

  it('does not ask for a code after a wrong password', async () => {
    const { email } = await protectedAccount();
    expect(await outcome(identity.login(email, 'not-the-password'))).toEqual([401, 'INVALID_CREDENTIALS']);
  });

  it('is turned off with the password and its code, not with either alone', async () => {
    const { email, accessToken } = await protectedAccount();
    expect(await outcome(identity.setSecondFactor(accessToken, false))).toEqual([403, 'STEP_UP_REQUIRED']);
    await proveByMail(accessToken, email);
    expect((await identity.setSecondFactor(accessToken, false, 'not-the-password')).status).toBe(401);
    expect((await identity.setSecondFactor(accessToken, false)).status).toBe(204);
    expect((await identity.login(email)).body.accessToken).toBeTruthy();
  });

  it('is turned off after a sign-in with its code', async () => {
    const { email } = await protectedAccount();
    const { challengeId, code } = await challenge(email);
    const { accessToken } = (await verify(challengeId, code)).body;
    expect((await identity.setSecondFactor(accessToken, false)).status).toBe(204);
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
    const { answer } = await mailServer.sentBy(email, () => identity.stepUp(accessToken));
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
