import { waitUntil } from '@crm/testing';
import { describe, expect, it } from '@jest/globals';
import { ExpiredRowSweeper } from '../src/accounts/accounts.sweeper.js';
import { AfterResponse } from '../src/accounts/after-response.service.js';
import { entryOf } from './audit.js';
import { enrol, protectedAccount } from './authenticators.js';
import { EmbedHost } from './embed-host.js';
import { type Account, fromElsewhere, NEW_PASSWORD, newEmail, outcome, PASSWORD, withMail } from './identity.js';
import { codeIn, type ReceivedMail, tokenIn } from './mail-server.js';
import { newAuthenticator, passkeyAccount, register, signIn } from './passkeys.js';

const { identity, mailServer } = withMail();

const ask = (token: string, email: string, changes: Record<string, unknown> = {}) =>
  identity.post('/api/auth/email-change', { email, password: PASSWORD, ...changes }, token);
const present = (step: 'confirm' | 'undo', token: string) =>
  identity.request('POST', `/api/auth/email-change/${step}`, { body: { token }, headers: fromElsewhere() });
/** The token of the link to a page, in whichever mail it comes: those of what went before can be late. */
const tokenTo = async (address: string, page: string, since = 0): Promise<string> => {
  const isLink = ({ to, text }: ReceivedMail) => to === address && text.includes(`/${page}#token=`);
  const find = () => mailServer.mails.slice(since).findLast(isLink);
  await waitUntil(() => find() !== undefined, { timeoutMs: 10_000, describe: `a link to ${page} for ${address}` });
  return tokenIn(find()?.text ?? '');
};
/** Asks for another address. @returns the token of the mail that confirms it */
const asked = async (accessToken: string, email: string) => {
  const since = mailServer.mails.length;
  const { status, body } = await ask(accessToken, email);
  expect([status, body]).toEqual([202, {}]);
  return tokenTo(email, 'email-change', since);
};
/** Changes an address. @returns the token that undoes it */
const changed = async (accessToken: string, from: string, to: string) => {
  const token = await asked(accessToken, to);
  const since = mailServer.mails.length;
  expect((await present('confirm', token)).status).toBe(204);
  return tokenTo(from, 'email-change/undo', since);
};
const registerWith = (email: string) =>
  identity.post('/api/auth/register', { email, password: PASSWORD, name: 'Next', workspace: { name: 'Next' } });
/** Takes the link for a new password that an undone change sends. */
const setPassword = async (email: string, since: number) => {
  const body = { token: await tokenTo(email, 'password-reset', since), password: NEW_PASSWORD };
  expect((await identity.request('POST', '/api/auth/password-resets/complete', { body })).status).toBe(204);
};

describe('a change of the e-mail address', () => {
  it('takes effect when the new address confirms it; the old one no longer signs in and is told', async () => {
    const { email, accessToken, userId } = await identity.account();
    const wanted = newEmail();
    const token = await asked(accessToken, wanted);
    expect((await identity.login(wanted)).status).toBe(401);
    expect((await identity.login(email)).status).toBe(200);
    const { answer, text } = await mailServer.sentBy(email, () => present('confirm', token));
    expect(answer.status).toBe(204);
    expect((await identity.signedIn(wanted)).userId).toBe(userId);
    expect((await identity.login(email)).status).toBe(401);
    expect(text).toMatch(/^Subject: The email address of your account was changed\r?$/m);
    expect(text).toContain(wanted);
    expect((await identity.me(accessToken)).body).toMatchObject({ email: wanted });
    expect((await present('confirm', token)).body.code).toBe('INVALID_EMAIL_CHANGE');
  });

  it('needs another address, the password, and the second factor where it is on', async () => {
    const { email, accessToken } = await identity.account();
    const wanted = newEmail();
    const same = { status: 422, body: { errors: [{ pointer: '/email' }] } };
    expect(await ask(accessToken, email.toUpperCase())).toMatchObject(same);
    expect((await ask(accessToken, wanted, { password: 'not-the-password' })).status).toBe(401);
    await identity.setSecondFactor(accessToken, true);
    const { answer, text } = await mailServer.sentBy(email, () => ask(accessToken, wanted), 'code is');
    expect(answer).toMatchObject({ status: 202, body: { mfaRequired: true } });
    const proof = { challengeId: answer.body.challengeId, code: codeIn(text) };
    const { status, body } = await ask(accessToken, wanted, proof);
    expect([status, body]).toEqual([202, {}]);
    expect(await tokenTo(wanted, 'email-change')).not.toBe('');
  });

  it.each([
    ['a new password', 'POST', '/api/auth/password', { currentPassword: PASSWORD, newPassword: NEW_PASSWORD }],
    ['the end of every session', 'DELETE', '/api/auth/sessions', undefined],
  ])('ends, while it waits for its confirmation, with %s', async (_name, method, path, body) => {
    const { accessToken } = await identity.account();
    const token = await asked(accessToken, newEmail());
    expect((await identity.request(method, path, { token: accessToken, body })).status).toBeLessThan(300);
    expect((await present('confirm', token)).body.code).toBe('INVALID_EMAIL_CHANGE');
  });

  it('to an address with an account is answered like any other; only the mail says so', async () => {
    const [mine, theirs] = [await identity.account(), await identity.account()];
    const { answer: taken, text } = await mailServer.sentBy(theirs.email, () => ask(mine.accessToken, theirs.email));
    // Neither does what the workspace or an export has of it.
    const found = "SELECT new_email AS wanted, action FROM email_change, audit_entry WHERE action LIKE 'email%'";
    expect(await identity.query(mine.tenantId, found)).toEqual([
      { wanted: theirs.email, action: 'email.change_requested' },
    ]);
    const free = await ask(mine.accessToken, newEmail());
    expect([taken.status, taken.body]).toEqual([free.status, free.body]);
    expect(text).toContain('has an account already');
    expect(text).not.toContain('#token=');
    expect((await identity.login(theirs.email)).status).toBe(200);
  });

  it('is in the audit trail and the export, whether or not the address has an account', async () => {
    const taken = (await identity.account()).email;
    for (const wanted of [taken, newEmail()]) {
      const mine = await identity.account();
      await mailServer.sentBy(wanted, () => ask(mine.accessToken, wanted));
      const entry = await entryOf(identity, mine, 'email.change_requested');
      expect(entry).toMatchObject({ subject: { kind: 'user', id: mine.userId } });
      const { body } = await identity.send('POST', '/api/auth/me/export', mine);
      const change = { from: mine.email, to: wanted, confirmedAt: null };
      expect((body as unknown as { emailChanges: object[] }).emailChanges).toEqual([expect.objectContaining(change)]);
    }
  });

  it.each([
    ['a person has proven the address', (wanted: string) => registerWith(wanted), ''],
    [
      'a user of the workspace has got the address',
      (wanted: string, accessToken: string) =>
        identity.post('/api/tenant/users', { email: wanted, name: 'X', roles: ['member'] }, accessToken),
      'Another user of your workspace A workspace already uses this address',
    ],
  ])('is refused when %s before it is confirmed', async (_, take, detail) => {
    const { email, accessToken } = await identity.account();
    const wanted = newEmail();
    const token = await asked(accessToken, wanted);
    expect((await take(wanted, accessToken)).status).toBe(201);
    const refused = await present('confirm', token);
    expect(await outcome(refused)).toEqual([409, 'EMAIL_TAKEN']);
    expect(refused.body.detail ?? '').toContain(detail);
    expect((await identity.login(email)).status).toBe(200);
  });

  it('is confirmed only by the latest link, once, and within a day', async () => {
    const { accessToken, tenantId } = await identity.account();
    const [first, second] = [await asked(accessToken, newEmail()), await asked(accessToken, newEmail())];
    expect((await present('confirm', first)).body.code).toBe('INVALID_EMAIL_CHANGE');
    const hours = 'SELECT extract(epoch FROM expires_at - created_at)::int / 3600 AS hours FROM email_change';
    expect(await identity.query(tenantId, hours)).toEqual([{ hours: 24 }]);
    const answers = await Promise.all([present('confirm', second), present('confirm', second)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 410]);
    const third = await asked(accessToken, newEmail());
    await identity.expire('email_change', tenantId);
    expect((await present('confirm', third)).body.code).toBe('INVALID_EMAIL_CHANGE');
  });

  it('is limited by user', async () => {
    const { accessToken } = await identity.account();
    const statuses = [];
    for (let count = 0; count < 11; count += 1) statuses.push((await ask(accessToken, newEmail())).status);
    expect(statuses.at(-1)).toBe(429);
    await identity.get(AfterResponse).beforeApplicationShutdown();
  });

  it.each(['confirm', 'undo'] as const)('refuses to %s with a token of another workspace', async (step) => {
    const [mine, theirs] = [await identity.account(), await identity.account()];
    const tokenOf = ({ accessToken, email }: Account) =>
      step === 'confirm' ? asked(accessToken, newEmail()) : changed(accessToken, email, newEmail());
    const [myIds, mySecret] = (await tokenOf(mine)).split('.');
    const [theirIds] = (await tokenOf(theirs)).split('.');
    expect((await present(step, `${theirIds}.${mySecret}`)).body.code).toBe('INVALID_EMAIL_CHANGE');
    expect((await present(step === 'undo' ? 'confirm' : 'undo', `${myIds}.${mySecret}`)).status).toBe(410);
    expect((await present(step, `${myIds}.${mySecret}`)).status).toBe(204);
  });
});

describe('undoing a change of the e-mail address', () => {
  it('gives the address back, ends every session, makes the password invalid and sends a link for a new one', async () => {
    const { email, accessToken, userId } = await identity.account();
    const thiefsEmail = newEmail();
    const undo = await changed(accessToken, email, thiefsEmail);
    const thief = await identity.signedIn(thiefsEmail);
    const since = mailServer.mails.length;
    expect((await present('undo', undo)).status).toBe(204);
    for (const address of [email, thiefsEmail]) expect((await identity.login(address)).status).toBe(401);
    expect((await identity.refresh(thief.refreshToken)).status).toBe(401);
    await identity.refuses(thief.accessToken);
    await setPassword(email, since);
    const back = await identity.login(email, NEW_PASSWORD);
    expect(back.status).toBe(200);
    expect((await identity.me(back.body.accessToken)).body).toMatchObject({ id: userId, email });
    expect((await present('undo', undo)).body.code).toBe('INVALID_EMAIL_CHANGE');
    expect((await identity.account()).email).not.toBe(thiefsEmail);
  });

  it('removes an authenticator that was set up after the change was asked for, and no older one', async () => {
    const account = await identity.account();
    const { email } = account;
    const undo = await changed(account.accessToken, email, newEmail());
    await enrol(identity, account);
    const since = mailServer.mails.length;
    expect((await present('undo', undo)).status).toBe(204);
    await setPassword(email, since);
    // Setting it up has switched the second factor on: without it, a code goes to the address.
    expect((await identity.login(email, NEW_PASSWORD)).body).toMatchObject({ mfaRequired: true, methods: ['mail'] });

    const { account: older, app } = await protectedAccount(identity);
    const { challengeId } = (await ask(older.accessToken, newEmail())).body;
    const again = { challengeId, code: await app.freshCode() };
    const [newer, before] = [newEmail(), mailServer.mails.length];
    expect((await ask(older.accessToken, newer, again)).status).toBe(202);
    const confirmation = await tokenTo(newer, 'email-change', before);
    expect((await present('confirm', confirmation)).status).toBe(204);
    const undoing = await tokenTo(older.email, 'email-change/undo', before);
    expect((await present('undo', undoing)).status).toBe(204);
    const confirmed = 'SELECT confirmed_at IS NOT NULL AS confirmed FROM authenticator';
    expect(await identity.query(older.tenantId, confirmed)).toEqual([{ confirmed: true }]);
  });

  it('removes every passkey, because an older one can belong to the thief as well', async () => {
    const { account, authenticator: older } = await passkeyAccount(identity);
    const newer = newAuthenticator();
    const undo = await changed(account.accessToken, account.email, newEmail());
    await register(identity, account, newer);
    expect((await signIn(identity, newer)).status).toBe(200);
    expect((await present('undo', undo)).status).toBe(204);
    expect((await signIn(identity, newer)).status).toBe(401);
    expect((await signIn(identity, older)).status).toBe(401);
  });

  it('is in the audit trail with the factors that it takes away, and of which no mail goes to the thief', async () => {
    const { account, passkeyId } = await passkeyAccount(identity);
    const { email, accessToken, tenantId, userId } = account;
    const thiefsEmail = newEmail();
    const undo = await changed(accessToken, email, thiefsEmail);
    await identity.stepUp(accessToken);
    await enrol(identity, account);
    const since = mailServer.mails.length;
    expect((await present('undo', undo)).status).toBe(204);
    await setPassword(email, since);
    const entries = 'SELECT action, actor_id AS who, detail FROM audit_entry ORDER BY id DESC LIMIT 6';
    expect(await identity.query(tenantId, entries)).toEqual([
      { action: 'password.reset', who: userId, detail: {} },
      { action: 'password.reset_requested', who: null, detail: {} },
      { action: 'email.change_undone', who: userId, detail: {} },
      { action: 'passkey.removed', who: userId, detail: { passkeyId } },
      { action: 'authenticator.removed', who: userId, detail: {} },
      { action: 'authenticator.added', who: userId, detail: {} },
    ]);
    const changes = "SELECT actor_id AS who FROM audit_entry WHERE action = 'email.changed'";
    expect(await identity.query(tenantId, changes)).toEqual([{ who: userId }]);
    expect(mailServer.mails.filter(({ to, text }) => to === thiefsEmail && text.includes('removed'))).toEqual([]);
  });

  it('ends the ways in through a host and an identity provider that were made since, and no older ones', async () => {
    const host = await EmbedHost.start(identity);
    const { email, accessToken, userId, tenantId } = host.owner;
    const query = (sql: string, values: unknown[] = []) => identity.query(tenantId, sql, values);
    const atProvider = (sub: string) =>
      query("INSERT INTO provider_link (tenant_id, issuer, sub, user_id) VALUES ($1, 'https://a.test', $2, $3)", [
        tenantId,
        sub,
        userId,
      ]);
    await host.mint({ sub: 'older', email });
    await mailServer.mailTo(email);
    await atProvider('older');
    const thiefsEmail = newEmail();
    const undo = await changed(accessToken, email, thiefsEmail);
    const embedded = await host.mint({ sub: 'newer', email: thiefsEmail });
    await mailServer.mailTo(thiefsEmail);
    await atProvider('newer');
    expect((await identity.me(embedded.embedToken)).body.id).toBe(userId);
    expect((await present('undo', undo)).status).toBe(204);
    await expect(host.mint({ sub: 'newer' })).rejects.toMatchObject({ code: 'EMBED_USER_DISABLED' });
    expect((await host.userOf({ sub: 'older' })).userId).toBe(userId);
    expect(await query('SELECT sub FROM provider_link')).toEqual([{ sub: 'older' }]);
  });

  it('ends a link to a host user that an administrator has replaced since', async () => {
    const host = await EmbedHost.start(identity, { appKey: 'visits', linkUsersBy: 'explicit' });
    const { email, accessToken, userId } = host.owner;
    const body = { appKey: 'visits', sub: 'u1', userId };
    const link = () => identity.request('PUT', '/api/tenant/embed-links', { token: accessToken, body });
    await link();
    const undo = await changed(accessToken, email, newEmail());
    expect((await host.userOf({ sub: 'u1' })).userId).toBe(userId);
    await link();
    expect((await present('undo', undo)).status).toBe(204);
    await expect(host.mint({ sub: 'u1' })).rejects.toMatchObject({ code: 'EMBED_USER_DISABLED' });
  });

  it('undoes later changes too, whose own links then stop working', async () => {
    const { email, accessToken } = await identity.account();
    const [second, third] = [newEmail(), newEmail()];
    const undoFirst = await changed(accessToken, email, second);
    const undoSecond = await changed(accessToken, second, third);
    expect((await present('undo', undoFirst)).status).toBe(204);
    expect((await present('undo', undoSecond)).body.code).toBe('INVALID_EMAIL_CHANGE');
    // Both are free again.
    for (const free of [second, third]) expect((await registerWith(free)).status).toBe(201);
  });

  it('is possible for seven days, in which nobody else gets the old address', async () => {
    const { email, accessToken, tenantId } = await identity.account();
    const undo = await changed(accessToken, email, newEmail());
    const days = 'SELECT extract(epoch FROM expires_at - confirmed_at)::int / 86400 AS days FROM email_change';
    expect(await identity.query(tenantId, days)).toEqual([{ days: 7 }]);
    const holders = async () =>
      (await identity.queryAll('SELECT tenant_id AS id FROM sign_in_email WHERE email = $1', [email])).map(
        ({ id }) => id,
      );
    expect((await registerWith(email)).status).toBe(201);
    expect(await holders()).toEqual([tenantId]);
    await identity.expire('email_change', tenantId);
    const lapse = `UPDATE sign_in_email SET reserved_until = now() - interval '1 second' WHERE email = $1`;
    await identity.queryAll(lapse, [email]);
    expect((await present('undo', undo)).body.code).toBe('INVALID_EMAIL_CHANGE');
    await identity.get(ExpiredRowSweeper).sweep();
    const next = await registerWith(email);
    expect(await holders()).toEqual([next.body.tenant.id]);
  });

  it('does not keep the user from taking back the old address themselves', async () => {
    const { email, accessToken, userId } = await identity.account();
    const other = newEmail();
    await changed(accessToken, email, other);
    await changed(accessToken, other, email);
    expect((await identity.signedIn(email)).userId).toBe(userId);
    expect((await identity.login(other)).status).toBe(401);
  });
});
