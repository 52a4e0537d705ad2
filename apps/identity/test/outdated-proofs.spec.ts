import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { decodeJwt } from 'jose';
import { EmailChangeRepository } from '../src/email-changes/email-change.repository.js';
import { AfterResponse } from '../src/mail/after-response.service.js';
import { PasskeyRepository } from '../src/passkeys/passkey.repository.js';
import { PasswordService } from '../src/passwords/password.service.js';
import { SessionService } from '../src/sessions/session.service.js';
import { enrol, protectedAccount, TestAuthenticator } from './authenticators.js';
import { type Account, type Answer, NEW_PASSWORD, newEmail, outcome, PASSWORD, USERS } from './identity.js';
import { optionsFor, passkeyAccount, register, signInOptions } from './passkeys.js';
import { prove } from './persons.js';
import { Browser } from './single-sign-on/browser.js';
import { Stage } from './single-sign-on/stage.js';
import { SoftwareAuthenticator } from './software-authenticator.js';

// What was proven with a password, and the password is changed before it is of use: the moment between the two takes
// milliseconds, and anyone who is shut out by the change can ask as often as they like.

const stage = Stage.ofFile();
const { identity } = stage;
afterEach(() => {
  jest.restoreAllMocks();
});

const INVALID = [401, 'INVALID_CREDENTIALS'];
const PASSKEYS = '/api/auth/login/passkey';
const changePassword = (account: Account, more: object = {}) =>
  identity.send('POST', '/api/auth/password', account, {
    currentPassword: PASSWORD,
    newPassword: NEW_PASSWORD,
    ...more,
  });
const signOutEverywhere = (account: Account) => identity.send('DELETE', '/api/auth/sessions', account);
const verify = (challengeId: string, code?: string) => identity.post('/api/auth/mfa/verify', { challengeId, code });
const startEnrolment = (enrolmentToken: string) => identity.post('/api/auth/mfa/enrolment', { enrolmentToken });
const confirmEnrolment = (enrolmentToken: string, code: string) =>
  identity.post('/api/auth/mfa/enrolment/confirm', { enrolmentToken, code });
/** What would open a session with a passkey. */
async function passkeyAnswer(authenticator: SoftwareAuthenticator) {
  const { challengeId, publicKey } = await signInOptions(identity);
  return { challengeId, credential: authenticator.get(publicKey) };
}
/** A user of the workspace who has proven their address, so that the provider opens the account that they have. */
async function colleague(): Promise<Account> {
  const account = await stage.colleague();
  await prove(identity, account);
  return account;
}
type Holder = Pick<Account, 'tenantId' | 'userId' | 'accessToken'>;
const query = ({ tenantId, userId }: Holder, sql: string) => identity.query(tenantId, sql, [userId]);
const sessionsOf = (account: Account) => query(account, 'SELECT id FROM session WHERE user_id = $1 ORDER BY id');

/** An enrolment that a sign-in demands, and the code that would complete it. */
async function demandedEnrolment() {
  const { owner, member } = await identity.team('member');
  const policy = { secondFactor: 'required' };
  expect((await identity.send('PUT', '/api/tenant/sign-in-policy', owner, policy)).status).toBe(200);
  const { enrolmentToken } = (await identity.login(member.email)).body;
  const { secret } = (await startEnrolment(enrolmentToken)).body;
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

const ENDS: [string, (account: Account) => Promise<Answer>, number][] = [
  ['a change of the password', changePassword, 200],
  ['signing out everywhere', signOutEverywhere, 204],
];

describe.each(ENDS)('%s', (_what, call, status) => {
  const end = async (account: Account) => expect((await call(account)).status).toBe(status);
  /** A change of the password leaves the session that made it. */
  const left = call === changePassword ? 1 : 0;

  it('lets no session be opened by a password that was right a moment before', async () => {
    const account = await identity.account();
    afterCheck(() => end(account));
    expect(await outcome(identity.login(account.email))).toEqual(INVALID);
    expect(await sessionsOf(account)).toHaveLength(left);
  });

  it('lets no session be opened by a provider that was asked a moment before', async () => {
    const member = await colleague();
    const begun = await stage.begunBy(member.email);
    beforeOpening(() => end(member));
    expect((await stage.exchanged(begun)).status).toBe(401);
    expect(await sessionsOf(member)).toHaveLength(left);
  });

  it('ends an enrolment that was begun with the password of before', async () => {
    const { member, enrolmentToken, code } = await demandedEnrolment();
    await end(member);
    expect(await outcome(confirmEnrolment(enrolmentToken, code))).toEqual(INVALID);
  });

  it('ends a sign-in whose page has yet to exchange the code of the provider', async () => {
    const member = await colleague();
    const { browser, state } = await stage.begunBy(member.email);
    const { code } = await browser.comeBack(stage.callback(state));
    await end(member);
    expect(await outcome(browser.exchange(code ?? ''))).toEqual([410, 'SINGLE_SIGN_ON_EXPIRED']);
  });
});

describe('signing out everywhere', () => {
  it('lets no session be opened by a code that was right a moment before', async () => {
    const { account, recoveryCodes } = await protectedAccount(identity);
    const { challengeId } = (await identity.login(account.email)).body;
    beforeOpening(() => signOutEverywhere(account));
    expect(await outcome(verify(challengeId, recoveryCodes[0]))).toEqual(INVALID);
    expect(await sessionsOf(account)).toEqual([]);
  });

  it('lets no session be opened by an enrolment that was completed a moment before', async () => {
    const { member, enrolmentToken, code } = await demandedEnrolment();
    beforeOpening(() => signOutEverywhere(member));
    expect((await confirmEnrolment(enrolmentToken, code)).status).toBe(401);
    expect(await sessionsOf(member)).toEqual([]);
  });

  it('ends a sign-in that waits for a code', async () => {
    const { account, app } = await protectedAccount(identity);
    const { challengeId } = (await identity.login(account.email)).body;
    await signOutEverywhere(account);
    expect((await verify(challengeId, await app.freshCode())).status).toBe(401);
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
    const answer = await passkeyAnswer(authenticator);
    const before = await sessionsOf(account);
    const { status } = await identity.post(PASSKEYS, answer);
    expect([status, await sessionsOf(account)]).toEqual([401, before]);
  });

  it('after the account was read opens no session either', async () => {
    const { account, authenticator } = await passkeyAccount(identity);
    const answer = await passkeyAnswer(authenticator);
    beforeOpening(() => signOutEverywhere(account));
    expect((await identity.post(PASSKEYS, answer)).status).toBe(401);
    expect(await sessionsOf(account)).toEqual([]);
  });
});

describe('a password that is changed while it is checked', () => {
  const isOn = async (account: Account) =>
    (await query(account, 'SELECT 1 FROM app_user WHERE id = $1 AND mfa_enabled')).length === 1;

  it('turns the second factor neither on nor off', async () => {
    const account = await identity.account();
    const another = await identity.signedIn(account.email);
    afterCheck(() => changePassword(another));
    const answer = await identity.setSecondFactor(account.accessToken, true);
    expect([...(await outcome(answer)), await isOn(account)]).toEqual([...INVALID, false]);
  });

  it('sends no link that changes the address', async () => {
    const account = await identity.account();
    const stored = jest.spyOn(identity.get(EmailChangeRepository), 'replacePending');
    // A change of the password waits for this check of the same user's; other ends do not.
    afterCheck(() => signOutEverywhere(account));
    await identity.post('/api/auth/email-change', { email: newEmail(), password: PASSWORD }, account.accessToken);
    await identity.get(AfterResponse).beforeApplicationShutdown();
    expect(stored).not.toHaveBeenCalled();
    expect(await identity.query(account.tenantId, 'SELECT 1 FROM email_change')).toEqual([]);
  });
});

const forgetProofs = (holder: Holder) => query(holder, 'UPDATE session SET proven_at = NULL WHERE user_id = $1');
const forgetPassword = (holder: Holder) => query(holder, 'UPDATE app_user SET password_hash = NULL WHERE id = $1');
const codeAndProofs = ({ status, body }: Answer) => [status, body.code, (body as { proofs?: string[] }).proofs];
/** What a call is answered with that needs a recent proof, which there is none of. */
const refusalOf = async (holder: Holder) => {
  await forgetProofs(holder);
  return codeAndProofs(await identity.send('POST', '/api/auth/passkeys/options', holder));
};
const stepUp = (holder: Holder, proof: object) => identity.send('POST', '/api/auth/step-up', holder, proof);
const stepUpByPasskey = async (holder: Holder, authenticator: SoftwareAuthenticator) => {
  const path = '/api/auth/step-up/passkey';
  const { challengeId, publicKey } = await optionsFor(identity, `${path}/options`, holder.accessToken);
  return identity.send('POST', path, holder, { challengeId, credential: authenticator.get(publicKey) });
};
const setMfa = (holder: Holder, body: object) => identity.send('PUT', '/api/auth/mfa', holder, body);
const changeEmail = (holder: Holder) => identity.send('POST', '/api/auth/email-change', holder, { email: newEmail() });

/** Someone whom a provider has brought: they have no password. */
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
    const { account } = await protectedAccount(identity);
    const proofs = ['authenticator', 'recovery_code'];
    expect(await refusalOf(account)).toEqual([403, 'STEP_UP_REQUIRED', proofs]);
    expect(codeAndProofs(await stepUp(account, { password: PASSWORD }))).toEqual([...INVALID, proofs]);
  });

  it('a passkey, with and without a password', async () => {
    const { account } = await passkeyAccount(identity);
    expect(await refusalOf(account)).toEqual([403, 'STEP_UP_REQUIRED', ['passkey', 'password']]);
    await forgetPassword(account);
    expect(await refusalOf(account)).toEqual([403, 'STEP_UP_REQUIRED', ['passkey']]);
    expect(codeAndProofs(await stepUp(account, { password: PASSWORD }))).toEqual([...INVALID, ['passkey']]);
  });

  it('the provider of the workspace, unless it knows no second factor where the account has one', async () => {
    const person = await broughtByProvider();
    expect(await refusalOf(person)).toEqual([403, 'STEP_UP_REQUIRED', ['identity_provider']]);
    await query(person, 'UPDATE app_user SET mfa_enabled = true WHERE id = $1');
    expect(await refusalOf(person)).toEqual([403, 'STEP_UP_REQUIRED', []]);
    const path = `/api/tenant/identity-providers/${stage.configured.id}`;
    const change = (secondFactorValues: string[]) =>
      identity.send('PATCH', path, stage.workspace.owner, { secondFactorValues });
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
    // The same holds after a password: what was proven before the factor was there does not turn it off.
    expect((await setMfa(account, { enabled: false })).body.code).toBe('STEP_UP_REQUIRED');
    expect((await stepUpByPasskey(account, authenticator)).status).toBe(204);
    expect((await setMfa(account, { enabled: false })).status).toBe(204);
  });

  it('answers the second factor besides, where it is on', async () => {
    const { account, authenticator } = await passkeyAccount(identity);
    await enrol(identity, account);
    await forgetPassword(account);
    await stepUpByPasskey(account, authenticator);
    expect(await changeEmail(account)).toMatchObject({ status: 202, body: { mfaRequired: true } });
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
    expect(await Promise.all(attempts.map(outcome))).toEqual([INVALID, INVALID]);
  });
});

async function demand({ singleSignOn, secondFactor }: { singleSignOn?: boolean; secondFactor?: string }) {
  const set = async (path: string, body: object) => {
    const { status } = await identity.send('PUT', `/api/tenant/sign-in-policy${path}`, stage.workspace.owner, body);
    expect(status).toBeLessThan(300);
  };
  if (singleSignOn !== undefined) await set('/single-sign-on', { required: singleSignOn });
  if (secondFactor !== undefined) await set('', { secondFactor });
}

/** What the exchange answers when someone of the provider has come back from it. */
const atProvider = async ({ email }: Account) => (await stage.exchanged(await stage.begunBy(email))).body;

describe('a challenge', () => {
  it('of a change of the account opens no session', async () => {
    const member = await colleague();
    const { app } = await enrol(identity, member);
    const asked = await changePassword(member);
    expect(asked.body).toMatchObject({ mfaRequired: true });
    const { challengeId } = asked.body;
    expect(await outcome(verify(challengeId, await app.freshCode()))).toEqual(INVALID);
    // It is still good for what it was asked for.
    const changed = await changePassword(member, { challengeId, code: await app.freshCode() });
    expect(changed.status).toBeLessThan(300);
  });

  it('of a sign-in changes no account', async () => {
    const member = await colleague();
    const { app } = await enrol(identity, member);
    const { challengeId } = (await identity.login(member.email)).body;
    expect(await outcome(changePassword(member, { challengeId, code: await app.freshCode() }))).toEqual(INVALID);
    expect((await verify(challengeId, await app.freshCode())).status).toBe(200);
  });
});

describe('single sign-on that is required after the password was given', () => {
  const REQUIRED = [403, 'SINGLE_SIGN_ON_REQUIRED'];
  afterEach(() => demand({ singleSignOn: false, secondFactor: 'optional' }));

  it('refuses the code of a member, and takes that of an owner', async () => {
    const member = await colleague();
    const { app } = await enrol(identity, member);
    const owned = await enrol(identity, stage.workspace.owner);
    const ofMember = (await identity.login(member.email)).body;
    const ofOwner = (await identity.login(stage.workspace.owner.email)).body;
    await demand({ singleSignOn: true });
    expect(await outcome(verify(ofMember.challengeId, await app.freshCode()))).toEqual(REQUIRED);
    expect((await verify(ofOwner.challengeId, await owned.app.freshCode())).status).toBe(200);
  });

  it('refuses an enrolment that a password began, and adds no authenticator', async () => {
    const member = await colleague();
    await demand({ secondFactor: 'required' });
    const { enrolmentToken } = (await identity.login(member.email)).body;
    const { secret } = (await startEnrolment(enrolmentToken)).body;
    const app = new TestAuthenticator(identity, member.tenantId, secret);
    await demand({ singleSignOn: true });
    const answers = [await startEnrolment(enrolmentToken), await confirmEnrolment(enrolmentToken, app.code())];
    expect(await Promise.all(answers.map(outcome))).toEqual([REQUIRED, REQUIRED]);
    const { body } = await identity.send('GET', '/api/auth/mfa', member);
    expect(body).toMatchObject({ enabled: false, authenticator: false });
  });

  it('takes what the provider began: a code, and an enrolment', async () => {
    const [withApp, without] = [await colleague(), await colleague()];
    const { app } = await enrol(identity, withApp);
    await demand({ singleSignOn: true, secondFactor: 'required' });
    const asked = await atProvider(withApp);
    expect((await verify(asked.challengeId, await app.freshCode())).status).toBe(200);
    const { enrolmentToken } = await atProvider(without);
    const { secret } = (await startEnrolment(enrolmentToken)).body;
    const code = new TestAuthenticator(identity, without.tenantId, secret).code();
    const opened = { status: 200, body: { accessToken: expect.any(String) } };
    expect(await confirmEnrolment(enrolmentToken, code)).toMatchObject(opened);
  });

  it('offers a passkey only to whom it would let in', async () => {
    const [member, other] = [await colleague(), await colleague()];
    for (const account of [member, other]) {
      const authenticator = new SoftwareAuthenticator(USERS.origins[0] ?? '');
      expect((await register(identity, account, authenticator)).status).toBe(201);
    }
    await enrol(identity, other);
    await demand({ secondFactor: 'required' });
    expect((await atProvider(member)).methods).toEqual(['mail', 'passkey']);
    await demand({ singleSignOn: true });
    expect((await atProvider(member)).methods).toEqual(['mail']);
    expect((await atProvider(other)).methods).toEqual(['authenticator', 'recovery_code']);
  });
});
