import { apiKeyFingerprint, makeApiKey, readApiKey } from '@crm/access';
import { SCOPE_NAMES } from '@crm/contracts';
import { newId } from '@crm/database';
import { waitUntil } from '@crm/testing';
import { describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { KEYS_PER_OWNER, KEYS_PER_TENANT } from '../src/api-keys/api-key.service.js';
import { ExpiredRowSweeper } from '../src/personal-data/expired-row.sweeper.js';
import { type Account, NEW_PASSWORD, outcome, PASSWORD, withMail } from './identity.js';
import { PRESENTED_AT, TestKeys } from './keys.js';

const DAY_MS = 24 * 3600 * 1000;

const { identity, mailServer } = withMail();
const keys = TestKeys.ofFile(identity);

const OWN = '/api/auth/api-keys';
const keysOf = (userId: string) => `/api/tenant/users/${userId}/api-keys`;
const list = (account: Account, path = OWN) => identity.send('GET', path, account);
const ask = (account: Account, changes: Record<string, unknown> = {}) =>
  identity.send('POST', OWN, account, { name: 'Import', scopes: ['leads'], ...changes });
const end = (account: Account, id: string, path = OWN) => identity.send('DELETE', id ? `${path}/${id}` : path, account);
const query = ({ tenantId }: Account, sql: string, parameters?: unknown[]) => identity.query(tenantId, sql, parameters);
/** A key of an account and a token that it was exchanged for. */
const keyOf = async (account: Account, changes?: Record<string, unknown>) => {
  const { id, key } = await keys.make(account, changes);
  return { id, key, token: await keys.exchange(key) };
};

describe('a personal API key', () => {
  it('is shown once, is found by its beginning, and is stored as a hash', async () => {
    const owner = await identity.account();
    const { id, key, prefix } = await keys.make(owner, { name: '  Nightly import  ' });
    expect(readApiKey(key)).toEqual({ keyId: id, tenantId: owner.tenantId });
    expect(key.startsWith(prefix)).toBe(true);
    const { body } = await list(owner);
    expect(body).toMatchObject({ total: 1, data: [{ id, prefix, name: 'Nightly import', createdBy: owner.userId }] });
    expect(JSON.stringify(body)).not.toContain(key.slice(-49));
    const rows = await query(owner, "SELECT *, encode(secret_hash, 'hex') AS hash FROM api_key");
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
    const { member } = await identity.team('member');
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
    await query(owner, "UPDATE api_key SET last_used_at = now() - interval '6 minutes' WHERE id = $1", [id]);
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
    await identity.forgetProofs(owner.tenantId);
    expect((await ask(owner)).body.code).toBe('STEP_UP_REQUIRED');
    const refreshed = await identity.post('/api/auth/refresh', { refreshToken: owner.refreshToken });
    const again = { ...owner, accessToken: refreshed.body.accessToken };
    expect((await ask(again)).body.code).toBe('STEP_UP_REQUIRED');
    expect((await identity.stepUp(again.accessToken)).status).toBe(204);
    expect((await ask(again)).status).toBe(201);
  });

  it('is told to its owner by mail, without anything that works', async () => {
    const owner = await identity.account();
    const { text } = await mailServer.sentBy(owner.email, () => keys.make(owner), 'An API key was made');
    expect(text).not.toMatch(/crmk_\w{44}_/);
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
    const owner = await identity.account();
    await identity.role(owner, 'sales');
    const member = await identity.member(owner, [role]);
    const { status, body } = await ask(member, { scopes });
    expect(status === 201 ? 'made' : body.code).toBe(outcome);
  });

  it('is one of 25 at most, expired ones not counted, also when they are made at the same time', async () => {
    const owner = await identity.account();
    const answers = await Promise.all(Array.from({ length: KEYS_PER_OWNER + 5 }, () => ask(owner)));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(KEYS_PER_OWNER).fill(201), ...Array(5).fill(409)]);
    expect((await ask(owner)).body.code).toBe('API_KEY_LIMIT_EXCEEDED');
    await query(
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
    await query(
      owner,
      `INSERT INTO api_key (tenant_id, id, owner_kind, owner_id, name, scopes, secret_hash, created_by, expires_at)
       SELECT $1, gen_random_uuid(), 'user', gen_random_uuid(), 'x', '{leads}', '\\x00', gen_random_uuid(),
         now() + interval '1 day'
         FROM generate_series(1, $2::integer)`,
      [owner.tenantId, KEYS_PER_TENANT - 1],
    );
    expect((await ask(owner)).status).toBe(201);
    expect(await outcome(ask(owner))).toEqual([409, 'API_KEY_LIMIT_EXCEEDED']);
    expect((await ask(await identity.account())).status).toBe(201);
  });

  it('is ended by its owner, one or all, and refused within a second', async () => {
    const owner = await identity.account();
    const [first, second, third] = [await keyOf(owner), await keyOf(owner), await keyOf(owner)];
    expect((await end(owner, first.id)).status).toBe(204);
    await keys.expectEnded(first.key, first.token);
    expect((await end(owner, first.id)).status).toBe(404);
    expect((await keys.current(second.token)).status).toBe(200);
    expect((await end(owner, '')).status).toBe(204);
    for (const { key, token } of [second, third]) await keys.expectEnded(key, token);
    expect((await list(owner)).body.data).toEqual([]);
  });

  it('is listed for its owner alone, and ended by nobody else of less rank or of another workspace', async () => {
    const { owner, admin, member } = await identity.team('admin', 'member');
    const stranger = await identity.account();
    const { id, key } = await keys.make(owner);
    const path = keysOf(owner.userId);
    for (const [account, status] of [
      [admin, 403],
      [member, 403],
      [stranger, 404],
    ] as const) {
      expect((await list(account)).body.data).toEqual([]);
      expect((await end(account, id)).status).toBe(404);
      const answers = [await list(account, path), await end(account, id, path), await end(account, '', path)];
      expect(answers.map((answer) => answer.status)).toEqual([status, status, status]);
    }
    expect(await keys.refusal(key)).toBe('no error');
  });

  it('is ended by an administrator with a recent proof', async () => {
    const { owner, member } = await identity.team('member');
    const path = keysOf(member.userId);
    const [first, second] = [await keyOf(member), await keyOf(member)];
    expect((await list(owner, path)).body.data.map(({ id }) => id)).toEqual([second.id, first.id]);
    await identity.forgetProofs(owner.tenantId);
    for (const id of [first.id, '']) expect((await end(owner, id, path)).body.code).toBe('STEP_UP_REQUIRED');
    const again = await identity.signedIn(owner.email);
    expect((await end(again, first.id, path)).status).toBe(204);
    await keys.expectEnded(first.key, first.token);
    expect(await keys.refusal(second.key)).toBe('no error');
    expect((await end(again, '', path)).status).toBe(204);
    await keys.expectEnded(second.key, second.token);
  });

  it('leaves the list a month after it has expired', async () => {
    const owner = await identity.account();
    const { id } = await keys.make(owner);
    for (const [days, listed] of [
      [29, 1],
      [31, 0],
    ]) {
      await query(owner, `UPDATE api_key SET expires_at = now() - interval '${days} days' WHERE id = $1`, [id]);
      await identity.get(ExpiredRowSweeper).sweep();
      expect((await list(owner)).body.total).toBe(listed);
    }
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
    await query(owner, "UPDATE api_key SET expires_at = now() + interval '30 seconds' WHERE id = $1", [id]);
    const { exp } = await keys.claims(key);
    expect(exp as number).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000) + 30);
    await query(owner, 'UPDATE api_key SET expires_at = now() WHERE id = $1', [id]);
    expect(await keys.refusal(key)).toBe('INVALID_API_KEY');
  });
});

describe('an API key itself', () => {
  it('is no token where a service is called directly: only the gateway takes keys', async () => {
    const { key } = await keys.make(await identity.account());
    expect(await outcome(keys.current(key))).toEqual([401, 'UNAUTHENTICATED']);
  });
});

/** The token of the link to a page in a mail that was sent since; the notice of the key can come in between. */
const linkedToken = async (email: string, since: number, page: string) => {
  const link = new RegExp(`/${page}#token=([\\w.-]+)`);
  const find = () => mailServer.mails.slice(since).find(({ to, text }) => to === email && link.test(text));
  await waitUntil(() => find() !== undefined, { describe: `a link to ${page} for ${email}`, timeoutMs: 10_000 });
  return link.exec(find()?.text ?? '')?.[1] ?? '';
};

describe('the API keys of a user', () => {
  it('have the role that the user has now, within a second', async () => {
    const { owner, admin } = await identity.team('admin');
    const { key, token } = await keyOf(admin, { scopes: ['webhooks', 'leads'] });
    expect((await identity.changeUser(owner, admin.userId, { roles: ['viewer'] })).status).toBe(200);
    await keys.isCutOff(token);
    expect(await keys.claims(key)).toMatchObject({ roles: ['viewer'], scopes: ['webhooks', 'leads'] });
  });

  it('end for good when the user is disabled, and those of others go on', async () => {
    const { owner, member } = await identity.team('member');
    const [{ key, token }, { id, token: ofOwner }] = [await keyOf(member), await keyOf(owner)];
    await identity.changeUser(owner, member.userId, { status: 'disabled' });
    await keys.expectEnded(key, token);
    await identity.changeUser(owner, member.userId, { status: 'active' });
    expect(await keys.refusal(key)).toBe('INVALID_API_KEY');
    expect((await keys.current(ofOwner)).status).toBe(200);
    expect(decodeJwt(ofOwner).sid).toBe(id);
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
    const { key, token: ofKey } = await keyOf(account);
    const since = mailServer.mails.length;
    await identity.post('/api/auth/password-resets', { email: account.email });
    const token = await linkedToken(account.email, since, 'password-reset');
    const completed = await identity.post('/api/auth/password-resets/complete', { token, password: NEW_PASSWORD });
    expect(completed.status).toBe(204);
    await keys.expectEnded(key, ofKey);
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
    await identity.post('/api/auth/email-change/confirm', { token: confirmation });
    const undo = await linkedToken(account.email, since, 'email-change/undo');
    expect(await keys.refusal(key)).toBe('no error');
    await identity.post('/api/auth/email-change/undo', { token: undo });
    await keys.expectEnded(key, token);
  });

  it('stay when the user signs out, everywhere too, and when an administrator ends the sessions', async () => {
    const { owner, member } = await identity.team('member');
    const { key, token } = await keyOf(member);
    await identity.send('DELETE', '/api/auth/sessions', member);
    await identity.send('DELETE', `/api/tenant/users/${member.userId}/sessions`, owner);
    expect(await keys.refusal(key)).toBe('no error');
    expect((await keys.current(token)).status).toBe(200);
  });

  it('are refused when the workspace was closed', async () => {
    const account = await identity.account();
    const { key } = await keyOf(account);
    await query(account, 'UPDATE tenant SET closed_at = now()');
    expect(await keys.refusal(key)).toBe('INVALID_API_KEY');
    expect((await ask(account)).status).toBe(404);
  });
});
