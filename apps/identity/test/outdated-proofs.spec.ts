import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { EmailChangeRepository } from '../src/accounts/accounts.repository.js';
import { AfterResponse } from '../src/accounts/after-response.service.js';
import { SessionService } from '../src/sessions/session.service.js';
import { PasskeyRepository } from '../src/sign-in/passkey.repository.js';
import { PasswordService } from '../src/sign-in/password.service.js';
import { enrol, TestAuthenticator } from './authenticators.js';
import { type Account, type Answer, NEW_PASSWORD, newEmail, PASSWORD, type TestIdentity } from './identity.js';
import { passkeyAccount, signInOptions } from './passkeys.js';
import { Stage } from './single-sign-on/stage.js';

// What was proven with a password, and the password is changed before it is of use: the moment between the two takes
// milliseconds, and whoever is shut out by the change can ask as often as they like.

let stage: Stage;
let identity: TestIdentity;
beforeAll(async () => {
  stage = await Stage.set();
  ({ identity } = stage);
});
afterAll(() => stage?.close());
afterEach(() => {
  jest.restoreAllMocks();
  stage.reset();
});

const changePassword = async ({ accessToken }: Account) => {
  const body = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
  expect((await identity.post('/api/auth/password', body, accessToken)).status).toBe(200);
};
const signOutEverywhere = async ({ accessToken }: Account) => {
  expect((await identity.request('DELETE', '/api/auth/sessions', { token: accessToken })).status).toBeLessThan(300);
};
const rows = ({ tenantId }: Account, sql: string, parameters: unknown[] = []) =>
  identity.query(tenantId, sql, parameters);
const sessionsOf = (account: Account) =>
  rows(account, 'SELECT id FROM session WHERE user_id = $1 ORDER BY id', [account.userId]);

/** Has something happen once, after everything is proven and before the session opens. */
function beforeOpening(happens: () => Promise<unknown>): void {
  const sessions = identity.get(SessionService);
  const open = sessions.open.bind(sessions);
  jest.spyOn(sessions, 'open').mockImplementationOnce(async (...call) => {
    await happens();
    return open(...call);
  });
}

/** Has something happen once, after a password was found right. */
function afterCheck(happens: () => Promise<unknown>): void {
  const passwords = identity.get(PasswordService);
  const matches = passwords.matches.bind(passwords);
  jest.spyOn(passwords, 'matches').mockImplementationOnce(async (...call) => {
    const isRight = await matches(...call);
    await happens();
    return isRight;
  });
}

describe.each([
  ['a change of the password', changePassword],
  ['signing out everywhere', signOutEverywhere],
])('%s', (_what, end) => {
  it('lets no session be opened by a password that was right a moment before', async () => {
    const account = await identity.account();
    afterCheck(() => end(account));
    const { status, body } = await identity.login(account.email);
    expect([status, body.code]).toEqual([401, 'INVALID_CREDENTIALS']);
    expect(await sessionsOf(account)).toHaveLength(end === changePassword ? 1 : 0);
  });

  it('lets no session be opened by a code that was right a moment before', async () => {
    const account = await identity.account();
    const { recoveryCodes } = await enrol(identity, account);
    const { challengeId } = (await identity.login(account.email)).body;
    beforeOpening(() => signOutEverywhere(account));
    const answer = await identity.post('/api/auth/mfa/verify', { challengeId, code: recoveryCodes[0] });
    expect([answer.status, answer.body.code]).toEqual([401, 'INVALID_CREDENTIALS']);
    expect(await sessionsOf(account)).toEqual([]);
  });

  it('lets no session be opened by an enrolment that was completed a moment before', async () => {
    const owner = await identity.account();
    const member = await identity.member(owner);
    const policy = { token: owner.accessToken, body: { secondFactor: 'required' } };
    expect((await identity.request('PUT', '/api/tenant/sign-in-policy', policy)).status).toBe(200);
    const { enrolmentToken } = (await identity.login(member.email)).body;
    const { secret } = (await identity.post('/api/auth/mfa/enrolment', { enrolmentToken })).body;
    const code = new TestAuthenticator(identity, member.tenantId, secret).code();
    beforeOpening(() => signOutEverywhere(member));
    const { status } = await identity.post('/api/auth/mfa/enrolment/confirm', { enrolmentToken, code });
    expect(status).toBe(401);
    expect(await sessionsOf(member)).toEqual([]);
  });

  it('lets no session be opened by a provider that was asked a moment before', async () => {
    const email = newEmail().replace(/@.*/, `@${stage.workspace.domain}`);
    const added = { email, name: 'Ada', password: PASSWORD, roles: ['member'] };
    await identity.post('/api/tenant/users', added, stage.workspace.owner.accessToken);
    const member = await identity.signedIn(email);
    const begun = await stage.begun();
    stage.provider.person = { sub: `sub-of-${email}`, email, nonce: begun.nonce };
    beforeOpening(() => end(member));
    expect((await stage.exchanged(begun)).status).toBe(401);
    expect(await sessionsOf(member)).toHaveLength(end === changePassword ? 1 : 0);
  });
});

describe('a passkey that is removed', () => {
  it('with everything else opens no session, although it was right a moment before', async () => {
    const { account, authenticator } = await passkeyAccount(identity);
    const passkeys = identity.get(PasskeyRepository);
    const use = passkeys.use.bind(passkeys);
    jest.spyOn(passkeys, 'use').mockImplementationOnce(async (tx, ...call) => {
      const used = await use(tx, ...call);
      await tx.query('DELETE FROM passkey WHERE user_id = $1', [account.userId]);
      return used;
    });
    const { challengeId, publicKey } = await signInOptions(identity);
    const credential = authenticator.get(publicKey);
    const before = await sessionsOf(account);
    const { status } = await identity.post('/api/auth/login/passkey', { challengeId, credential });
    expect([status, await sessionsOf(account)]).toEqual([401, before]);
  });

  it('after the account was read opens no session either', async () => {
    const { account, authenticator } = await passkeyAccount(identity);
    const { challengeId, publicKey } = await signInOptions(identity);
    const credential = authenticator.get(publicKey);
    beforeOpening(() => signOutEverywhere(account));
    expect((await identity.post('/api/auth/login/passkey', { challengeId, credential })).status).toBe(401);
    expect(await sessionsOf(account)).toEqual([]);
  });
});

describe('a password that is changed while it is checked', () => {
  const setMfa = ({ accessToken }: Account, enabled: boolean): Promise<Answer> =>
    identity.request('PUT', '/api/auth/mfa', { token: accessToken, body: { enabled, password: PASSWORD } });
  const isOn = async (account: Account) =>
    (await rows(account, 'SELECT 1 FROM app_user WHERE id = $1 AND mfa_enabled', [account.userId])).length === 1;

  it('turns the second factor neither on nor off', async () => {
    const account = await identity.account();
    const another = await identity.signedIn(account.email);
    afterCheck(() => changePassword(another));
    const { status, body } = await setMfa(account, true);
    expect([status, body.code, await isOn(account)]).toEqual([401, 'INVALID_CREDENTIALS', false]);
  });

  it('sends no link that changes the address', async () => {
    const account = await identity.account();
    const stored = jest.spyOn(identity.get(EmailChangeRepository), 'replacePending');
    // A change of the password waits for this check of the same user's; other ends do not.
    afterCheck(() => signOutEverywhere(account));
    await identity.post('/api/auth/email-change', { email: newEmail(), password: PASSWORD }, account.accessToken);
    await identity.get(AfterResponse).beforeApplicationShutdown();
    expect(stored).not.toHaveBeenCalled();
    expect(await rows(account, 'SELECT 1 FROM email_change')).toEqual([]);
  });
});
