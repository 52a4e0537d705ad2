import { waitUntil } from '@crm/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { AfterResponse } from '../src/mail/after-response.service.js';
import { CHANGES } from '../src/password-changes/password-change.service.js';
import { COMPLETIONS_PER_ADDRESS, MAILS_PER_ACCOUNT } from '../src/password-changes/password-reset-limit.js';
import { refusals, waitSeconds } from '../src/passwords/hash-pool.js';
import { PASSWORDS_SET } from '../src/users/chosen-password.service.js';
import { auditOf } from './audit.js';
import { type Account, fromElsewhere, NEW_PASSWORD, newEmail, outcome, PASSWORD, withMail } from './identity.js';
import { codeIn, tokenIn } from './mail-server.js';
import { passkeyAccount, signIn as signInByPasskey } from './passkeys.js';
import { consultant } from './persons.js';

const { identity, mailServer } = withMail();

const ask = (email: string, headers = fromElsewhere()) =>
  identity.request('POST', '/api/auth/password-resets', { body: { email }, headers });
const complete = (token: string, password = NEW_PASSWORD, headers = fromElsewhere()) =>
  identity.request('POST', '/api/auth/password-resets/complete', { body: { token, password }, headers });
/** Waits until what was asked for has been done. */
const settled = () => identity.get(AfterResponse).beforeApplicationShutdown();
const resetToken = async (email: string) => {
  const { answer, text } = await mailServer.sentBy(email, () => ask(email), '#token=');
  expect(answer.status).toBe(202);
  return tokenIn(text);
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

  it('is the invitation again for someone who was invited', async () => {
    const owner = await identity.account();
    const email = newEmail();
    const invited = { email, name: 'Invited', roles: ['member'] };
    const invite = () => identity.post('/api/tenant/users', invited, owner.accessToken);
    const first = tokenIn((await mailServer.sentBy(email, invite)).text);
    const { text } = await mailServer.sentBy(email, () => ask(email), '#token=');
    expect(text).toContain('Subject: Invitation to A workspace');
    const accept = (token: string) => identity.post('/api/auth/invitations/accept', { token, password: NEW_PASSWORD });
    expect(await outcome(accept(first))).toEqual([410, 'INVALID_INVITATION']);
    expect((await accept(tokenIn(text))).status).toBe(204);
    expect((await identity.login(email, NEW_PASSWORD)).status).toBe(200);
  });

  it('tells a workspace nothing of who asks for the address of a local account', async () => {
    const { owner, viewer } = await identity.team('viewer');
    expect(await resetToken(viewer.email)).not.toBe('');
    expect(await auditOf(identity, owner, '&action=password.reset_requested')).toEqual([]);
  });

  it('signs a person in who had none, though they were last where a provider signs them in', async () => {
    const { home, customer, there } = await consultant(identity);
    const forget = 'UPDATE app_user SET password_hash = NULL';
    await identity.query(home.tenantId, `${forget}, origin = 'identity_provider' WHERE id = $1`, [home.userId]);
    await identity.query(customer.tenantId, `${forget} WHERE id = $1`, [there.userId]);
    const completed = await complete(await resetToken(home.email));
    expect(completed.status).toBe(204);
    expect((await identity.signedIn(home.email, NEW_PASSWORD)).userId).toBe(there.userId);
    // The device that set it gets in while others guess, wherever the person has been since.
    const last = 'UPDATE sign_in_email SET tenant_id = $2, user_id = $3 WHERE email = $1';
    await identity.queryAll(last, [home.email, home.tenantId, home.userId]);
    const device = { 'x-device-token': completed.headers.get('x-device-token') ?? '' };
    let guess = await identity.login(home.email);
    while (guess.status === 401) guess = await identity.login(home.email);
    expect(guess.status).toBe(429);
    expect((await identity.login(home.email, NEW_PASSWORD, device)).status).toBe(200);
  });

  it('is set once with the link, ends every session and is told to the user', async () => {
    const { email, accessToken, refreshToken } = await identity.account();
    const asked = await mailServer.sentBy(email, () => ask(email));
    expect(asked.text).toMatch(/^Subject: Set a new password\r?$/m);
    expect(asked.text).toContain('The link works once and for 30 minutes.');
    // Behind #, where no server logs it.
    expect(asked.text).toMatch(/^http:\/\/127\.0\.0\.1:8080\/password-reset#token=/m);
    const token = tokenIn(asked.text);
    const { answer, text } = await mailServer.sentBy(email, () => complete(token));
    expect(answer.status).toBe(204);
    expect((await identity.login(email)).status).toBe(401);
    expect((await identity.login(email, NEW_PASSWORD)).status).toBe(200);
    expect((await identity.refresh(refreshToken)).status).toBe(401);
    await identity.refuses(accessToken);
    expect(text).toMatch(/^Subject: Your password was changed\r?$/m);
    expect(text).toContain('All your sessions have ended');
    expect(await outcome(complete(token, 'another-tidal-lantern-sings'))).toEqual([410, 'INVALID_PASSWORD_RESET']);
  });

  it('is refused after 30 minutes', async () => {
    const { email, tenantId } = await identity.account();
    const token = await resetToken(email);
    const seconds = 'SELECT extract(epoch FROM expires_at - created_at)::int AS seconds FROM password_reset';
    expect(await identity.query(tenantId, seconds)).toEqual([{ seconds: 1800 }]);
    await identity.expire('password_reset', tenantId);
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

  it('leaves earlier links valid when someone asks again, and ends all of them when one is used', async () => {
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

describe('a new password by mail, of an account with passkeys', () => {
  const completeWith = (token: string, removePasskeys?: boolean, password = NEW_PASSWORD) => {
    const body = { token, password, removePasskeys };
    return identity.request('POST', '/api/auth/password-resets/complete', { body, headers: fromElsewhere() });
  };
  const withPasskey = async () => {
    const since = mailServer.mails.length;
    const opened = await passkeyAccount(identity);
    // The notice of the passkey, which would be taken for the mail with the link.
    await mailServer.mailTo(opened.account.email, since);
    return opened;
  };
  const removals = async (account: Account) =>
    auditOf(identity, await identity.signedIn(account.email, NEW_PASSWORD), '&action=passkey.removed');

  it('leaves them where nothing else is asked for, and says how many there are to those who can ask', async () => {
    const [silent, asked] = [await withPasskey(), await withPasskey()];
    expect(await completeWith(await resetToken(silent.account.email))).toMatchObject({ status: 204, body: undefined });
    const { status, body } = await completeWith(await resetToken(asked.account.email), false);
    expect([status, body]).toEqual([200, { passkeys: 1, passkeysRemoved: 0 }]);
    for (const { account, authenticator } of [silent, asked]) {
      expect((await signInByPasskey(identity, authenticator)).status).toBe(200);
      expect(await removals(account)).toEqual([]);
    }
  });

  it('removes them on demand, which the audit trail and a mail to the user tell', async () => {
    const { account, authenticator, passkeyId } = await withPasskey();
    const token = await resetToken(account.email);
    const since = mailServer.mails.length;
    expect(await completeWith(token, true)).toMatchObject({ status: 200, body: { passkeys: 0, passkeysRemoved: 1 } });
    expect((await signInByPasskey(identity, authenticator)).status).toBe(401);
    expect(await removals(account)).toMatchObject([
      { actor: { id: account.userId }, subject: { id: account.userId }, detail: { passkeyId } },
    ]);
    const subjects = () => mailServer.mails.slice(since).map(({ text }) => /^Subject: (.*)$/m.exec(text)?.[1]?.trim());
    const isTold = () => subjects().includes('A passkey was removed from your account');
    await waitUntil(isTold, { describe: 'the mail about the passkey' });
  });

  it('removes none and says nothing of them while the link or the password is refused', async () => {
    const { account, authenticator } = await withPasskey();
    const token = await resetToken(account.email);
    for (const refused of [completeWith(`${token}x`, true), completeWith(token, true, 'password1234')]) {
      const { status, body } = await refused;
      expect(status).toBeGreaterThanOrEqual(410);
      expect(JSON.stringify(body)).not.toMatch(/passkey/i);
    }
    expect((await signInByPasskey(identity, authenticator)).status).toBe(200);
  });
});

describe('an attack on new passwords by mail', () => {
  it('is answered alike for known and unknown addresses, before anything is looked up', async () => {
    const { email } = await identity.account();
    const answers = [await ask(email), await ask(newEmail())];
    for (const { status, body } of answers) expect([status, body]).toEqual([202, { accepted: true }]);
    const names = answers.map(({ headers }) => [...headers.keys()].sort());
    expect(names[0]).toEqual(names[1]);
    await settled();
  });

  it('sends nothing to disabled users', async () => {
    const { owner, member } = await identity.team('member');
    await identity.changeUser(owner, member.userId, { status: 'disabled' });
    const since = mailServer.mails.length;
    expect((await ask(member.email)).status).toBe(202);
    await settled();
    // A mail that is queued later and arrives shows that the other was not queued.
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
    const headers = fromElsewhere();
    const statuses = [];
    for (let count = 0; count < 25; count += 1) statuses.push((await ask(newEmail(), headers)).status);
    expect(statuses.filter((status) => status === 429)).toHaveLength(5);
  });

  it('by guessing in parallel costs no hash, tries few tokens, and leaves the right one valid', async () => {
    const { email } = await identity.account();
    const token = await resetToken(email);
    const [ids] = token.split('.');
    const headers = fromElsewhere();
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

  it.each(['nonsense', '.', 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA.x'])(
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
    expect(await complete(await resetToken(email))).toMatchObject({ status: 204, body: undefined });
    const { status, body } = await identity.login(email, NEW_PASSWORD);
    const expected = { mfaRequired: true, challengeId: expect.any(String), expiresIn: 600, methods: ['mail'] };
    expect([status, body]).toEqual([200, expected]);
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
const challenge = async ({ email, accessToken }: Account, changes = {}) => {
  const { answer, text } = await mailServer.sentBy(email, () => change(accessToken, changes), 'code is');
  expect(answer).toMatchObject({ status: 200, body: { mfaRequired: true } });
  return { challengeId: answer.body.challengeId, code: codeIn(text) };
};

describe('a change of the password', () => {
  it('takes the present one, keeps the session, ends the others and is told to the user', async () => {
    const account = await identity.account();
    const other = await identity.signedIn(account.email);
    const { answer, text } = await mailServer.sentBy(account.email, () => change(account.accessToken));
    expect([answer.status, answer.body]).toEqual([200, {}]);
    expect((await identity.login(account.email)).status).toBe(401);
    expect((await identity.login(account.email, NEW_PASSWORD)).status).toBe(200);
    expect((await identity.refresh(other.refreshToken)).status).toBe(401);
    await identity.refuses(other.accessToken);
    expect((await identity.refresh(account.refreshToken)).status).toBe(200);
    expect(text).toMatch(/^Subject: Your password was changed\r?$/m);
    expect(text).toContain('somebody who knew the previous one');
  });

  it('is refused with a wrong present password, and changes nothing', async () => {
    const { email, accessToken } = await identity.account();
    const refused = change(accessToken, { currentPassword: 'not-the-password' });
    expect(await outcome(refused)).toEqual([401, 'INVALID_CREDENTIALS']);
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
    // Its mail, which the sign-in sends too, would otherwise be taken for the next one.
    const signIn = await mailServer.sentBy(account.email, () => identity.login(account.email), 'code is');
    expect(signIn.answer.status).toBe(200);
    const wrong = code === '000000' ? '000001' : '000000';
    expect((await change(account.accessToken, { challengeId, code: wrong })).status).toBe(401);
    const { status, body } = await change(account.accessToken, await challenge(account, { challengeId }));
    expect([status, body]).toEqual([200, {}]);
    expect((await identity.login(account.email, NEW_PASSWORD)).body).toMatchObject({ mfaRequired: true });
  });

  it('is not made with the code of another user', async () => {
    const [mine, theirs] = [await protectedAccount(), await protectedAccount()];
    const proof = await challenge(theirs);
    expect(await outcome(change(mine.accessToken, proof))).toEqual([401, 'INVALID_CREDENTIALS']);
  });

  it('of two at once is made once', async () => {
    const { accessToken } = await identity.account();
    const other = { newPassword: 'another-tidal-lantern-sings' };
    const answers = await Promise.all([change(accessToken), change(accessToken, other)]);
    const statuses = answers.map(({ status }) => status).sort();
    // The slower one finds another password: before its check, or after.
    expect(['200,401', '200,409']).toContain(statuses.join());
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
    const token = await resetToken(email);
    expect((await change(accessToken)).status).toBe(200);
    expect(await outcome(complete(token, 'third-lantern-drifts-by'))).toEqual([410, 'INVALID_PASSWORD_RESET']);
  });
});

describe('passwords that are refused', () => {
  /** More than the time of the test gives back, one in twelve seconds. */
  const GIVEN_BACK = 20;

  let owner: Account;
  beforeAll(async () => {
    owner = await identity.account({ name: 'Rocket Works' });
  });

  // Without digits: in one address of four thousand they are those of the password, forwards or backwards.
  const person = () => ({ email: newEmail().replace(/\d/g, 'x'), name: 'Grace Hopper' });
  const register = (password: string) =>
    identity.post('/api/auth/register', { ...person(), password, workspace: { name: 'Rocket Works' } });
  const add = (password?: string) => {
    const body = { ...person(), password, roles: ['member'] };
    return identity.post('/api/tenant/users', body, owner.accessToken);
  };
  const accept = (token: string, password = PASSWORD) =>
    identity.post('/api/auth/invitations/accept', { token, password });
  const acceptMail = async (password: string) => {
    const { email } = (await add()).body as unknown as { email: string };
    return accept(tokenIn((await mailServer.mailTo(email)).text), password);
  };

  describe.each([
    ['registration', register],
    ['adding a user', add],
    ['accepting an invitation', acceptMail],
  ])('%s', (_, call) => {
    it.each([
      ['Grace-Hopper-1', 'OWN_DATA_PASSWORD'],
      ['rocketworks2026', 'OWN_DATA_PASSWORD'],
    ])('refuses the password %p before it hashes anything', async (password, code) => {
      const before = await hashes();
      const refused = await call(password);
      expect(await outcome(refused)).toEqual([422, 'WEAK_PASSWORD']);
      expect(refused.body.errors).toMatchObject([{ pointer: '/password', code }]);
      expect(await hashes()).toBe(before);
    });
  });

  it.each([64, 256])('do not include one of %i characters, which is verified to its last one', async (length) => {
    const password = 'correct-horse-battery-staple-'.repeat(9).slice(0, length);
    const { status, body } = await register(password);
    expect(status).toBe(201);
    const { email } = body.user as unknown as { email: string };
    expect((await identity.login(email, password)).status).toBe(200);
    expect((await identity.login(email, `${password.slice(0, -1)}!`)).status).toBe(401);
  });

  it('are limited by workspace where administrators set them, before they are looked at', async () => {
    const other = await identity.account();
    const body = { ...person(), password: 'iloveyou2024', roles: ['member'] };
    const set = async () => (await identity.post('/api/tenant/users', body, other.accessToken)).status;
    const statuses: number[] = [];
    // Not all at once: a busy machine refuses what waits too long for a connection.
    while (statuses.length < PASSWORDS_SET.points + GIVEN_BACK) {
      statuses.push(...(await Promise.all(Array.from({ length: 20 }, set))));
    }
    expect(new Set(statuses)).toEqual(new Set([422, 429]));
    const lookedAt = statuses.filter((status) => status === 422).length;
    expect(lookedAt).toBeGreaterThanOrEqual(PASSWORDS_SET.points);
    expect(lookedAt).toBeLessThan(statuses.length);
  });

  it('are not hashed for an invitation that is not valid', async () => {
    const before = await hashes();
    const tries = Array.from({ length: 20 }, () => accept('AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA.x'));
    expect(new Set((await Promise.all(tries)).map(({ status }) => status))).toEqual(new Set([410]));
    expect(await hashes()).toBe(before);
  });
});
