import { Database } from '@crm/database';
import { waitUntil } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { type Account, type Answer, PASSWORD, TestIdentity } from './identity.js';
import { TestKeys } from './keys.js';
import { MailServer } from './mail-server.js';

const NEW_PASSWORD = 'tidal-lantern-orbits-quietly';

let mailServer: MailServer;
let identity: TestIdentity;
let keys: TestKeys;
beforeAll(async () => {
  mailServer = await MailServer.start();
  identity = await TestIdentity.start({ smtpUrl: mailServer.url });
  keys = await TestKeys.connect(identity);
});
afterAll(async () => {
  await keys?.close();
  await identity?.close();
  await mailServer?.close();
});

/** A key of an account and a token that it was exchanged for. */
const keyOf = async (account: Account, changes?: Record<string, unknown>) => {
  const { id, key } = await keys.make(account, changes);
  return { id, key, token: await keys.exchange(key) };
};
const change = (owner: Account, userId: string, body: Record<string, unknown>) =>
  identity.request('PATCH', `/api/tenant/users/${userId}`, { token: owner.accessToken, body });
/** The token of the link to a page in a mail that was sent since; the notice of the key can come in between. */
const linkedToken = async (email: string, since: number, page: string) => {
  const link = new RegExp(`/${page}#token=([\\w.-]+)`);
  const find = () => mailServer.mails.slice(since).find(({ to, text }) => to === email && link.test(text));
  await waitUntil(() => find() !== undefined, {
    describe: `a mail to ${email} with a link to ${page}`,
    timeoutMs: 10_000,
  });
  return link.exec(find()?.text ?? '')?.[1] ?? '';
};
const WAITING = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
const from = (address: string) => ({ 'x-forwarded-for': address });

describe('the API keys of a user', () => {
  it('have the role that the user has now, within a second', async () => {
    const owner = await identity.account();
    const admin = await identity.member(owner, ['admin']);
    const { key, token } = await keyOf(admin, { scopes: ['webhooks', 'leads'] });
    expect((await change(owner, admin.userId, { roles: ['viewer'] })).status).toBe(200);
    await keys.isCutOff(token);
    expect(await keys.claims(key)).toMatchObject({ roles: ['viewer'], scopes: ['webhooks', 'leads'] });
  });

  it('end for good when the user is disabled', async () => {
    const owner = await identity.account();
    const member = await identity.member(owner);
    const { key, token } = await keyOf(member);
    await change(owner, member.userId, { status: 'disabled' });
    await keys.expectEnded(key, token);
    await change(owner, member.userId, { status: 'active' });
    expect(await keys.refusal(key)).toBe('INVALID_API_KEY');
  });

  it('end when the user changes the password', async () => {
    const account = await identity.account();
    const { key, token } = await keyOf(account);
    const body = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
    expect((await identity.post('/api/auth/password', body, account.accessToken)).status).toBe(200);
    await keys.expectEnded(key, token);
    expect((await identity.request('GET', '/api/auth/me', { token: account.accessToken })).status).toBe(200);
  });

  it('end when a new password is set by mail', async () => {
    const account = await identity.account();
    const { key, token } = await keyOf(account);
    const since = mailServer.mails.length;
    const headers = from('198.51.100.1');
    await identity.request('POST', '/api/auth/password-resets', { body: { email: account.email }, headers });
    const reset = await linkedToken(account.email, since, 'password-reset');
    const body = { token: reset, password: NEW_PASSWORD };
    expect((await identity.request('POST', '/api/auth/password-resets/complete', { body, headers })).status).toBe(204);
    await keys.expectEnded(key, token);
  });

  it('stay when the e-mail address changes, and end when that is undone', async () => {
    const account = await identity.account();
    const { key, token } = await keyOf(account);
    const email = `new-${account.email}`;
    let since = mailServer.mails.length;
    const asked = await identity.post('/api/auth/email-change', { email, password: PASSWORD }, account.accessToken);
    expect(asked.status).toBe(202);
    const confirmation = await linkedToken(email, since, 'email-change');
    since = mailServer.mails.length;
    const headers = from('198.51.100.2');
    await identity.request('POST', '/api/auth/email-change/confirm', { body: { token: confirmation }, headers });
    const undo = await linkedToken(account.email, since, 'email-change/undo');
    expect(await keys.refusal(key)).toBe('no error');
    await identity.request('POST', '/api/auth/email-change/undo', { body: { token: undo }, headers });
    await keys.expectEnded(key, token);
  });

  it('stay when the user signs out, everywhere too, and when an administrator ends the sessions', async () => {
    const owner = await identity.account();
    const member = await identity.member(owner);
    const { key, token } = await keyOf(member);
    await identity.request('DELETE', '/api/auth/sessions', { token: member.accessToken });
    await identity.request('DELETE', `/api/tenant/users/${member.userId}/sessions`, { token: owner.accessToken });
    expect(await keys.refusal(key)).toBe('no error');
    expect((await keys.current(token)).status).toBe(200);
  });

  it('are refused when the workspace was closed', async () => {
    const account = await identity.account();
    const { key } = await keyOf(account);
    await identity.get(Database).transaction(account.tenantId, (tx) => tx.query('UPDATE tenant SET closed_at = now()'));
    expect(await keys.refusal(key)).toBe('INVALID_API_KEY');
    const { status } = await identity.post('/api/auth/api-keys', { name: 'x', scopes: ['leads'] }, account.accessToken);
    expect(status).toBe(404);
  });

  it('are not made by a session that ends while the user is changed', async () => {
    const account = await identity.account();
    const database = identity.get(Database);
    let making: Promise<Answer> | undefined;
    // What a change of the password does, with the making of a key begun before it commits.
    await database.transaction(account.tenantId, async (tx) => {
      await tx.query('SELECT 1 FROM app_user WHERE tenant_id = $1 FOR UPDATE', [account.tenantId]);
      making = identity.post('/api/auth/api-keys', { name: 'x', scopes: ['leads'] }, account.accessToken);
      // In transactions of their own: what a transaction sees of other connections does not change.
      const isWaiting = async () =>
        (await database.transaction(account.tenantId, (other) => other.query(WAITING))).length > 0;
      await waitUntil(isWaiting, { describe: 'the making of the key to wait for the user' });
      await tx.query('DELETE FROM session WHERE tenant_id = $1', [account.tenantId]);
    });
    expect((await making)?.body.code).toBe('STEP_UP_REQUIRED');
    const [{ count } = { count: -1 }] = await database.transaction(account.tenantId, (tx) =>
      tx.query<{ count: number }>('SELECT count(*)::integer AS count FROM api_key'),
    );
    expect(count).toBe(0);
  });

  it('of one user are not those of another: ending them leaves the others', async () => {
    const owner = await identity.account();
    const member = await identity.member(owner);
    const [mine, theirs] = [await keyOf(owner), await keyOf(member)];
    await change(owner, member.userId, { status: 'disabled' });
    await keys.expectEnded(theirs.key, theirs.token);
    expect((await keys.current(mine.token)).status).toBe(200);
    expect(decodeJwt(mine.token).sid).toBe(mine.id);
  });
});
