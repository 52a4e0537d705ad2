import { PlatformError } from '@crm/contracts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FAILURES_FROM_ANYWHERE, FAILURES_PER_DEVICE, SignInLimit } from '../src/guesses/sign-in-limit.js';
import { waitSeconds } from '../src/passwords/hash-pool.js';
import { protectedAccount } from './authenticators.js';
import { type Answer, NEW_PASSWORD, newEmail, PASSWORD, TestIdentity, withMail } from './identity.js';
import { MailServer } from './mail-server.js';
import { passkeyAccount, signIn as signInByPasskey } from './passkeys.js';
import { from, TestReplicas, tally } from './replicas.js';

const WRONG = 'not-the-password';
/** Four times as many as are let through. */
const GUESSES = 4 * FAILURES_FROM_ANYWHERE;
/** A seldom case: a guess that the time of the test has given back. */
const SPARE = 1;

const tokenOf = ({ headers }: Answer) => headers.get('x-device-token') ?? '';
/** Passwords that were given to the pool. */
const hashes = async () =>
  (await waitSeconds.get()).values.find(({ metricName }) => metricName?.endsWith('_count'))?.value ?? 0;

type Login = (email: string, password?: string, headers?: Record<string, string>) => Promise<Answer>;

/** Guesses at the password, each from an address of its own, some at once. */
async function guessed(login: Login, email: string, count: number, headers: Record<string, string> = {}) {
  const answers: Answer[] = [];
  for (let done = 0; done < count; done += 50) {
    const some = Array.from({ length: Math.min(50, count - done) }, (_, index) =>
      login(email, WRONG, { ...from(done + index), ...headers }),
    );
    answers.push(...(await Promise.all(some)));
  }
  return answers;
}

/** Slows down an account, as guesses from everywhere do, without hashing anything. */
async function slow(identity: TestIdentity, email: string) {
  const wrong = () => Promise.reject(new PlatformError('INVALID_CREDENTIALS'));
  for (let index = 0; index < FAILURES_FROM_ANYWHERE; index += 1) {
    const guess = identity.get(SignInLimit).guess(`user:${email}`, `192.0.2.${index}`, wrong);
    await expect(guess).rejects.toMatchObject({ code: 'INVALID_CREDENTIALS' });
  }
  expect((await identity.login(email, WRONG, from(60_000))).status).toBe(429);
}

const statuses = (answers: readonly Answer[]) => tally(answers.map(({ status }) => status));

// With its counts in the memory of a process: sign-in-limit.spec.ts.
describe('an account that is guessed at from many addresses, at two replicas', () => {
  let mailServer: MailServer;
  let replicas: TestReplicas;
  let identity: TestIdentity;
  const login: Login = (...call) => replicas.login(...call);
  beforeAll(async () => {
    mailServer = await MailServer.start();
    const hashPool = { queueLength: 1_000, queueMs: 20_000 };
    replicas = await TestReplicas.start({ smtpUrl: mailServer.url, hashPool });
    identity = replicas.first;
  });
  afterAll(async () => {
    await replicas?.close();
    await mailServer?.close();
  });

  it('is slowed to thirty guesses an hour, while its owner signs in from a known device', async () => {
    const { email } = await identity.account();
    const device = { 'x-device-token': tokenOf(await login(email)) };
    const before = await hashes();
    const attack = guessed(login, email, GUESSES);
    for (let count = 0; count < 5; count += 1) {
      expect((await login(email, PASSWORD, { ...from(70_000 + count), ...device })).status).toBe(200);
    }
    const { 401: tried = 0, 429: refused = 0 } = statuses(await attack);
    expect(tried + refused).toBe(GUESSES);
    expect(tried).toBeGreaterThanOrEqual(FAILURES_FROM_ANYWHERE);
    expect(tried).toBeLessThanOrEqual(FAILURES_FROM_ANYWHERE + SPARE);
    // Two for each guess at the account, with and without claims of others, and one for each from the device.
    expect((await hashes()) - before).toBe(2 * tried + 5);
    expect((await login(email, PASSWORD, { ...from(80_000), ...device })).status).toBe(200);
  });

  it('tells its owner on a new device how long to wait, and lets them in by a new password by mail', async () => {
    const { email } = await identity.account();
    await slow(identity, email);
    const { status, body, headers } = await login(email, PASSWORD, from(90_000));
    expect([status, body.code]).toEqual([429, 'RATE_LIMITED']);
    expect(body.detail).toContain('reset your password');
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(3600 / FAILURES_FROM_ANYWHERE);
    await identity.post('/api/auth/password-resets', { email });
    const token = /#token=([\w.-]+)/.exec((await mailServer.mailTo(email)).text)?.[1];
    const reset = await identity.post('/api/auth/password-resets/complete', { token, password: NEW_PASSWORD });
    expect(reset.status).toBe(204);
    expect((await login(email, NEW_PASSWORD, from(90_000))).status).toBe(429);
    const device = { 'x-device-token': tokenOf(reset) };
    expect((await login(email, NEW_PASSWORD, { ...from(90_000), ...device })).status).toBe(200);
  });

  it('lets its owner in on a new device by a passkey, and by the password from then on', async () => {
    const { account, authenticator } = await passkeyAccount(identity);
    await slow(identity, account.email);
    expect((await login(account.email, PASSWORD, from(90_000))).status).toBe(429);
    const device = { 'x-device-token': tokenOf(await signInByPasskey(identity, authenticator)) };
    expect((await login(account.email, PASSWORD, { ...from(90_000), ...device })).status).toBe(200);
  });

  it('is slowed alike whether it exists or not', async () => {
    const [known, unknown] = [(await identity.account()).email, newEmail()];
    const [ofKnown, ofUnknown] = [await guessed(login, known, 50), await guessed(login, unknown, 50)];
    expect(statuses(ofUnknown)).toEqual(statuses(ofKnown));
    const [one, other] = [ofKnown, ofUnknown].map((answers) => answers.find(({ status }) => status === 429) as Answer);
    const shown = ({ body, headers }: Answer) => [
      { ...body, requestId: '', instance: '' },
      headers.get('ratelimit-policy'),
    ];
    expect(shown(other as Answer)).toEqual(shown(one as Answer));
  });
});

describe('a device token', () => {
  const { identity, mailServer } = withMail({ profile: 'production' });
  let callers = 100_000;
  const login: Login = (email, password, headers) => {
    callers += 1;
    return identity.login(email, password, { ...from(callers), ...headers });
  };
  /** What a device with this token is answered once strangers have slowed down the account. */
  const answerOn = async (token: string, email: string, password = PASSWORD) =>
    (await login(email, password, { 'x-device-token': token })).status;
  /** The address of an account that has proven it. */
  const verified = async () => {
    const { email, accessToken } = await identity.account();
    const token = /#token=([\w-]+)/.exec((await mailServer.mailTo(email)).text)?.[1];
    expect((await identity.post('/api/auth/verify-email', { token }, accessToken)).status).toBe(204);
    return email;
  };

  it('proves nothing: without the password it opens nothing', async () => {
    const { email } = await identity.account();
    const token = tokenOf(await login(email));
    expect(await answerOn(token, email, WRONG)).toBe(401);
    expect((await identity.request('GET', '/api/auth/me', { token })).status).toBe(401);
  });

  it('counts for the account that signed in with it, and costs no hash elsewhere', async () => {
    const [victim, attacker] = [await verified(), await verified()];
    const token = tokenOf(await login(attacker));
    await slow(identity, victim);
    const before = await hashes();
    for (let count = 0; count < 2 * FAILURES_PER_DEVICE; count += 1) {
      expect(await answerOn(token, victim)).toBe(429);
    }
    expect(await hashes()).toBe(before);
  });

  it("of someone who has registered with another's address opens no guesses at the other's password", async () => {
    const email = await verified();
    const squatter = { email, password: NEW_PASSWORD, name: 'Squatter', workspace: { name: 'Squat' } };
    expect((await identity.post('/api/auth/register', squatter)).status).toBe(201);
    const token = tokenOf(await login(email, NEW_PASSWORD));
    expect(token).not.toBe('');
    await slow(identity, email);
    // The right password of the other, which the squatter might guess.
    expect(await answerOn(token, email)).toBe(401);
    expect(await answerOn(token, email, NEW_PASSWORD)).toBe(200);
  });

  it('ends with the password; the device that changes it gets a new one', async () => {
    const { email, accessToken } = await identity.account();
    const token = tokenOf(await login(email));
    const change = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
    const changed = await identity.post('/api/auth/password', change, accessToken);
    expect(changed.status).toBe(200);
    await slow(identity, email);
    expect(await answerOn(token, email, NEW_PASSWORD)).toBe(429);
    expect(await answerOn(tokenOf(changed), email, NEW_PASSWORD)).toBe(200);
  });

  it('is given by the sign-in that is complete, not by the password before the second factor', async () => {
    const { account, app } = await protectedAccount(identity);
    const first = await login(account.email);
    expect([first.status, tokenOf(first)]).toEqual([200, '']);
    const answer = { challengeId: first.body.challengeId, code: await app.freshCode() };
    const complete = await identity.post('/api/auth/mfa/verify', answer);
    await slow(identity, account.email);
    expect((await login(account.email)).status).toBe(429);
    expect(await answerOn(tokenOf(complete), account.email)).toBe(200);
  });
});
