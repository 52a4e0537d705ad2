import { Database } from '@crm/database';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { type Account, PASSWORD, TestIdentity } from './identity.js';
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
/** The mail that was sent since, and the token in its link. */
const linkedToken = async (email: string, since: number, page: string) =>
  new RegExp(`/${page}#token=([\\w.-]+)`).exec((await mailServer.mailTo(email, since)).text)?.[1] ?? '';
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

  it('are not made by a session that a change of the password ends meanwhile', async () => {
    const account = await identity.account();
    const thief = await identity.signedIn(account.email);
    const attempts = Array.from({ length: 8 }, (_, n) =>
      identity.post('/api/auth/api-keys', { name: `k${n}`, scopes: ['leads'] }, thief.accessToken),
    );
    const body = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
    const [changed] = await Promise.all([identity.post('/api/auth/password', body, account.accessToken), ...attempts]);
    expect(changed?.status).toBe(200);
    const left = await identity.request('GET', '/api/auth/api-keys', { token: account.accessToken });
    expect(left.body.data).toEqual([]);
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
