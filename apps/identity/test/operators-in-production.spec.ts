import { TokenVerifier } from '@crm/access';
import { AUDIENCES, type PlatformError } from '@crm/contracts';
import { Database, newId } from '@crm/database';
import { waitUntil } from '@crm/testing';
import { describe, expect, it, jest } from '@jest/globals';
import { FREE_TRIES } from '../src/guesses/code-guess.service.js';
import { DeviceTokens } from '../src/guesses/device-tokens.js';
import { createOperator, resetOperator } from '../src/operator.js';
import { OperatorSessionService } from '../src/operators/operator-session.service.js';
import { PLATFORM_TENANT } from '../src/platform-tenant.js';
import { TestAuthenticator } from './authenticators.js';
import { codeOf } from './checks.js';
import { OPERATORS, outcome, PASSWORD, TestIdentity, USERS } from './identity.js';
import { type OperatorsCall, type OperatorTokens, ORIGIN, TestOperators } from './operators.js';
import { signInOptions } from './passkeys.js';
import { SoftwareAuthenticator } from './software-authenticator.js';

const identity = TestIdentity.ofFile({ profile: 'production' });
const operators = new TestOperators(identity);

const verify = (token: string) => identity.get(TokenVerifier).verify(token, [AUDIENCES.admin]);

/** An operator of production, signed in with the authenticator that the first sign-in set up. */
async function enrolled() {
  const email = await operators.create();
  const { enrolmentToken = '' } = await operators.login(email);
  const { secret } = await operators.call('startEnrolment', { enrolmentToken });
  const app = new TestAuthenticator(identity, PLATFORM_TENANT, secret);
  const tokens = await operators.call('confirmEnrolment', { enrolmentToken, code: app.code(), ...ORIGIN });
  const id = (await verify(tokens.accessToken)).userId;
  return { id, email, app, tokens };
}

describe('an operator in production', () => {
  const sendCode = (challengeId: string, code: string) =>
    operators.call('verifyCode', { challengeId, code, ...ORIGIN });
  const refusedCode = (challengeId: string, code: string) =>
    operators.refusal('verifyCode', { challengeId, code, ...ORIGIN });

  it('never signs in by password alone: an authenticator is set up first, and asked for from then on', async () => {
    const { email, app, tokens } = await enrolled();
    expect((await verify(tokens.accessToken)).roles).toEqual(['administrator']);
    expect(tokens.recoveryCodes).toHaveLength(10);
    for (const code of tokens.recoveryCodes) expect(code).toMatch(/^([A-Z2-7]{4}-){6}[A-Z2-7]{4}$/);
    const signIn = await operators.login(email);
    expect(signIn).toEqual({
      mfaRequired: true,
      challengeId: expect.any(String),
      expiresIn: 600,
      methods: ['authenticator', 'recovery_code'],
    });
    expect(await refusedCode(signIn.challengeId ?? '', app.wrongCode())).toBe('INVALID_CREDENTIALS');
    const code = await app.freshCode();
    expect((await sendCode(signIn.challengeId ?? '', code)).expiresIn).toBe(900);
    const { challengeId = '' } = await operators.login(email);
    expect(await refusedCode(challengeId, code)).toBe('INVALID_CREDENTIALS');
    expect((await sendCode(challengeId, tokens.recoveryCodes[0] ?? '')).expiresIn).toBe(900);
  });

  it('gets no token with an enrolment that is not finished', async () => {
    const email = await operators.create();
    const { enrolmentToken = '' } = await operators.login(email);
    await operators.call('startEnrolment', { enrolmentToken });
    expect(await operators.login(email)).toMatchObject({ mfaEnrolmentRequired: true });
    const ofUsers = await identity.post('/api/auth/mfa/enrolment', { enrolmentToken });
    expect(await outcome(ofUsers)).toEqual([401, 'INVALID_CREDENTIALS']);
  });

  it('is slowed down when codes are guessed', async () => {
    const { email, app } = await enrolled();
    for (let count = 0; count < FREE_TRIES; count += 1) {
      const { challengeId = '' } = await operators.login(email);
      expect(await refusedCode(challengeId, app.wrongCode())).toBe('INVALID_CREDENTIALS');
    }
    const { challengeId = '' } = await operators.login(email);
    expect(await refusedCode(challengeId, await app.freshCode())).toBe('RATE_LIMITED');
  });

  it('sets up a new authenticator when an administrator or the command has removed the lost one', async () => {
    const [administrator, lost] = [await enrolled(), await enrolled()];
    const { accessToken } = administrator.tokens;
    await operators.call('resetAuthenticator', { id: lost.id }, accessToken);
    expect(await operators.login(lost.email)).toMatchObject({ mfaEnrolmentRequired: true });
    expect(await operators.refusal('resetAuthenticator', { id: administrator.id }, accessToken)).toBe('CONFLICT');
    await resetOperator(identity.get(Database), administrator.email);
    expect(await operators.login(administrator.email)).toMatchObject({ mfaEnrolmentRequired: true });
    await waitUntil(async () => (await codeOf(verify(accessToken))) !== 'no error', {
      timeoutMs: 3000,
      describe: 'a running process revokes what the command ended',
    });
  });

  it('opens no session by what was proven before the command has removed the lost authenticator', async () => {
    const { email, app } = await enrolled();
    const reset = () => resetOperator(identity.get(Database), email);
    const { challengeId = '' } = await operators.login(email);
    const code = await app.freshCode();
    const sessions = identity.get(OperatorSessionService);
    const open = sessions.open.bind(sessions);
    // The code was right, and the session is about to be opened.
    jest.spyOn(sessions, 'open').mockImplementationOnce(async (...call) => {
      await reset();
      return open(...call);
    });
    expect(await refusedCode(challengeId, code)).toBe('INVALID_CREDENTIALS');
    // The password was right, and an authenticator is about to be set up.
    const { enrolmentToken = '' } = await operators.login(email);
    await reset();
    expect(await operators.refusal('startEnrolment', { enrolmentToken })).toBe('INVALID_CREDENTIALS');
  });
});

describe('the command for operators', () => {
  const ada = { email: 'Ada@Platform.test', name: 'Ada', password: PASSWORD, role: 'administrator' };
  const create = (changes: object) => createOperator(identity.get(Database), { ...ada, ...changes });

  it('creates an operator who can sign in, in the production profile as well', async () => {
    await create({});
    const credentials = { email: 'ada@platform.test', password: PASSWORD, newPassword: 'tidal-lantern-orbits-quietly' };
    expect(await operators.call('login', { ...credentials, ...ORIGIN })).toMatchObject({ mfaEnrolmentRequired: true });
  });

  it('leaves an operator who exists as they are', async () => {
    const email = 'grace@platform.test';
    await create({ email });
    const password = 'another-long-password';
    await expect(create({ email: 'GRACE@platform.test', password })).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await operators.refusal('login', { email, password, ...ORIGIN })).toBe('INVALID_CREDENTIALS');
    expect(await codeOf(operators.login(email))).toBe('VALIDATION_FAILED');
  });

  it.each([
    [{ email: 'nobody' }, '/email'],
    [{ email: 'a@platform.test', name: ' ' }, '/name'],
    [{ email: 'a@platform.test', password: 'short' }, '/password'],
    [{ email: 'a@platform.test', role: 'owner' }, '/role'],
    [{ email: 'a@platform.test', workspace: 'Acme' }, '/workspace'],
  ])('refuses what an operator cannot have: %j', async (changes, pointer) => {
    const refusal = { code: 'VALIDATION_FAILED', extra: { errors: [{ pointer }] } };
    await expect(create(changes)).rejects.toMatchObject(refusal);
  });

  it.each([
    ['iloveyou2024', 'COMMON_PASSWORD'],
    ['1qaz2wsx3edc', 'COMMON_PASSWORD'],
    ['Grace-Hopper-1', 'OWN_DATA_PASSWORD'],
  ])('refuses a weak password, and creates nothing: %p', async (password, code) => {
    const email = `weak-${newId()}@platform.test`;
    const refusal = { code: 'WEAK_PASSWORD', extra: { errors: [{ pointer: '/password', code }] } };
    await expect(create({ email, name: 'Grace Hopper', password })).rejects.toMatchObject(refusal);
    expect(await operators.refusal('login', { email, password, ...ORIGIN })).toBe('INVALID_CREDENTIALS');
    await create({ email });
  });

  it('resets nobody with an address that no operator has', async () => {
    const reset = resetOperator(identity.get(Database), `${newId()}@platform.test`);
    await expect(reset).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('a passkey of an operator', () => {
  const [PAGE = ''] = OPERATORS.origins;

  async function register({ accessToken }: OperatorTokens, authenticator: SoftwareAuthenticator) {
    const { challengeId, publicKey } = await operators.call('passkeyOptions', {}, accessToken);
    const request = { challengeId, credential: authenticator.create(publicKey), userAgent: ORIGIN.userAgent };
    return operators.call('addPasskey', request, accessToken);
  }

  /** An operator with a passkey. */
  async function withPasskey() {
    const operator = await enrolled();
    const authenticator = new SoftwareAuthenticator(PAGE);
    const passkey = await register(operator.tokens, authenticator);
    return { ...operator, authenticator, passkey };
  }

  async function answerOf(authenticator: SoftwareAuthenticator) {
    const { challengeId, publicKey } = await operators.call('passkeySignInOptions', {});
    return { challengeId, credential: authenticator.get(publicKey), ...ORIGIN };
  }
  const signIn = async (authenticator: SoftwareAuthenticator) =>
    operators.call('signInByPasskey', await answerOf(authenticator));
  const refusedSignIn = async (authenticator: SoftwareAuthenticator) =>
    operators.refusal('signInByPasskey', await answerOf(authenticator));
  const query = (sql: string, parameters: unknown[] = []) => identity.query(PLATFORM_TENANT, sql, parameters);

  it('signs in to production at once, with the rights of the operator', async () => {
    const { tokens, authenticator, passkey } = await withPasskey();
    expect(passkey).toMatchObject({ name: 'Firefox on Linux', synced: false, lastUsedAt: null });
    const { accessToken } = await signIn(authenticator);
    const [before, after] = [await verify(tokens.accessToken), await verify(accessToken)];
    expect([after.userId, after.roles]).toEqual([before.userId, ['administrator']]);
    expect(await operators.call('listPasskeys', {}, accessToken)).toMatchObject({
      data: [{ id: passkey.id, lastUsedAt: expect.any(String) }],
    });
  });

  it('is by what an operator without an authenticator proves themselves, who has no proof in the password', async () => {
    const { id, tokens, passkey } = await withPasskey();
    const refused = (name: OperatorsCall, request: object) =>
      operators.call(name, request, tokens.accessToken).then(
        () => 'no error',
        ({ code, extra }: PlatformError) => [code, extra.members],
      );
    const remove = () => refused('removePasskey', { id: passkey.id });
    await identity.forgetProofs(PLATFORM_TENANT);
    expect(await remove()).toEqual(['STEP_UP_REQUIRED', { proofs: ['passkey', 'authenticator', 'recovery_code'] }]);
    await query('DELETE FROM authenticator WHERE user_id = $1', [id]);
    const byPasskey = { proofs: ['passkey'] };
    expect(await remove()).toEqual(['STEP_UP_REQUIRED', byPasskey]);
    expect(await refused('stepUp', { password: PASSWORD })).toEqual(['INVALID_CREDENTIALS', byPasskey]);
    expect(await remove()).toEqual(['STEP_UP_REQUIRED', byPasskey]);
  });

  it('makes the device known, as a password does', async () => {
    const { id, authenticator } = await withPasskey();
    const { deviceToken } = await signIn(authenticator);
    expect(identity.get(DeviceTokens).read(deviceToken)?.userId).toBe(id);
  });

  it('is offered after the password', async () => {
    const { email } = await withPasskey();
    expect((await operators.login(email)).methods).toEqual(['authenticator', 'recovery_code', 'passkey']);
  });

  it('is the only second factor of an operator without an authenticator; the password sets up none', async () => {
    const { id, email } = await withPasskey();
    await query('DELETE FROM authenticator WHERE user_id = $1', [id]);
    const { challengeId = '', ...rest } = await operators.login(email);
    expect(rest).toEqual({ mfaRequired: true, methods: ['passkey'], expiresIn: 600 });
    const guess = { challengeId, code: '123456', ...ORIGIN };
    expect(await operators.refusal('verifyCode', guess)).toBe('INVALID_CREDENTIALS');
  });

  it('proves again who uses the session', async () => {
    const { tokens, authenticator, passkey } = await withPasskey();
    const remove = () => operators.refusal('removePasskey', { id: passkey.id }, tokens.accessToken);
    await identity.forgetProofs(PLATFORM_TENANT);
    expect(await remove()).toBe('STEP_UP_REQUIRED');
    const { challengeId, publicKey } = await operators.call('passkeyStepUpOptions', {}, tokens.accessToken);
    const answer = { challengeId, credential: authenticator.get(publicKey) };
    await operators.call('stepUpByPasskey', answer, tokens.accessToken);
    expect(await remove()).toBe('no error');
    expect(await refusedSignIn(authenticator)).toBe('INVALID_CREDENTIALS');
  });

  it('is renamed, and neither renamed nor removed by a colleague', async () => {
    const { tokens, passkey } = await withPasskey();
    const { accessToken } = (await enrolled()).tokens;
    const { id } = passkey;
    expect((await operators.call('renamePasskey', { id, name: 'Key' }, tokens.accessToken)).name).toBe('Key');
    expect(await operators.refusal('renamePasskey', { id, name: 'Mine' }, accessToken)).toBe('NOT_FOUND');
    expect(await operators.refusal('removePasskey', { id }, accessToken)).toBe('NOT_FOUND');
  });

  it('is told to the operator by mail', async () => {
    const { email } = await withPasskey();
    const mails = await query('SELECT subject FROM mail WHERE recipient = $1 ORDER BY id', [email]);
    expect(mails).toEqual([
      { subject: 'An authenticator was added to your account' },
      { subject: 'A passkey was added to your account' },
    ]);
  });

  it('does not sign in a disabled operator', async () => {
    const { id, authenticator } = await withPasskey();
    const { accessToken } = (await enrolled()).tokens;
    await operators.call('changeOperator', { id, status: 'disabled' }, accessToken);
    expect(await refusedSignIn(authenticator)).toBe('INVALID_CREDENTIALS');
  });

  it('goes when an administrator or the command resets the operator', async () => {
    const [first, second] = [await withPasskey(), await withPasskey()];
    const { accessToken } = (await enrolled()).tokens;
    await operators.call('resetAuthenticator', { id: first.id }, accessToken);
    await resetOperator(identity.get(Database), second.email);
    for (const { email, authenticator } of [first, second]) {
      expect(await refusedSignIn(authenticator)).toBe('INVALID_CREDENTIALS');
      expect(await operators.login(email)).toMatchObject({ mfaEnrolmentRequired: true });
    }
  });

  it('is refused at the address of users, as are challenges of users at that of operators', async () => {
    const { authenticator } = await withPasskey();
    const forUsers = await signInOptions(identity);
    // A browser at the users' page would do this, if it let the authenticator.
    const atUsers = authenticator.get(forUsers.publicKey, { origin: USERS.origins[0] ?? '' });
    const body = { challengeId: forUsers.challengeId, credential: atUsers };
    expect((await identity.post('/api/auth/login/passkey', body)).body.code).toBe('INVALID_CREDENTIALS');
    const { challengeId, publicKey } = await signInOptions(identity);
    const credential = authenticator.get(publicKey, { origin: PAGE, rpId: OPERATORS.id });
    const request = { challengeId, credential, ...ORIGIN };
    expect(await operators.refusal('signInByPasskey', request)).toBe('INVALID_CREDENTIALS');
  });
});
