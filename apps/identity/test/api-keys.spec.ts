import { apiKeyFingerprint, makeApiKey, readApiKey } from '@crm/access';
import { SCOPE_NAMES } from '@crm/contracts';
import { Database, newId } from '@crm/database';
import { waitUntil } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { ExpiredRowSweeper } from '../src/accounts/accounts.sweeper.js';
import { KEYS_PER_OWNER, KEYS_PER_TENANT } from '../src/api-keys/api-key.service.js';
import { type Account, type Answer, PASSWORD, TestIdentity } from './identity.js';
import { PRESENTED_AT, TestKeys } from './keys.js';
import { MailServer } from './mail-server.js';

const DAY_MS = 24 * 3600 * 1000;

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

const list = ({ accessToken }: Account, path = '/api/auth/api-keys') =>
  identity.request('GET', path, { token: accessToken });
const ask = ({ accessToken }: Account, changes: Record<string, unknown> = {}) =>
  identity.post('/api/auth/api-keys', { name: 'Import', scopes: ['leads'], ...changes }, accessToken);
const end = ({ accessToken }: Account, id: string, path = '/api/auth/api-keys') =>
  identity.request('DELETE', id === '' ? path : `${path}/${id}`, { token: accessToken });
const inTenant = ({ tenantId }: Account, sql: string, parameters: unknown[] = []) =>
  identity.get(Database).transaction(tenantId, (tx) => tx.query<Record<string, unknown>>(sql, parameters));
const oldProof = (account: Account) =>
  inTenant(account, "UPDATE session SET proven_at = now() - interval '601 seconds'");

describe('a personal API key', () => {
  it('is shown once, is found by its beginning, and is stored as a hash', async () => {
    const owner = await identity.account();
    const { id, key, prefix } = await keys.make(owner, { name: '  Nightly import  ' });
    expect(readApiKey(key)).toEqual({ keyId: id, tenantId: owner.tenantId });
    expect(key.startsWith(prefix)).toBe(true);
    const { body } = await list(owner);
    expect(body).toMatchObject({ total: 1, data: [{ id, prefix, name: 'Nightly import', createdBy: owner.userId }] });
    expect(JSON.stringify(body)).not.toContain(key.slice(-49));
    const rows = await inTenant(owner, "SELECT *, encode(secret_hash, 'hex') AS hash FROM api_key");
    expect(rows).toMatchObject([{ id, hash: apiKeyFingerprint(key) }]);
    expect(JSON.stringify(rows)).not.toContain(key.slice(-49));
  });

  it('expires after 90 days, or as many as were asked for up to a year', async () => {
    const owner = await identity.account();
    const daysOf = async (changes: Record<string, unknown>) => {
      const { body } = await ask(owner, changes);
      return Math.round((Date.parse((body as unknown as { expiresAt: string }).expiresAt) - Date.now()) / DAY_MS);
    };
    expect(await daysOf({})).toBe(90);
    expect(await daysOf({ expiresInDays: 365 })).toBe(365);
    for (const expiresInDays of [0, 366, 1.5, -1]) expect((await ask(owner, { expiresInDays })).status).toBe(422);
  });

  it('is exchanged for a short token with the role of its owner and the scopes of the key', async () => {
    const owner = await identity.account();
    const member = await identity.member(owner);
    const { id, key } = await keys.make(member);
    const claims = await keys.claims(key);
    expect(claims).toMatchObject({
      sub: member.userId,
      tid: member.tenantId,
      sid: id,
      api_key: true,
      roles: ['member'],
      scopes: ['leads', 'contacts:read'],
      aud: 'platform-api',
    });
    expect((claims.exp as number) - (claims.iat as number)).toBe(120);
  });

  it('notes when and where it was used, once in five minutes', async () => {
    const owner = await identity.account();
    const { id, key } = await keys.make(owner);
    expect((await list(owner)).body.data).toMatchObject([{ lastUsedAt: null, lastAddress: null }]);
    await keys.exchange(key);
    const first = (await list(owner)).body.data[0] as unknown as { lastUsedAt: string; lastAddress: string };
    expect(first.lastAddress).toBe(PRESENTED_AT);
    expect(Date.now() - Date.parse(first.lastUsedAt)).toBeLessThan(60_000);
    await keys.exchange(key);
    expect((await list(owner)).body.data).toMatchObject([{ lastUsedAt: first.lastUsedAt }]);
    await inTenant(owner, "UPDATE api_key SET last_used_at = now() - interval '6 minutes' WHERE id = $1", [id]);
    await keys.exchange(key);
    const again = (await list(owner)).body.data[0] as unknown as { lastUsedAt: string };
    expect(Date.parse(again.lastUsedAt)).toBeGreaterThanOrEqual(Date.parse(first.lastUsedAt));
  });

  it('describes itself', async () => {
    const owner = await identity.account();
    const { id, key } = await keys.make(owner);
    const { status, body } = await keys.current(await keys.exchange(key));
    expect([status, body]).toMatchObject([
      200,
      { id, scopes: ['leads', 'contacts:read'], owner: { kind: 'user', id: owner.userId }, tenantId: owner.tenantId },
    ]);
    expect((await keys.current(owner.accessToken)).status).toBe(404);
  });

  it('is made only with a recent proof, and not in the name of an app or another token without a session', async () => {
    const owner = await identity.account();
    await oldProof(owner);
    expect((await ask(owner)).body.code).toBe('STEP_UP_REQUIRED');
    const refreshed = await identity.post('/api/auth/refresh', { refreshToken: owner.refreshToken });
    const again = { ...owner, accessToken: refreshed.body.accessToken };
    expect((await ask(again)).body.code).toBe('STEP_UP_REQUIRED');
    expect((await identity.post('/api/auth/step-up', { password: PASSWORD }, again.accessToken)).status).toBe(204);
    expect((await ask(again)).status).toBe(201);
  });

  it('is told to its owner by mail, without anything that works', async () => {
    const owner = await identity.account();
    await keys.make(owner);
    const mails = await inTenant(owner, 'SELECT * FROM mail');
    expect(mails.map(({ subject }) => subject)).toContain('An API key was made for your account');
    expect(JSON.stringify(mails)).not.toMatch(/crmk_\w{44}_/);
  });

  it('is refused scopes that are unknown, none, or repeated', async () => {
    const owner = await identity.account();
    for (const scopes of [[], ['everything'], ['leads:write'], ['leads', 'leads'], ['admin'], 'leads']) {
      expect([scopes, (await ask(owner, { scopes })).status]).toEqual([scopes, 422]);
    }
  });

  it.each([
    ['viewer', ['leads'], 'SCOPE_NOT_GRANTABLE'],
    ['viewer', ['leads:read', 'custom_objects:read'], 'made'],
    ['member', ['leads', 'pipeline'], 'made'],
    ['member', ['webhooks'], 'SCOPE_NOT_GRANTABLE'],
    ['member', ['leads', 'webhooks:read'], 'SCOPE_NOT_GRANTABLE'],
    ['admin', [...SCOPE_NAMES], 'made'],
    ['sales', ['leads:read'], 'FORBIDDEN'],
  ])('of a %s with the scopes %j: %s', async (role, scopes, outcome) => {
    const member = await identity.member(await identity.account(), [role]);
    const { status, body } = await ask(member, { scopes });
    expect(status === 201 ? 'made' : body.code).toBe(outcome);
  });

  it('is one of 25 at most, expired ones not counted, also when they are made at the same time', async () => {
    const owner = await identity.account();
    const answers = await Promise.all(Array.from({ length: KEYS_PER_OWNER + 5 }, () => ask(owner)));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(KEYS_PER_OWNER).fill(201), ...Array(5).fill(409)]);
    expect((await ask(owner)).body.code).toBe('API_KEY_LIMIT_EXCEEDED');
    await inTenant(
      owner,
      "UPDATE api_key SET expires_at = now() - interval '1 second' WHERE id = (SELECT min(id::text)::uuid FROM api_key)",
    );
    expect((await ask(owner)).status).toBe(201);
    expect((await ask(owner)).status).toBe(409);
    // Another user of the workspace has keys of their own.
    expect((await ask(await identity.member(owner))).status).toBe(201);
  });

  it('is one of a thousand at most in a workspace', async () => {
    const owner = await identity.account();
    await inTenant(
      owner,
      `INSERT INTO api_key (tenant_id, id, owner_kind, owner_id, name, scopes, secret_hash, created_by, expires_at)
       SELECT $1, gen_random_uuid(), 'user', gen_random_uuid(), 'x', '{leads}', '\\x00', gen_random_uuid(),
         now() + interval '1 day'
         FROM generate_series(1, $2::integer)`,
      [owner.tenantId, KEYS_PER_TENANT - 1],
    );
    expect((await ask(owner)).status).toBe(201);
    const { status, body } = await ask(owner);
    expect([status, body.code]).toEqual([409, 'API_KEY_LIMIT_EXCEEDED']);
    expect((await ask(await identity.account())).status).toBe(201);
  });

  it('is ended by its owner, one or all, and refused within a second', async () => {
    const owner = await identity.account();
    const made = [await keys.make(owner), await keys.make(owner), await keys.make(owner)];
    const [first, second, third] = made as [(typeof made)[0], (typeof made)[0], (typeof made)[0]];
    const tokens = await Promise.all(made.map(({ key }) => keys.exchange(key)));
    expect((await end(owner, first.id)).status).toBe(204);
    await keys.expectEnded(first.key, tokens[0] as string);
    expect((await end(owner, first.id)).status).toBe(404);
    expect((await keys.current(tokens[1] as string)).status).toBe(200);
    expect((await end(owner, '')).status).toBe(204);
    await keys.expectEnded(second.key, tokens[1] as string);
    await keys.expectEnded(third.key, tokens[2] as string);
    expect((await list(owner)).body.data).toEqual([]);
  });

  it('is listed for its owner alone, and ended by nobody else of less rank or of another workspace', async () => {
    const owner = await identity.account();
    const admin = await identity.member(owner, ['admin']);
    const member = await identity.member(owner);
    const stranger = await identity.account();
    const { id, key } = await keys.make(owner);
    for (const account of [admin, member, stranger]) {
      expect((await list(account)).body.data).toEqual([]);
      expect((await end(account, id)).status).toBe(404);
    }
    const path = `/api/tenant/users/${owner.userId}/api-keys`;
    for (const [account, status] of [
      [admin, 403],
      [member, 403],
      [stranger, 404],
    ] as const) {
      expect((await list(account, path)).status).toBe(status);
      expect((await end(account, id, path)).status).toBe(status);
      expect((await end(account, '', path)).status).toBe(status);
    }
    expect(await keys.refusal(key)).toBe('no error');
  });

  it('is ended by an administrator with a recent proof', async () => {
    const owner = await identity.account();
    const member = await identity.member(owner);
    const path = `/api/tenant/users/${member.userId}/api-keys`;
    const [first, second] = [await keys.make(member), await keys.make(member)];
    const tokens = [await keys.exchange(first.key), await keys.exchange(second.key)] as const;
    expect((await list(owner, path)).body.data.map(({ id }) => id)).toEqual([second.id, first.id]);
    await oldProof(owner);
    expect((await end(owner, first.id, path)).body.code).toBe('STEP_UP_REQUIRED');
    expect((await end(owner, '', path)).body.code).toBe('STEP_UP_REQUIRED');
    const again = await identity.signedIn(owner.email);
    expect((await end(again, first.id, path)).status).toBe(204);
    await keys.expectEnded(first.key, tokens[0]);
    expect(await keys.refusal(second.key)).toBe('no error');
    expect((await end(again, '', path)).status).toBe(204);
    await keys.expectEnded(second.key, tokens[1]);
  });

  it('leaves the list a month after it has expired', async () => {
    const owner = await identity.account();
    const { id } = await keys.make(owner);
    const expire = (interval: string) =>
      inTenant(owner, `UPDATE api_key SET expires_at = now() - interval '${interval}' WHERE id = $1`, [id]);
    await expire('29 days');
    await identity.get(ExpiredRowSweeper).sweep();
    expect((await list(owner)).body.total).toBe(1);
    await expire('31 days');
    await identity.get(ExpiredRowSweeper).sweep();
    expect((await list(owner)).body.total).toBe(0);
  });
});

describe('a key that identity does not exchange', () => {
  it('is one that was invented, altered, or belongs to another workspace', async () => {
    const [owner, stranger] = [await identity.account(), await identity.account()];
    const { id, key } = await keys.make(owner);
    for (const ids of [
      // The id of a key and its workspace, with another secret.
      { keyId: id, tenantId: owner.tenantId },
      { keyId: newId(), tenantId: owner.tenantId },
      { keyId: id, tenantId: stranger.tenantId },
      { keyId: id, tenantId: newId() },
    ]) {
      expect(await keys.refusal(makeApiKey(ids))).toBe('INVALID_API_KEY');
    }
    expect(await keys.refusal(key)).toBe('no error');
    expect((await list(owner)).body.data).toMatchObject([{ id }]);
  });

  it('is one that has expired; no token outlives its key', async () => {
    const owner = await identity.account();
    const { id, key } = await keys.make(owner);
    await inTenant(owner, "UPDATE api_key SET expires_at = now() + interval '30 seconds' WHERE id = $1", [id]);
    const { exp } = await keys.claims(key);
    expect(exp as number).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000) + 30);
    await inTenant(owner, 'UPDATE api_key SET expires_at = now() WHERE id = $1', [id]);
    expect(await keys.refusal(key)).toBe('INVALID_API_KEY');
  });
});

describe('with an API key', () => {
  it('nothing can be done that needs a person', async () => {
    const owner = await identity.account();
    const member = await identity.member(owner);
    const { key } = await keys.make(owner, { scopes: [...SCOPE_NAMES] });
    const token = await keys.exchange(key);
    const users = `/api/tenant/users/${member.userId}`;
    for (const [method, path, body] of [
      ['POST', '/api/auth/api-keys', { name: 'x', scopes: ['leads'] }],
      ['GET', '/api/auth/api-keys'],
      ['DELETE', '/api/auth/api-keys'],
      ['DELETE', `/api/auth/api-keys/${newId()}`],
      ['POST', '/api/auth/step-up', { password: PASSWORD }],
      ['POST', '/api/auth/password', { currentPassword: PASSWORD, newPassword: 'tidal-lantern-orbits-quietly' }],
      ['POST', '/api/auth/email-change', { email: 'thief@identity.test', password: PASSWORD }],
      ['PUT', '/api/auth/mfa', { enabled: true, password: PASSWORD }],
      ['POST', '/api/auth/mfa/authenticator'],
      ['DELETE', '/api/auth/mfa/authenticator'],
      ['POST', '/api/auth/mfa/recovery-codes'],
      ['GET', '/api/auth/sessions'],
      ['DELETE', '/api/auth/sessions'],
      ['POST', '/api/auth/logout'],
      ['POST', '/api/tenant/users', { email: 'x@identity.test', name: 'X', password: PASSWORD, roles: ['owner'] }],
      ['PATCH', users, { roles: ['owner'] }],
      ['GET', `${users}/sessions`],
      ['DELETE', `${users}/sessions`],
      ['DELETE', `${users}/api-keys`],
      ['PUT', '/api/tenant/sign-in-policy', { secondFactor: 'optional' }],
      ['GET', '/api/tenant/service-accounts'],
      ['POST', '/api/tenant/service-accounts', { name: 'x', roles: ['admin'], scopes: ['leads'] }],
    ] as const) {
      const { status, body: answer } = await identity.request(method, path, { token, ...(body && { body }) });
      expect([method, path, status, answer.code]).toEqual([method, path, 403, 'API_KEY_REFUSED']);
    }
  });

  it('nothing can be done where a service is called directly: only the gateway takes keys', async () => {
    const { key } = await keys.make(await identity.account());
    const { status, body } = await keys.current(key);
    expect([status, body.code]).toEqual([401, 'UNAUTHENTICATED']);
  });
});

const NEW_PASSWORD = 'tidal-lantern-orbits-quietly';

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
    await inTenant(account, 'UPDATE tenant SET closed_at = now()');
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
      const isWaiting = async () => (await inTenant(account, WAITING)).length > 0;
      await waitUntil(isWaiting, { describe: 'the making of the key to wait for the user' });
      await tx.query('DELETE FROM session WHERE tenant_id = $1', [account.tenantId]);
    });
    expect((await making)?.body.code).toBe('STEP_UP_REQUIRED');
    expect(await inTenant(account, 'SELECT id FROM api_key')).toEqual([]);
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
