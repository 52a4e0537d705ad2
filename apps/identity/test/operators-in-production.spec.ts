import { TokenVerifier } from '@crm/access';
import { AUDIENCES } from '@crm/contracts';
import { Database } from '@crm/database';
import { waitUntil } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { OperatorSessionService } from '../src/accounts/operator.service.js';
import { resetOperator } from '../src/operator.js';
import { PLATFORM_TENANT } from '../src/platform-tenant.js';
import { FREE_TRIES } from '../src/sign-in/code-guess.service.js';
import { TestAuthenticator } from './authenticators.js';
import { TestIdentity } from './identity.js';
import { ORIGIN, TestOperators } from './operators.js';

let identity: TestIdentity;
let operators: TestOperators;

beforeAll(async () => {
  identity = await TestIdentity.start({ profile: 'production' });
  operators = new TestOperators(identity);
});
afterAll(() => identity?.close());

const verify = (token: string) => identity.get(TokenVerifier).verify(token, [AUDIENCES.admin]);

describe('an operator in production', () => {
  const sendCode = (challengeId: string, code: string) =>
    operators.call('verifyCode', { challengeId, code, ...ORIGIN });
  const refusedCode = (challengeId: string, code: string) =>
    operators.refusal('verifyCode', { challengeId, code, ...ORIGIN });

  async function enrolled() {
    const email = await operators.create();
    const { enrolmentToken = '' } = await operators.login(email);
    const { secret } = await operators.call('startEnrolment', { enrolmentToken });
    const app = new TestAuthenticator(identity, PLATFORM_TENANT, secret);
    const request = { enrolmentToken, code: app.code(), ...ORIGIN };
    const tokens = await operators.call('confirmEnrolment', request);
    return { email, app, tokens };
  }

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
    const users = await identity.post('/api/auth/mfa/enrolment', { enrolmentToken });
    expect([users.status, users.body.code]).toEqual([401, 'INVALID_CREDENTIALS']);
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
    const administrator = await enrolled();
    const lost = await enrolled();
    const { accessToken } = administrator.tokens;
    const id = (await verify(lost.tokens.accessToken)).userId;
    await operators.call('resetAuthenticator', { id }, accessToken);
    expect(await operators.login(lost.email)).toMatchObject({ mfaEnrolmentRequired: true });
    const own = (await verify(accessToken)).userId;
    const reset = 'resetAuthenticator';
    expect(await operators.refusal(reset, { id: own }, accessToken)).toBe('CONFLICT');
    await resetOperator(identity.get(Database), administrator.email);
    expect(await operators.login(administrator.email)).toMatchObject({ mfaEnrolmentRequired: true });
    const revoked = async () =>
      verify(accessToken).then(
        () => false,
        () => true,
      );
    await waitUntil(revoked, { timeoutMs: 3000, describe: 'a running process revokes what the command ended' });
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
