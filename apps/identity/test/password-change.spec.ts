import { waitUntil } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CHANGES } from '../src/accounts/password-change.service.js';
import { type Account, NEW_PASSWORD, PASSWORD, TestIdentity } from './identity.js';
import { MailServer } from './mail-server.js';

let mailServer: MailServer;
let identity: TestIdentity;
beforeAll(async () => {
  mailServer = await MailServer.start();
  identity = await TestIdentity.start({ smtpUrl: mailServer.url });
});
afterAll(async () => {
  await identity?.close();
  await mailServer?.close();
});

const change = (token: string, changes: Record<string, unknown> = {}) =>
  identity.post('/api/auth/password', { currentPassword: PASSWORD, newPassword: NEW_PASSWORD, ...changes }, token);
const protectedAccount = async (): Promise<Account> => {
  const account = await identity.account();
  const body = { enabled: true, password: PASSWORD };
  await identity.request('PUT', '/api/auth/mfa', { token: account.accessToken, body });
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
    await waitUntil(
      async () => (await identity.request('GET', '/api/auth/me', { token: other.accessToken })).status === 401,
      { describe: 'the other session to end' },
    );
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
