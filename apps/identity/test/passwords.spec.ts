import { Database } from '@crm/database';
import { waitUntil } from '@crm/testing';
import { describe, expect, it } from '@jest/globals';
import { AfterResponse } from '../src/accounts/after-response.service.js';
import { COMPLETIONS_PER_ADDRESS, MAILS_PER_ACCOUNT } from '../src/accounts/limits.js';
import { CHANGES } from '../src/accounts/password-change.service.js';
import { refusals, waitSeconds } from '../src/sign-in/hash-pool.js';
import { type Account, NEW_PASSWORD, newEmail, PASSWORD, withMail } from './identity.js';

const { identity, mailServer } = withMail();

let addresses = 0;
/** An address that no other test calls from: limits count by it. */
const newAddress = () => {
  addresses += 1;
  return { 'x-forwarded-for': `198.51.100.${addresses}` };
};
const ask = (email: string, headers = newAddress()) =>
  identity.request('POST', '/api/auth/password-resets', { body: { email }, headers });
const complete = (token: string, password = NEW_PASSWORD, headers = newAddress()) =>
  identity.request('POST', '/api/auth/password-resets/complete', { body: { token, password }, headers });
const tokenIn = (text: string) => /password-reset#token=([\w.-]+)/.exec(text)?.[1] ?? '';
/** Waits until what was asked for has been done. */
const settled = () => identity.get(AfterResponse).beforeApplicationShutdown();
const resetToken = async (email: string) => {
  const since = mailServer.mails.length;
  expect((await ask(email)).status).toBe(202);
  return tokenIn((await mailServer.mailTo(email, since)).text);
};
/** Passwords that were given to the pool. */
const hashes = async () =>
  (await waitSeconds.get()).values.find(({ metricName }) => metricName?.endsWith('_count'))?.value;

describe('a new password by mail', () => {
  it.each(['embed', 'identity_provider'])('is not for a user of the origin %s', async (origin) => {
    const { email, tenantId } = await identity.account();
    const token = await resetToken(email);
    const query = (sql: string) => identity.query(tenantId, sql);
    await query(`UPDATE app_user SET origin = '${origin}', password_hash = NULL`);
    expect((await complete(token)).body.code).toBe('INVALID_PASSWORD_RESET');
    await query('DELETE FROM password_reset');
    expect((await ask(email)).status).toBe(202);
    await settled();
    expect(await query('SELECT 1 FROM password_reset')).toEqual([]);
  });

  it('is set once with the link, ends every session and is told to the user', async () => {
    const { email, accessToken, refreshToken } = await identity.account();
    const token = await resetToken(email);
    const since = mailServer.mails.length;
    expect((await complete(token)).status).toBe(204);
    expect((await identity.login(email)).status).toBe(401);
    expect((await identity.login(email, NEW_PASSWORD)).status).toBe(200);
    expect((await identity.post('/api/auth/refresh', { refreshToken })).status).toBe(401);
    await identity.refuses(accessToken);
    const notice = await mailServer.mailTo(email, since);
    expect(notice.text).toMatch(/^Subject: Your password was changed\r?$/m);
    expect(notice.text).toContain('All your sessions have ended');
    const again = await complete(token, 'another-tidal-lantern-sings');
    expect([again.status, again.body.code]).toEqual([410, 'INVALID_PASSWORD_RESET']);
  });

  it('says in its mail how long the link is valid, and puts the token where no server logs it', async () => {
    const { email } = await identity.account();
    const since = mailServer.mails.length;
    await ask(email);
    const { text } = await mailServer.mailTo(email, since);
    expect(text).toMatch(/^Subject: Set a new password\r?$/m);
    expect(text).toContain('The link works once and for 30 minutes.');
    expect(text).toMatch(/^http:\/\/127\.0\.0\.1:8080\/password-reset#token=/m);
  });

  it('is refused after 30 minutes', async () => {
    const { email, tenantId } = await identity.account();
    const token = await resetToken(email);
    const database = identity.get(Database);
    const [row] = await database.transaction(tenantId, (tx) =>
      tx.query<{ seconds: number }>(
        'SELECT extract(epoch FROM expires_at - created_at)::int AS seconds FROM password_reset',
      ),
    );
    expect(row?.seconds).toBe(1800);
    await database.transaction(tenantId, (tx) =>
      tx.query(`UPDATE password_reset SET expires_at = now() - interval '1 second'`),
    );
    expect((await complete(token)).body.code).toBe('INVALID_PASSWORD_RESET');
    expect((await identity.login(email)).status).toBe(200);
  });

  it('stores nothing from which the token follows', async () => {
    const { email, tenantId } = await identity.account();
    const secret = (await resetToken(email)).split('.')[1] ?? '';
    const rows = await identity.query<object>(tenantId, 'SELECT * FROM password_reset');
    const stored = JSON.stringify(rows, (_key, value) =>
      value?.type === 'Buffer' ? Buffer.from(value.data).toString('latin1') : value,
    );
    expect(rows).toHaveLength(1);
    expect(stored).not.toContain(secret);
    expect(stored).not.toContain(Buffer.from(secret, 'base64url').toString('latin1'));
  });

  it('leaves earlier links valid when somebody asks again, and ends all of them when one is used', async () => {
    const { email } = await identity.account();
    const [first, second] = [await resetToken(email), await resetToken(email)];
    expect((await complete(first)).status).toBe(204);
    expect((await complete(second)).status).toBe(410);
  });

  it('must follow the rules for passwords; a refused one does not spend the link', async () => {
    const { email } = await identity.account();
    const token = await resetToken(email);
    expect((await complete(token, 'short')).status).toBe(422);
    expect((await complete(token, 'password1234')).body.code).toBe('WEAK_PASSWORD');
    expect((await complete(token, `${email}!`)).body.code).toBe('WEAK_PASSWORD');
    expect((await complete(token)).status).toBe(204);
  });
});

describe('an attack on new passwords by mail', () => {
  it('is answered alike for known and unknown addresses, before anything is looked up', async () => {
    const { email } = await identity.account();
    const answers = [await ask(email), await ask(newEmail())];
    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [202, { accepted: true }],
      [202, { accepted: true }],
    ]);
    const names = answers.map(({ headers }) => [...headers.keys()].sort());
    expect(names[0]).toEqual(names[1]);
    await settled();
  });

  it('sends nothing to invited and disabled users', async () => {
    const { owner, member } = await identity.team('member');
    const path = `/api/tenant/users/${member.userId}`;
    await identity.request('PATCH', path, { token: owner.accessToken, body: { status: 'disabled' } });
    const invited = newEmail();
    const body = { email: invited, name: 'Guest', roles: ['member'] };
    await identity.post('/api/tenant/users', body, owner.accessToken);
    await mailServer.mailTo(invited);
    const since = mailServer.mails.length;
    for (const email of [member.email, invited]) expect((await ask(email)).status).toBe(202);
    await settled();
    // A mail that is queued later and arrives shows that none of the others was queued.
    await resetToken(owner.email);
    expect(mailServer.mails.slice(since).map(({ to }) => to)).toEqual([owner.email]);
  });

  it('floods neither a mailbox nor the owner out: a few mails, and the links in them work', async () => {
    const { email } = await identity.account();
    const since = mailServer.mails.length;
    for (let count = 0; count < 3 * MAILS_PER_ACCOUNT; count += 1) expect((await ask(email)).status).toBe(202);
    await settled();
    const mails = () => mailServer.mails.slice(since).filter(({ to }) => to === email);
    await waitUntil(() => mails().length === MAILS_PER_ACCOUNT, { describe: 'the mails' });
    expect((await complete(tokenIn(mails()[0]?.text ?? ''))).status).toBe(204);
  });

  it('is limited by address', async () => {
    const headers = newAddress();
    const statuses = [];
    for (let count = 0; count < 25; count += 1) statuses.push((await ask(newEmail(), headers)).status);
    expect(statuses.filter((status) => status === 429)).toHaveLength(5);
  });

  it('by guessing in parallel costs no hash, tries few tokens, and leaves the right one valid', async () => {
    const { email } = await identity.account();
    const token = await resetToken(email);
    const [ids] = token.split('.');
    const headers = newAddress();
    const before = await hashes();
    const guesses = Array.from({ length: 100 }, (_, index) =>
      complete(`${ids}.${Buffer.alloc(32, index).toString('base64url')}`, NEW_PASSWORD, headers),
    );
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 410)).toHaveLength(COMPLETIONS_PER_ADDRESS);
    expect(statuses.filter((status) => status === 429)).toHaveLength(100 - COMPLETIONS_PER_ADDRESS);
    expect(await hashes()).toBe(before);
    expect((await refusals.get()).values).toEqual([]);
    expect((await complete(token)).status).toBe(204);
  });

  it.each([['nonsense'], ['.'], ['AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA.x']])(
    'with the token %p is refused',
    async (token) => {
      expect((await complete(token)).body.code).toBe('INVALID_PASSWORD_RESET');
    },
  );

  it('does not reach into another workspace: a token is worth something for its own row only', async () => {
    const [mine, theirs] = [await identity.account(), await identity.account()];
    const [myToken, theirToken] = [await resetToken(mine.email), await resetToken(theirs.email)];
    const bytes = (token: string) => Buffer.from(token.split('.')[0] ?? '', 'base64url');
    const secret = myToken.split('.')[1];
    const crossed = Buffer.concat([bytes(theirToken).subarray(0, 16), bytes(myToken).subarray(16)]);
    for (const ids of [crossed, bytes(theirToken)]) {
      expect((await complete(`${ids.toString('base64url')}.${secret}`)).body.code).toBe('INVALID_PASSWORD_RESET');
    }
    expect((await identity.login(theirs.email)).status).toBe(200);
    expect((await complete(myToken)).status).toBe(204);
  });

  it('does not get past the second factor', async () => {
    const { email, accessToken } = await identity.account();
    expect((await identity.setSecondFactor(accessToken, true)).status).toBe(204);
    const done = await complete(await resetToken(email));
    expect([done.status, done.body]).toEqual([204, undefined]);
    const { status, body: answer } = await identity.login(email, NEW_PASSWORD);
    expect([status, answer]).toEqual([
      200,
      { mfaRequired: true, challengeId: expect.any(String), expiresIn: 600, methods: ['mail'] },
    ]);
  });
});

const change = (token: string, changes: Record<string, unknown> = {}) =>
  identity.post('/api/auth/password', { currentPassword: PASSWORD, newPassword: NEW_PASSWORD, ...changes }, token);
const protectedAccount = async (): Promise<Account> => {
  const account = await identity.account();
  await identity.setSecondFactor(account.accessToken, true);
  return account;
};
/** Makes the first call and reads the code from the mail. */
const challenge = async ({ email, accessToken }: Account) => {
  const since = mailServer.mails.length;
  const { status, body } = await change(accessToken);
  expect([status, body]).toMatchObject([200, { mfaRequired: true }]);
  const { text } = await mailServer.mailTo(email, since);
  return { challengeId: body.challengeId, code: /code is (\d{6})/.exec(text)?.[1] ?? '' };
};

describe('a change of the password', () => {
  it('takes the present one, keeps the session, ends the others and is told to the user', async () => {
    const account = await identity.account();
    const other = await identity.signedIn(account.email);
    const since = mailServer.mails.length;
    const { status, body } = await change(account.accessToken);
    expect([status, body]).toEqual([200, {}]);
    expect((await identity.login(account.email)).status).toBe(401);
    expect((await identity.login(account.email, NEW_PASSWORD)).status).toBe(200);
    expect((await identity.post('/api/auth/refresh', { refreshToken: other.refreshToken })).status).toBe(401);
    await identity.refuses(other.accessToken);
    expect((await identity.post('/api/auth/refresh', { refreshToken: account.refreshToken })).status).toBe(200);
    const { text } = await mailServer.mailTo(account.email, since);
    expect(text).toMatch(/^Subject: Your password was changed\r?$/m);
    expect(text).toContain('somebody who knew the previous one');
  });

  it('is refused with a wrong present password, and changes nothing', async () => {
    const { email, accessToken } = await identity.account();
    const { status, body } = await change(accessToken, { currentPassword: 'not-the-password' });
    expect([status, body.code]).toEqual([401, 'INVALID_CREDENTIALS']);
    expect((await identity.login(email)).status).toBe(200);
  });

  it.each([
    ['password1234', 'COMMON_PASSWORD'],
    ['A workspace 2026', 'OWN_DATA_PASSWORD'],
    [PASSWORD, 'SAME_PASSWORD'],
  ])('to %p is refused', async (newPassword, code) => {
    const { accessToken } = await identity.account();
    const { status, body } = await change(accessToken, { newPassword });
    expect([status, body.code]).toEqual([422, 'WEAK_PASSWORD']);
    expect(body.errors).toMatchObject([{ pointer: '/newPassword', code }]);
  });

  it('needs the second factor where it is on', async () => {
    const account = await protectedAccount();
    const { challengeId, code } = await challenge(account);
    expect((await identity.login(account.email)).status).toBe(200);
    const wrong = code === '000000' ? '000001' : '000000';
    expect((await change(account.accessToken, { challengeId, code: wrong })).status).toBe(401);
    expect((await change(account.accessToken, { challengeId })).body).toMatchObject({ mfaRequired: true });
  });

  it('is made with the code of the challenge', async () => {
    const account = await protectedAccount();
    const proof = await challenge(account);
    const { status, body } = await change(account.accessToken, proof);
    expect([status, body]).toEqual([200, {}]);
    expect((await identity.login(account.email, NEW_PASSWORD)).body).toMatchObject({ mfaRequired: true });
  });

  it('is not made with the code of another user', async () => {
    const [mine, theirs] = [await protectedAccount(), await protectedAccount()];
    const proof = await challenge(theirs);
    const { status, body } = await change(mine.accessToken, proof);
    expect([status, body.code]).toEqual([401, 'INVALID_CREDENTIALS']);
  });

  it('of two at once is made once', async () => {
    const { accessToken } = await identity.account();
    const answers = await Promise.all([
      change(accessToken),
      change(accessToken, { newPassword: 'another-tidal-lantern-sings' }),
    ]);
    const statuses = answers.map(({ status }) => status).sort();
    // The slower one finds another password: before its check, or after.
    expect([
      [200, 401],
      [200, 409],
    ]).toContainEqual(statuses);
  });

  it('is limited by user, before anything is hashed', async () => {
    const { accessToken } = await identity.account();
    const statuses = [];
    for (let count = 0; count < CHANGES.points + 2; count += 1) {
      statuses.push((await change(accessToken, { newPassword: 'password1234' })).status);
    }
    expect(statuses.slice(-2)).toEqual([429, 429]);
    expect(new Set(statuses.slice(0, -2))).toEqual(new Set([422]));
  });

  it('makes links to set a new password invalid', async () => {
    const { email, accessToken } = await identity.account();
    const since = mailServer.mails.length;
    await identity.post('/api/auth/password-resets', { email });
    const token = /#token=([\w.-]+)/.exec((await mailServer.mailTo(email, since)).text)?.[1] ?? '';
    expect((await change(accessToken)).status).toBe(200);
    const late = await identity.post('/api/auth/password-resets/complete', {
      token,
      password: 'third-lantern-drifts-by',
    });
    expect([late.status, late.body.code]).toEqual([410, 'INVALID_PASSWORD_RESET']);
  });
});
