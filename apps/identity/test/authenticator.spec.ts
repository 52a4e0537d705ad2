import { describe, expect, it } from '@jest/globals';
import { FREE_TRIES } from '../src/guesses/code-guess.service.js';
import { confirm, enrol, protectedAccount, TestAuthenticator } from './authenticators.js';
import { type Account, outcome, PASSWORD, TestIdentity } from './identity.js';
import { mailSubjects } from './passkeys.js';

const { identity, replica } = TestIdentity.replicasOfFile();

const get = ({ accessToken }: Account, path: string) => identity.request('GET', path, { token: accessToken });
const remove = ({ accessToken }: Account) =>
  identity.request('DELETE', '/api/auth/mfa/authenticator', { token: accessToken });
const verify = (challengeId: string, code: string, at = identity) =>
  at.post('/api/auth/mfa/verify', { challengeId, code });
const signIn = async (email: string, code: string) => verify((await identity.login(email)).body.challengeId, code);
const another = (code: string) => code.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));

const ADDED = 'An authenticator was added to your account';

/** Signs in with the password. @returns the challenge */
async function challenge(email: string, at = identity): Promise<string> {
  const { status, body } = await at.login(email);
  const methods = ['authenticator', 'recovery_code'];
  const expected = { mfaRequired: true, challengeId: expect.any(String), expiresIn: 600, methods };
  expect([status, body]).toEqual([200, expected]);
  return body.challengeId;
}

describe('setting up an authenticator', () => {
  it('gives a secret for an app, and counts once a code confirms it', async () => {
    const account = await identity.account();
    const { status, body } = await identity.post('/api/auth/mfa/authenticator', {}, account.accessToken);
    expect([status, body.secret]).toEqual([201, expect.stringMatching(/^[A-Z2-7]{32}$/)]);
    expect(body.otpauthUri).toBe(
      `otpauth://totp/CRM%20platform:${encodeURIComponent(account.email)}?secret=${body.secret}&issuer=CRM%20platform&algorithm=SHA1&digits=6&period=30`,
    );
    expect((await identity.login(account.email)).body.accessToken).toBeTruthy();
    const app = new TestAuthenticator(identity, account.tenantId, body.secret);
    expect((await confirm(identity, account, app.wrongCode())).body.code).toBe('INVALID_CREDENTIALS');
    const code = app.code();
    const { body: confirmed } = await confirm(identity, account, code);
    expect(new Set(confirmed.recoveryCodes).size).toBe(10);
    const expected = { enabled: true, authenticator: true, recoveryCodesLeft: 10, required: false };
    expect((await get(account, '/api/auth/mfa')).body).toEqual(expected);
    // The code has been used.
    expect((await verify(await challenge(account.email), code)).status).toBe(401);
  });

  it('is told by mail when the second factor is turned off or on, and not where it stays as it was', async () => {
    const { account, app } = await protectedAccount(identity);
    const { accessToken, tenantId } = account;
    await identity.post('/api/auth/step-up', { code: await app.freshCode() }, accessToken);
    expect((await remove(account)).status).toBe(204);
    for (const enabled of [true, false, false, true, true]) {
      expect((await identity.setSecondFactor(accessToken, enabled)).status).toBe(204);
    }
    const turned = (how: string) => `The second factor of your account was turned ${how}`;
    expect((await mailSubjects(identity, tenantId)).slice(-2)).toEqual([turned('off'), turned('on')]);
    expect(await mailSubjects(identity, tenantId)).toHaveLength(4);
  });

  it('stores the secret sealed and the recovery codes hashed', async () => {
    const { account, app, recoveryCodes } = await protectedAccount(identity);
    const rows = await identity.query<{ stored: string }>(
      account.tenantId,
      `SELECT row_to_json(a)::text AS stored FROM authenticator a
        UNION ALL SELECT row_to_json(r)::text FROM recovery_code r`,
    );
    expect(rows).toHaveLength(11);
    const stored = rows.map((row) => row.stored).join();
    for (const secret of [app.secret, ...recoveryCodes, ...recoveryCodes.map((code) => code.replaceAll('-', ''))]) {
      expect(stored).not.toContain(secret);
      expect(stored).not.toContain(Buffer.from(secret).toString('hex'));
    }
  });

  it('is neither replaced nor left out for the codes by mail while it is in use', async () => {
    const { account } = await protectedAccount(identity);
    const again = identity.post('/api/auth/mfa/authenticator', {}, account.accessToken);
    expect(await outcome(again)).toEqual([409, 'CONFLICT']);
    expect(await outcome(identity.setSecondFactor(account.accessToken, false))).toEqual([409, 'CONFLICT']);
    await challenge(account.email);
    expect(await mailSubjects(identity, account.tenantId)).toEqual([ADDED]);
  });
});

describe('a code of an authenticator', () => {
  it('completes a sign-in, and is accepted once', async () => {
    const { account, app } = await protectedAccount(identity);
    const code = await app.freshCode();
    const body = { accessToken: expect.any(String), expiresIn: 900 };
    expect(await verify(await challenge(account.email), code)).toMatchObject({ status: 200, body });
    expect(await outcome(verify(await challenge(account.email), code))).toEqual([401, 'INVALID_CREDENTIALS']);
  });

  it('opens one session when it is sent twice at once, to two replicas as well', async () => {
    const { account, app } = await protectedAccount(identity);
    const challengeId = await challenge(account.email);
    const code = await app.freshCode();
    const answers = await Promise.all([verify(challengeId, code), verify(challengeId, code, replica)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
  });
});

describe('guessing codes', () => {
  it('is slowed down over all challenges and replicas, and the right code has to wait too', async () => {
    const { account, app } = await protectedAccount(identity);
    for (let count = 0; count < FREE_TRIES; count += 1) {
      const at = count % 2 === 0 ? identity : replica;
      expect((await verify(await challenge(account.email, at), app.wrongCode(), at)).status).toBe(401);
    }
    for (const at of [identity, replica]) {
      const refused = await verify(await challenge(account.email, at), await app.freshCode(), at);
      expect(await outcome(refused)).toEqual([429, 'RATE_LIMITED']);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(50);
      expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
    }
    await identity.query(account.tenantId, 'UPDATE code_guess SET next_at = now()');
    expect((await verify(await challenge(account.email), app.wrongCode())).status).toBe(401);
    const { headers } = await verify(await challenge(account.email), app.wrongCode());
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(110);
  });

  it('does not slow down the sessions that are open', async () => {
    const { account, app } = await protectedAccount(identity);
    for (let count = 0; count < FREE_TRIES; count += 1) {
      await verify(await challenge(account.email), app.wrongCode());
    }
    expect((await identity.refresh(account.refreshToken)).status).toBe(200);
    const proof = { code: await app.freshCode() };
    expect((await identity.post('/api/auth/step-up', proof, account.accessToken)).status).toBe(204);
  });

  it('begins again after a right code', async () => {
    const { account, app } = await protectedAccount(identity);
    for (let round = 0; round < 2; round += 1) {
      for (let count = 1; count < FREE_TRIES; count += 1) {
        expect((await verify(await challenge(account.email), app.wrongCode())).status).toBe(401);
      }
      expect((await verify(await challenge(account.email), await app.freshCode())).status).toBe(200);
    }
  });
});

describe('a recovery code', () => {
  it('is refused when it is wrong or belongs to someone else, as the code of an authenticator is', async () => {
    const { account, recoveryCodes } = await protectedAccount(identity);
    const { app, recoveryCodes: others } = await protectedAccount(identity);
    for (const code of [another(recoveryCodes[0] ?? ''), others[0] ?? '', await app.freshCode()]) {
      expect((await verify(await challenge(account.email), code)).status).toBe(401);
    }
  });

  it('is told by mail when it is used, at a sign-in and within a session, and not when it is wrong', async () => {
    const { account, recoveryCodes } = await protectedAccount(identity);
    const [first = '', second = ''] = recoveryCodes;
    const subjects = () => mailSubjects(identity, account.tenantId);
    await verify(await challenge(account.email), first);
    const used = [ADDED, 'A recovery code of your account was used'];
    expect(await subjects()).toEqual(used);
    const stepUp = (code: string) => identity.post('/api/auth/step-up', { code }, account.accessToken);
    expect((await stepUp(second)).status).toBe(204);
    expect((await stepUp(another(second))).status).toBe(401);
    expect(await subjects()).toEqual([...used, used[1]]);
  });

  it('of an earlier set stops working', async () => {
    const { account, recoveryCodes } = await protectedAccount(identity);
    const { status, body } = await identity.post('/api/auth/mfa/recovery-codes', {}, account.accessToken);
    expect([status, body.recoveryCodes.length]).toEqual([201, 10]);
    expect((await verify(await challenge(account.email), recoveryCodes[0] ?? '')).status).toBe(401);
    expect((await verify(await challenge(account.email), body.recoveryCodes[0] ?? '')).status).toBe(200);
  });
});

describe('removing an authenticator', () => {
  it('needs a recent proof, and leaves the second factor on by mail', async () => {
    const { account, app, recoveryCodes } = await protectedAccount(identity);
    await identity.forgetProofs(account.tenantId);
    expect(await outcome(remove(account))).toEqual([403, 'STEP_UP_REQUIRED']);
    const stepUp = (proof: object) => identity.post('/api/auth/step-up', proof, account.accessToken);
    // The password of a user with an authenticator proves nothing more than the first factor again.
    expect((await stepUp({ password: PASSWORD })).status).toBe(401);
    expect((await stepUp({ code: app.wrongCode() })).status).toBe(401);
    expect((await remove(account)).status).toBe(403);
    expect((await stepUp({ code: await app.freshCode() })).status).toBe(204);
    expect((await remove(account)).status).toBe(204);
    expect((await remove(account)).status).toBe(404);
    const subjects = [ADDED, 'The authenticator was removed from your account'];
    expect(await mailSubjects(identity, account.tenantId)).toEqual(subjects);
    const { body } = await identity.login(account.email);
    expect(body.methods).toEqual(['mail']);
    expect((await verify(body.challengeId, recoveryCodes[0] ?? '')).status).toBe(401);
    await enrol(identity, account);
  });
});

describe('a workspace that requires a second factor', () => {
  const requireFactor = ({ accessToken }: Account, secondFactor = 'required') =>
    identity.request('PUT', '/api/tenant/sign-in-policy', { token: accessToken, body: { secondFactor } });

  it('is made one by its owner alone, with a recent proof', async () => {
    const { owner, admin } = await identity.team('admin');
    expect((await requireFactor(admin)).status).toBe(403);
    await identity.forgetProofs(owner.tenantId);
    expect((await requireFactor(owner)).body.code).toBe('STEP_UP_REQUIRED');
    expect((await identity.stepUp(owner.accessToken)).status).toBe(204);
    expect((await requireFactor(owner)).status).toBe(200);
    expect((await get(admin, '/api/tenant/sign-in-policy')).body).toEqual({ secondFactor: 'required' });
  });

  it('has users set up an authenticator at their next sign-in, with a token that can do nothing else', async () => {
    const { owner, member } = await identity.team('member');
    expect((await requireFactor(owner)).status).toBe(200);
    expect((await get(member, '/api/auth/me')).status).toBe(200);
    const { status, body } = await identity.login(member.email);
    const expected = { mfaEnrolmentRequired: true, enrolmentToken: expect.any(String), expiresIn: 600 };
    expect([status, body]).toEqual([200, expected]);
    const { enrolmentToken } = body;
    const [enrolmentId = ''] = enrolmentToken.split('.');
    for (const path of ['/api/auth/me', '/api/auth/mfa', '/api/auth/sessions', '/api/tenant/users']) {
      expect((await identity.request('GET', path, { token: enrolmentToken })).status).toBe(401);
    }
    expect((await identity.post('/api/auth/mfa/authenticator', undefined, enrolmentToken)).status).toBe(401);
    expect((await identity.refresh(enrolmentToken)).status).toBe(401);
    expect((await verify(enrolmentId, '123456')).status).toBe(401);
    const forged = `${enrolmentId}.${'A'.repeat(43)}`;
    expect((await identity.post('/api/auth/mfa/enrolment', { enrolmentToken: forged })).status).toBe(401);
    const started = await identity.post('/api/auth/mfa/enrolment', { enrolmentToken });
    expect(started.status).toBe(200);
    const app = new TestAuthenticator(identity, owner.tenantId, started.body.secret);
    const confirmEnrolment = (code: string) =>
      identity.post('/api/auth/mfa/enrolment/confirm', { enrolmentToken, code });
    expect((await confirmEnrolment(app.wrongCode())).status).toBe(401);
    const done = await confirmEnrolment(app.code());
    expect([done.status, done.body.recoveryCodes.length]).toEqual([200, 10]);
    expect((await identity.me(done.body.accessToken)).body).toMatchObject({ mfaEnabled: true });
    expect((await confirmEnrolment(await app.freshCode())).status).toBe(401);
    expect((await identity.login(member.email)).body.methods).toEqual(['authenticator', 'recovery_code']);
  });

  it('does not let users turn theirs off', async () => {
    const owner = await identity.account();
    await requireFactor(owner);
    await identity.setSecondFactor(owner.accessToken, true);
    expect(await outcome(identity.setSecondFactor(owner.accessToken, false))).toEqual([409, 'CONFLICT']);
  });
});

describe('recovery codes', () => {
  it('have 128 bits at least, and are accepted however they are written', async () => {
    const { account, recoveryCodes } = await protectedAccount(identity);
    for (const code of recoveryCodes) {
      expect(code).toMatch(/^([A-Z2-7]{4}-){6}[A-Z2-7]{4}$/);
      // Five bits a character.
      expect(code.replaceAll('-', '').length * 5).toBeGreaterThanOrEqual(128);
    }
    // A character that is always the same would have no bits.
    for (let index = 0; index < 34; index += 1) {
      if (index % 5 !== 4) expect(new Set(recoveryCodes.map((code) => code[index])).size).toBeGreaterThan(1);
    }
    const [first = '', second = '', third = '', fourth = ''] = recoveryCodes;
    const written = [first, second.replaceAll('-', '').toLowerCase(), third.replaceAll('-', ' ')];
    for (const code of written) expect((await signIn(account.email, code)).status).toBe(200);
    expect((await signIn(account.email, fourth.slice(0, 29))).status).toBe(422);
    expect((await signIn(account.email, first)).status).toBe(401);
    expect((await get(account, '/api/auth/mfa')).body).toMatchObject({ recoveryCodesLeft: 7 });
  });
});
