import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hashRecoveryCode } from '../src/sign-in/authenticator.service.js';
import { FREE_TRIES } from '../src/sign-in/guess-limits.js';
import { confirm, enrol, protectedAccount, TestAuthenticator } from './authenticators.js';
import { type Account, PASSWORD, TestIdentity } from './identity.js';
import { mailSubjects } from './passkeys.js';

let identity: TestIdentity;
/** A second replica of the service, on the same database. */
let replica: TestIdentity;
beforeAll(async () => {
  identity = await TestIdentity.start();
  replica = await identity.replica();
});
afterAll(async () => {
  await replica?.close();
  await identity?.close();
});

const get = ({ accessToken }: Account, path: string) => identity.request('GET', path, { token: accessToken });
const remove = ({ accessToken }: Account) =>
  identity.request('DELETE', '/api/auth/mfa/authenticator', { token: accessToken });
const verify = (challengeId: string, code: string, at = identity) =>
  at.post('/api/auth/mfa/verify', { challengeId, code });
const another = (code: string) => code.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));

/** Signs in with the password. @returns the challenge */
async function challenge(email: string, at = identity): Promise<string> {
  const { status, body } = await at.login(email);
  expect([status, body]).toEqual([
    200,
    {
      mfaRequired: true,
      challengeId: expect.any(String),
      expiresIn: 600,
      methods: ['authenticator', 'recovery_code'],
    },
  ]);
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
    const { body: confirmed } = await confirm(identity, account, app.code());
    expect(new Set(confirmed.recoveryCodes).size).toBe(10);
    expect((await get(account, '/api/auth/mfa')).body).toEqual({
      enabled: true,
      authenticator: true,
      recoveryCodesLeft: 10,
      required: false,
    });
    await challenge(account.email);
  });

  it('stores the secret sealed and the recovery codes hashed', async () => {
    const { account, app, recoveryCodes } = await protectedAccount(identity);
    const rows = [
      ...(await identity.query(account.tenantId, 'SELECT row_to_json(t)::text AS stored FROM authenticator t')),
      ...(await identity.query(account.tenantId, 'SELECT row_to_json(t)::text AS stored FROM recovery_code t')),
    ] as { stored: string }[];
    expect(rows).toHaveLength(11);
    const stored = rows.map((row) => row.stored).join();
    for (const secret of [app.secret, ...recoveryCodes, ...recoveryCodes.map((code) => code.replaceAll('-', ''))]) {
      expect(stored).not.toContain(secret);
      expect(stored).not.toContain(Buffer.from(secret).toString('hex'));
    }
  });

  it('does not replace an authenticator in use', async () => {
    const { account } = await protectedAccount(identity);
    const { status, body } = await identity.post('/api/auth/mfa/authenticator', {}, account.accessToken);
    expect([status, body.code]).toEqual([409, 'CONFLICT']);
  });

  it('does not leave the codes by mail as a way around it', async () => {
    const { account } = await protectedAccount(identity);
    const body = { enabled: false, password: PASSWORD };
    const off = await identity.request('PUT', '/api/auth/mfa', { token: account.accessToken, body });
    expect([off.status, off.body.code]).toEqual([409, 'CONFLICT']);
    await challenge(account.email);
    expect(await mailSubjects(identity, account.tenantId)).toEqual(['An authenticator was added to your account']);
  });
});

describe('a code of an authenticator', () => {
  it('completes a sign-in, and is accepted once', async () => {
    const { account, app } = await protectedAccount(identity);
    const code = await app.freshCode();
    const first = await verify(await challenge(account.email), code);
    expect([first.status, first.body]).toMatchObject([200, { accessToken: expect.any(String), expiresIn: 900 }]);
    const replay = await verify(await challenge(account.email), code);
    expect([replay.status, replay.body.code]).toEqual([401, 'INVALID_CREDENTIALS']);
  });

  it('opens one session when it is sent twice at once, to two replicas as well', async () => {
    const { account, app } = await protectedAccount(identity);
    const challengeId = await challenge(account.email);
    const code = await app.freshCode();
    const answers = await Promise.all([verify(challengeId, code), verify(challengeId, code, replica)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
  });

  it('that confirmed the enrolment does not complete a sign-in', async () => {
    const account = await identity.account();
    const { body } = await identity.post('/api/auth/mfa/authenticator', {}, account.accessToken);
    const code = new TestAuthenticator(identity, account.tenantId, body.secret).code();
    expect((await confirm(identity, account, code)).status).toBe(200);
    expect((await verify(await challenge(account.email), code)).status).toBe(401);
  });

  it('of another user is refused', async () => {
    const { account } = await protectedAccount(identity);
    const other = await protectedAccount(identity);
    expect((await verify(await challenge(account.email), await other.app.freshCode())).status).toBe(401);
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
      const { status, body, headers } = await verify(await challenge(account.email, at), await app.freshCode(), at);
      expect([status, body.code]).toEqual([429, 'RATE_LIMITED']);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(50);
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
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
    expect((await identity.post('/api/auth/refresh', { refreshToken: account.refreshToken })).status).toBe(200);
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
  it('is refused when it is wrong or belongs to somebody else', async () => {
    const { account, recoveryCodes } = await protectedAccount(identity);
    const other = await protectedAccount(identity);
    for (const code of [another(recoveryCodes[0] ?? ''), other.recoveryCodes[0] ?? '']) {
      expect((await verify(await challenge(account.email), code)).status).toBe(401);
    }
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
    await identity.query(account.tenantId, "UPDATE session SET proven_at = now() - interval '601 seconds'");
    const refused = await remove(account);
    expect([refused.status, refused.body.code]).toEqual([403, 'STEP_UP_REQUIRED']);
    const stepUp = (proof: object) => identity.post('/api/auth/step-up', proof, account.accessToken);
    // The password of a user with an authenticator proves nothing more than the first factor again.
    expect((await stepUp({ password: PASSWORD })).status).toBe(401);
    expect((await stepUp({ code: app.wrongCode() })).status).toBe(401);
    expect((await remove(account)).status).toBe(403);
    expect((await stepUp({ code: await app.freshCode() })).status).toBe(204);
    expect((await remove(account)).status).toBe(204);
    expect((await remove(account)).status).toBe(404);
    expect(await mailSubjects(identity, account.tenantId)).toEqual([
      'An authenticator was added to your account',
      'The authenticator was removed from your account',
    ]);
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
    await identity.query(owner.tenantId, "UPDATE session SET proven_at = now() - interval '601 seconds'");
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
    expect([status, body]).toEqual([
      200,
      { mfaEnrolmentRequired: true, enrolmentToken: expect.any(String), expiresIn: 600 },
    ]);
    const { enrolmentToken } = body;
    for (const [method, path] of [
      ['GET', '/api/auth/me'],
      ['GET', '/api/auth/mfa'],
      ['GET', '/api/auth/sessions'],
      ['POST', '/api/auth/mfa/authenticator'],
      ['GET', '/api/tenant/users'],
    ] as const) {
      expect((await identity.request(method, path, { token: enrolmentToken })).status).toBe(401);
    }
    expect((await identity.post('/api/auth/refresh', { refreshToken: enrolmentToken })).status).toBe(401);
    expect((await verify(enrolmentToken.split('.')[0] ?? '', '123456')).status).toBe(401);
    const forged = `${enrolmentToken.split('.')[0]}.${'A'.repeat(43)}`;
    expect((await identity.post('/api/auth/mfa/enrolment', { enrolmentToken: forged })).status).toBe(401);
    const started = await identity.post('/api/auth/mfa/enrolment', { enrolmentToken });
    expect(started.status).toBe(200);
    const app = new TestAuthenticator(identity, owner.tenantId, started.body.secret);
    const confirmEnrolment = (code: string) =>
      identity.post('/api/auth/mfa/enrolment/confirm', { enrolmentToken, code });
    expect((await confirmEnrolment(app.wrongCode())).status).toBe(401);
    const done = await confirmEnrolment(app.code());
    expect([done.status, done.body.recoveryCodes.length]).toEqual([200, 10]);
    expect((await identity.request('GET', '/api/auth/me', { token: done.body.accessToken })).body).toMatchObject({
      mfaEnabled: true,
    });
    expect((await confirmEnrolment(await app.freshCode())).status).toBe(401);
    expect((await identity.login(member.email)).body.methods).toEqual(['authenticator', 'recovery_code']);
  });

  it('does not let users turn theirs off', async () => {
    const owner = await identity.account();
    await requireFactor(owner);
    await identity.setSecondFactor(owner.accessToken, true);
    const { status, body } = await identity.setSecondFactor(owner.accessToken, false);
    expect([status, body.code]).toEqual([409, 'CONFLICT']);
  });
});

/** As earlier versions have made them: 120 and 80 bits. */
const EARLIER_CODES = ['ABCD-EFGH-IJKL-MNOP-QRST-UVWX', 'ABCD-EFGH-IJKL-MNOP'];

const signIn = async (email: string, code: string) => {
  const { challengeId } = (await identity.login(email)).body;
  return (await identity.post('/api/auth/mfa/verify', { challengeId, code })).status;
};

describe('recovery codes', () => {
  it('have 128 bits at least, and are accepted however they are written', async () => {
    const { account, recoveryCodes } = await protectedAccount(identity);
    for (const code of recoveryCodes) {
      expect(code).toMatch(/^([A-Z2-7]{4}-){6}[A-Z2-7]{4}$/);
      // Five bits a character.
      expect(code.replaceAll('-', '').length * 5).toBeGreaterThanOrEqual(128);
    }
    // A character that is always the same would have no bits.
    for (let place = 0; place < 34; place += 1) {
      if (place % 5 !== 4) expect(new Set(recoveryCodes.map((code) => code[place])).size).toBeGreaterThan(1);
    }
    const [first = '', second = '', third = '', fourth = ''] = recoveryCodes;
    expect(await signIn(account.email, first)).toBe(200);
    expect(await signIn(account.email, second.replaceAll('-', '').toLowerCase())).toBe(200);
    expect(await signIn(account.email, third.replaceAll('-', ' '))).toBe(200);
    expect(await signIn(account.email, fourth.slice(0, 29))).toBe(401);
    expect(await signIn(account.email, first)).toBe(401);
    expect((await get(account, '/api/auth/mfa')).body).toMatchObject({ recoveryCodesLeft: 7 });
  });

  it.each(EARLIER_CODES)('of an earlier version stay valid, once each: %s', async (earlier) => {
    const { account } = await protectedAccount(identity);
    const { tenantId, userId, email } = account;
    const row = [tenantId, userId, hashRecoveryCode(userId, earlier)];
    await identity.query(
      tenantId,
      'INSERT INTO recovery_code (tenant_id, user_id, code_hash) VALUES ($1, $2, $3)',
      row,
    );
    expect(await signIn(email, earlier)).toBe(200);
    expect(await signIn(email, earlier)).toBe(401);
  });
});
