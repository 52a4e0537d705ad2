import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { decodeJwt } from 'jose';
import { EmailChangeRepository } from '../src/accounts/accounts.repository.js';
import { AfterResponse } from '../src/accounts/after-response.service.js';
import { SessionService } from '../src/sessions/session.service.js';
import { PasskeyRepository } from '../src/sign-in/factor.repository.js';
import { PasswordService } from '../src/sign-in/password.service.js';
import { enrol, TestAuthenticator } from './authenticators.js';
import { type Account, type Answer, NEW_PASSWORD, newEmail, PASSWORD, type TestIdentity } from './identity.js';
import { optionsFor, passkeyAccount, signInOptions } from './passkeys.js';
import { Browser } from './single-sign-on/browser.js';
import { Stage } from './single-sign-on/stage.js';
import { type SoftwareAuthenticator } from './software-authenticator.js';

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

/** An enrolment that a sign-in demands, and the code that would complete it. */
async function demandedEnrolment() {
  const { owner, member } = await identity.team('member');
  const policy = { token: owner.accessToken, body: { secondFactor: 'required' } };
  expect((await identity.request('PUT', '/api/tenant/sign-in-policy', policy)).status).toBe(200);
  const { enrolmentToken } = (await identity.login(member.email)).body;
  const { secret } = (await identity.post('/api/auth/mfa/enrolment', { enrolmentToken })).body;
  return { member, enrolmentToken, code: new TestAuthenticator(identity, member.tenantId, secret).code() };
}

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
    const { member, enrolmentToken, code } = await demandedEnrolment();
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

type Holder = Pick<Account, 'tenantId' | 'userId' | 'accessToken'>;
const query = ({ tenantId, userId }: Holder, sql: string) => identity.query(tenantId, sql, [userId]);
const forgetProofs = (holder: Holder) => query(holder, 'UPDATE session SET proven_at = NULL WHERE user_id = $1');
const forgetPassword = (holder: Holder) => query(holder, 'UPDATE app_user SET password_hash = NULL WHERE id = $1');
const codeAndProofs = ({ status, body }: Answer) => [status, body.code, (body as { proofs?: string[] }).proofs];
/** What a call is answered with that needs a recent proof, which there is none of. */
const refusalOf = async (holder: Holder) => {
  await forgetProofs(holder);
  return codeAndProofs(await identity.post('/api/auth/passkeys/options', undefined, holder.accessToken));
};
const stepUp = ({ accessToken }: Holder, proof: object) => identity.post('/api/auth/step-up', proof, accessToken);
const stepUpByPasskey = async ({ accessToken }: Holder, authenticator: SoftwareAuthenticator) => {
  const { challengeId, publicKey } = await optionsFor(identity, '/api/auth/step-up/passkey/options', accessToken);
  const answer = { challengeId, credential: authenticator.get(publicKey) };
  return identity.post('/api/auth/step-up/passkey', answer, accessToken);
};
const setMfa = ({ accessToken }: Holder, body: object) =>
  identity.request('PUT', '/api/auth/mfa', { token: accessToken, body });
const changeEmail = ({ accessToken }: Holder, body: object = {}) =>
  identity.post('/api/auth/email-change', { email: newEmail(), ...body }, accessToken);

/** Somebody whom a provider has brought: they have no password. */
async function broughtByProvider(at = stage.configured): Promise<Holder> {
  const name = newEmail().replace(/@.*/, '');
  stage.provider.claims = { sub: name, email: `${name}@${stage.workspace.domain}` };
  const { body } = await stage.exchanged(await stage.begun(at), at);
  const { sub, tid } = decodeJwt(body.accessToken) as { sub: string; tid: string };
  return { userId: sub, tenantId: tid, accessToken: body.accessToken };
}

describe('a refusal for want of a proof says which ones are possible', () => {
  it('the password', async () => {
    expect(await refusalOf(await identity.account())).toEqual([403, 'STEP_UP_REQUIRED', ['password']]);
  });

  it('the authenticator, with its recovery codes, and not the password then', async () => {
    const account = await identity.account();
    await enrol(identity, account);
    expect(await refusalOf(account)).toEqual([403, 'STEP_UP_REQUIRED', ['authenticator', 'recovery_code']]);
    expect(codeAndProofs(await stepUp(account, { password: PASSWORD }))).toEqual([
      401,
      'INVALID_CREDENTIALS',
      ['authenticator', 'recovery_code'],
    ]);
  });

  it('a passkey, with and without a password', async () => {
    const { account } = await passkeyAccount(identity);
    expect(await refusalOf(account)).toEqual([403, 'STEP_UP_REQUIRED', ['passkey', 'password']]);
    await forgetPassword(account);
    expect(await refusalOf(account)).toEqual([403, 'STEP_UP_REQUIRED', ['passkey']]);
    const answer = await stepUp(account, { password: PASSWORD });
    expect(codeAndProofs(answer)).toEqual([401, 'INVALID_CREDENTIALS', ['passkey']]);
  });

  it('the provider of the workspace, unless it knows no second factor where the account has one', async () => {
    const person = await broughtByProvider();
    expect(await refusalOf(person)).toEqual([403, 'STEP_UP_REQUIRED', ['identity_provider']]);
    await query(person, 'UPDATE app_user SET mfa_enabled = true WHERE id = $1');
    expect(await refusalOf(person)).toEqual([403, 'STEP_UP_REQUIRED', []]);
    const change = (secondFactorValues: string[]) =>
      identity.request('PATCH', `/api/tenant/identity-providers/${stage.configured.id}`, {
        token: stage.workspace.owner.accessToken,
        body: { secondFactorValues },
      });
    expect((await change(['mfa'])).status).toBe(200);
    expect(await refusalOf(person)).toEqual([403, 'STEP_UP_REQUIRED', ['identity_provider']]);
    await change([]);
  });
});

describe('a user without a password', () => {
  it('proves themselves by a passkey, and changes what others change with their password', async () => {
    const { account, authenticator } = await passkeyAccount(identity);
    await forgetPassword(account);
    await forgetProofs(account);
    const attempts = () => Promise.all([setMfa(account, { enabled: true }), changeEmail(account)]);
    expect((await attempts()).map(codeAndProofs)).toEqual(Array(2).fill([403, 'STEP_UP_REQUIRED', ['passkey']]));
    // Nor is any password theirs.
    expect((await setMfa(account, { enabled: true, password: '' })).status).toBe(401);
    expect((await stepUpByPasskey(account, authenticator)).status).toBe(204);
    expect((await changeEmail(account)).status).toBe(202);
    expect((await setMfa(account, { enabled: true })).status).toBe(204);
    // As after a password: what was proven before the factor was there does not turn it off.
    expect((await setMfa(account, { enabled: false })).body.code).toBe('STEP_UP_REQUIRED');
    expect((await stepUpByPasskey(account, authenticator)).status).toBe(204);
    expect((await setMfa(account, { enabled: false })).status).toBe(204);
  });

  it('answers the second factor besides, where it is on', async () => {
    const { account, authenticator } = await passkeyAccount(identity);
    await enrol(identity, account);
    await forgetPassword(account);
    await stepUpByPasskey(account, authenticator);
    const { status, body } = await changeEmail(account);
    expect([status, body]).toMatchObject([202, { mfaRequired: true }]);
  });

  it('proves themselves at the provider', async () => {
    const person = await broughtByProvider();
    expect((await changeEmail(person)).body.code).toBe('STEP_UP_REQUIRED');
    const browser = new Browser(identity);
    const sent = await browser.startStepUp(stage.configured.signInId, person.accessToken);
    stage.provider.person = { nonce: sent.searchParams.get('nonce') };
    stage.provider.claims = { ...stage.provider.claims, auth_time: Math.floor(Date.now() / 1000) };
    const callback = stage.callback(sent.searchParams.get('state') ?? '');
    expect(await browser.comeBack(callback)).toEqual({ proof: 'noted' });
    expect((await changeEmail(person)).status).toBe(202);
  });
});

describe('a user with a password', () => {
  it('cannot do without it by a proof of the session', async () => {
    const { account, authenticator } = await passkeyAccount(identity);
    expect((await stepUpByPasskey(account, authenticator)).status).toBe(204);
    const attempts = await Promise.all([setMfa(account, { enabled: true }), changeEmail(account)]);
    expect(attempts.map(({ status, body }) => [status, body.code])).toEqual(
      Array(2).fill([401, 'INVALID_CREDENTIALS']),
    );
  });
});

describe('sign-ins that are half done', () => {
  describe.each([
    ['a change of the password', changePassword],
    ['signing out everywhere', signOutEverywhere],
  ])('%s', (_, end) => {
    it('ends an enrolment that was begun with the password of before', async () => {
      const { member, enrolmentToken, code } = await demandedEnrolment();
      await end(member);
      const { status, body } = await identity.post('/api/auth/mfa/enrolment/confirm', { enrolmentToken, code });
      expect([status, body.code]).toEqual([401, 'INVALID_CREDENTIALS']);
    });

    it('ends a sign-in whose page has yet to exchange the code of the provider', async () => {
      const { identity, workspace } = stage;
      const email = newEmail().replace(/@.*/, `@${workspace.domain}`);
      const added = { email, name: 'Ada', password: PASSWORD, roles: ['member'] };
      expect((await identity.post('/api/tenant/users', added, workspace.owner.accessToken)).status).toBe(201);
      const member = await identity.signedIn(email);
      const { browser, state, nonce } = await stage.begun();
      stage.provider.person = { sub: `sub-of-${email}`, email, nonce };
      const { code } = await browser.comeBack(stage.callback(state));
      await end(member);
      const { status, body } = await browser.exchange(code ?? '');
      expect([status, body.code]).toEqual([410, 'SINGLE_SIGN_ON_EXPIRED']);
    });
  });

  describe('signing out everywhere', () => {
    it('ends a sign-in that waits for a code', async () => {
      const { identity } = stage;
      const account = await identity.account();
      const { app } = await enrol(identity, account);
      const { challengeId } = (await identity.login(account.email)).body;
      await signOutEverywhere(account);
      const { status } = await identity.post('/api/auth/mfa/verify', { challengeId, code: await app.freshCode() });
      expect(status).toBe(401);
    });
  });
});
