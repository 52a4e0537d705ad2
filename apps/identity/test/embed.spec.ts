import { randomUUID } from 'node:crypto';
import { Database } from '@crm/database';
import { waitUntil } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EmbedClientService } from '../src/embedding/embed-client.service.js';
import { EmbedHost, type IssueRequest, issue as issueIn, principalOf as principalIn } from './embed-host.js';
import { type Account, newEmail, PASSWORD, TestIdentity } from './identity.js';

let identity: TestIdentity;
beforeAll(async () => {
  identity = await TestIdentity.start();
});
afterAll(() => identity?.close());

const principalOf = (token: string) => principalIn(identity, token);
const issue = (account: Account, changes: Partial<IssueRequest> = {}) => issueIn(identity, account, changes);
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'no error',
    (error: { code?: string }) => error.code,
  );

async function host(changes: Partial<IssueRequest> = {}) {
  const embedHost = await EmbedHost.start(identity, changes);
  const { owner, credentials } = embedHost;
  const mint: EmbedHost['mint'] = (request) => embedHost.mint(request);
  const userOf: EmbedHost['userOf'] = (request) => embedHost.userOf(request);
  return { owner, credentials, mint, userOf };
}

describe('an embed token', () => {
  it('is a tenant access token for 900 s with the claims of embedding', async () => {
    const { owner, mint } = await host({ appKey: 'fleet-embed' });
    const { embedToken, expiresIn } = await mint({ scopes: ['leads', 'pipeline:read'] });
    expect(expiresIn).toBe(900);
    const claims = JSON.parse(Buffer.from(embedToken.split('.')[1] ?? '', 'base64url').toString());
    expect(claims).toMatchObject({
      aud: 'platform-api',
      tid: owner.tenantId,
      roles: ['member'],
      scopes: ['leads', 'pipeline:read'],
      embed: true,
      embed_app_id: 'fleet-embed',
      act: { sub: 'fleet-embed' },
    });
    expect(claims.exp - claims.iat).toBe(900);
    expect(claims).not.toHaveProperty('sid');
  });

  it('reads the current user and is refused on every route about accounts', async () => {
    const { mint } = await host();
    const { embedToken: token } = await mint();
    expect((await identity.request('GET', '/api/auth/me', { token })).body).toMatchObject({
      name: 'Host user',
      scopes: ['leads'],
    });
    for (const [method, path, body] of [
      ['GET', '/api/tenant/users'],
      ['POST', '/api/tenant/users', { email: newEmail(), name: 'X', roles: ['member'] }],
      ['GET', '/api/auth/sessions'],
      ['DELETE', '/api/auth/sessions'],
      ['POST', '/api/auth/logout'],
      ['PUT', '/api/auth/mfa', { enabled: true, password: 'x' }],
    ] as const) {
      const answer = await identity.request(method, path, { token, body });
      expect([path, answer.status, answer.body.code]).toEqual([path, 403, 'EMBED_TOKEN_REFUSED']);
    }
  });

  it('carries all granted scopes when none are named', async () => {
    const { userOf } = await host();
    expect((await userOf({ scopes: undefined })).scopes).toEqual(['leads', 'pipeline:read']);
  });

  it('is not minted for all granted scopes when the app was granted none', async () => {
    const { mint } = await host({ scopes: [] });
    for (const scopes of [undefined, []]) expect(await codeOf(mint({ scopes }))).toBe('EMBED_SCOPE_DENIED');
  });

  it.each([[[]], [['tasks']], [['pipeline']], [['leads', 'agent']], [['nonsense']], [['admin']]])(
    'is not minted for the scopes %j',
    async (scopes) => {
      const { mint } = await host();
      expect(await codeOf(mint({ scopes }))).toBe('EMBED_SCOPE_DENIED');
    },
  );

  it('can be limited to reading within a granted scope', async () => {
    const { userOf } = await host();
    expect((await userOf({ scopes: ['leads:read'] })).scopes).toEqual(['leads:read']);
  });
});

describe('embed credentials', () => {
  it('are refused in the same way for an unknown client and a wrong secret', async () => {
    const { mint } = await host();
    expect(await codeOf(mint({ clientSecret: 'wrong' }))).toBe('INVALID_EMBED_CREDENTIALS');
    expect(await codeOf(mint({ clientId: 'embed_unknown' }))).toBe('INVALID_EMBED_CREDENTIALS');
  });

  it('of one app are refused for another app', async () => {
    const [one, other] = [await host(), await host()];
    expect(await codeOf(one.mint({ clientId: other.credentials.clientId }))).toBe('INVALID_EMBED_CREDENTIALS');
  });

  it('keep the client id when they are issued again; the old secret stops working', async () => {
    const appKey = `app-${randomUUID()}`;
    const { owner, credentials, mint } = await host({ appKey });
    const renewed = await issue(owner, { appKey, allowedOrigins: ['https://new.example'] });
    expect(renewed.clientId).toBe(credentials.clientId);
    expect(await codeOf(mint())).toBe('INVALID_EMBED_CREDENTIALS');
    expect((await mint({ clientSecret: renewed.clientSecret })).expiresIn).toBe(900);
    expect(await identity.get(EmbedClientService).allowedOrigins(credentials.clientId)).toEqual([
      'https://new.example',
    ]);
  });

  it('keep their secret when another version of the app changes the settings', async () => {
    const appKey = `app-${randomUUID()}`;
    const { owner, credentials, mint, userOf } = await host({ appKey });
    const clients = identity.get(EmbedClientService);
    const settings = { allowedOrigins: ['https://new.example'], scopes: ['leads:read'], linkUsersBy: 'email' as const };
    const stranger = await identity.account();
    expect(await clients.update({ tenantId: stranger.tenantId, appKey, ...settings })).toBe(false);
    expect((await userOf({ scopes: undefined })).scopes).toEqual(['leads', 'pipeline:read']);
    expect(await clients.update({ tenantId: owner.tenantId, appKey, ...settings })).toBe(true);
    expect((await userOf({ scopes: undefined })).scopes).toEqual(['leads:read']);
    expect(await codeOf(mint({ scopes: ['leads'] }))).toBe('EMBED_SCOPE_DENIED');
    expect(await clients.allowedOrigins(credentials.clientId)).toEqual(['https://new.example']);
    for (const wrong of [{ allowedOrigins: ['*'] }, { scopes: ['everything'] }]) {
      const call = clients.update({ tenantId: owner.tenantId, appKey, ...settings, ...wrong });
      expect(await codeOf(call)).toBe('VALIDATION_FAILED');
    }
  });

  it('mint no token and allow no origin while the app does not embed, and work again once it does', async () => {
    const appKey = `app-${randomUUID()}`;
    const { owner, credentials, mint } = await host({ appKey });
    const clients = identity.get(EmbedClientService);
    const follow = (allowedOrigins: string[], scopes: string[]) =>
      clients.update({ tenantId: owner.tenantId, appKey, allowedOrigins, scopes, linkUsersBy: 'email' });
    await follow([], []);
    for (const scopes of [undefined, [], ['leads']]) expect(await codeOf(mint({ scopes }))).toBe('EMBED_SCOPE_DENIED');
    expect(await clients.allowedOrigins(credentials.clientId)).toEqual([]);
    await follow(['https://host.example'], ['leads']);
    expect(await codeOf(mint({ scopes: ['leads'] }))).toBe('no error');
  });

  it('are not created by a change of settings', async () => {
    const { tenantId } = await identity.account();
    const settings = { allowedOrigins: ['https://new.example'], scopes: [], linkUsersBy: 'email' as const };
    expect(await identity.get(EmbedClientService).update({ tenantId, appKey: 'never-issued', ...settings })).toBe(
      false,
    );
  });

  it('cannot be issued by another workspace or by a user who is not an administrator', async () => {
    const appKey = `app-${randomUUID()}`;
    const { owner } = await host({ appKey });
    expect(await codeOf(issue(await identity.account(), { appKey }))).toBe('NOT_FOUND');
    expect(await codeOf(issue(await identity.member(owner), {}))).toBe('FORBIDDEN');
  });

  it.each([
    "https://a.example; script-src 'unsafe-inline'",
    'https://a.example/path',
    '*',
    "'self'",
    'https://a.example https://b.example',
  ])('are not issued for the origin %p', async (origin) => {
    const owner = await identity.account();
    expect(await codeOf(issue(owner, { allowedOrigins: [origin] }))).toBe('VALIDATION_FAILED');
  });

  it('are stored as a hash only', async () => {
    const { credentials } = await host();
    const rows = await identity.get(Database).crossTenant((tx) => tx.query('SELECT * FROM embed_client'));
    expect(JSON.stringify(rows)).not.toContain(credentials.clientSecret);
  });

  it('allow no origin for an unknown client', async () => {
    expect(await identity.get(EmbedClientService).allowedOrigins('embed_unknown')).toEqual([]);
  });
});

describe('a host user', () => {
  it('becomes a member of the workspace at the first token, and only once', async () => {
    const { owner, userOf } = await host();
    const request = { sub: 'u1', email: newEmail(), name: 'Newcomer' };
    const first = await userOf(request);
    const second = await userOf({ ...request, name: 'Renamed' });
    expect(second.userId).toBe(first.userId);
    expect(first).toMatchObject({ roles: ['member'], tenantId: owner.tenantId });
    const { body } = await identity.request('GET', `/api/tenant/users/${first.userId}`, { token: owner.accessToken });
    expect(body).toMatchObject({ email: request.email, name: 'Newcomer', origin: 'embed', status: 'active' });
  });

  it('who was provisioned cannot sign in with a password', async () => {
    const { mint } = await host();
    const email = newEmail();
    await mint({ email });
    expect((await identity.login(email)).body.code).toBe('INVALID_CREDENTIALS');
  });

  it('is provisioned once when many tokens are minted at the same time', async () => {
    const { owner, userOf } = await host();
    const request = { sub: 'u1', email: newEmail() };
    const users = await Promise.all([1, 2, 3, 4, 5].map(() => userOf(request)));
    expect(new Set(users.map(({ userId }) => userId)).size).toBe(1);
    const { body } = await identity.request('GET', '/api/tenant/users', { token: owner.accessToken });
    expect(body.total).toBe(2);
  });

  it('with the address of a user of the workspace becomes that user, with their role', async () => {
    const { owner, userOf } = await host();
    const viewer = await identity.member(owner, ['viewer']);
    const linked = await userOf({ email: viewer.email.toUpperCase() });
    expect(linked).toMatchObject({ userId: viewer.userId, roles: ['viewer'] });
  });

  it('with two subs and one new address becomes one user, also at the same time', async () => {
    const { userOf } = await host();
    const email = newEmail();
    const [one, other] = await Promise.all([userOf({ sub: 'a', email }), userOf({ sub: 'b', email })]);
    expect(one?.userId).toBe(other?.userId);
  });

  it('is not linked by address when the app links users explicitly', async () => {
    const { owner, userOf } = await host({ linkUsersBy: 'explicit' });
    const user = await userOf({ email: owner.email });
    expect(user.userId).not.toBe(owner.userId);
    expect(user.roles).toEqual(['member']);
  });

  it('stays the same user when the address of a known sub changes', async () => {
    const { userOf, owner } = await host();
    const first = await userOf({ sub: 'u1' });
    expect((await userOf({ sub: 'u1', email: owner.email })).userId).toBe(first.userId);
  });

  it('is refused when the address belongs to another workspace, whether the sub is new or known', async () => {
    const { mint, owner } = await host();
    const stranger = await identity.account();
    expect(await codeOf(mint({ email: stranger.email }))).toBe('EMBED_IDENTITY_CONFLICT');
    await mint({ sub: 'known' });
    expect(await codeOf(mint({ sub: 'known', email: stranger.email }))).toBe('EMBED_IDENTITY_CONFLICT');
    const { body } = await identity.request('GET', '/api/tenant/users', { token: owner.accessToken });
    expect(body.total).toBe(2);
  });

  it('is refused with an address that a user of the workspace has given up, until it is free again', async () => {
    const { mint, userOf, owner } = await host();
    const admin = await identity.member(owner, ['admin']);
    const change = (sql: string) =>
      identity.get(Database).crossTenant((tx) => tx.query(`${sql} WHERE email = $1`, [admin.email]));
    await change("UPDATE sign_in_email SET reserved_until = now() + interval '1 day'");
    expect(await codeOf(mint({ email: admin.email }))).toBe('EMBED_IDENTITY_CONFLICT');
    await change('DELETE FROM sign_in_email');
    const user = await userOf({ email: admin.email });
    expect([user.userId === admin.userId, user.roles]).toEqual([false, ['member']]);
  });

  it('is refused when a host of another workspace has provisioned the address', async () => {
    const [one, other] = [await host(), await host()];
    const email = newEmail();
    await one.mint({ email });
    expect(await codeOf(other.mint({ email }))).toBe('EMBED_IDENTITY_CONFLICT');
  });

  it('with the same sub in another app is another user', async () => {
    const [one, other] = [await host(), await host()];
    const [first, second] = [await one.userOf({ sub: 'u1' }), await other.userOf({ sub: 'u1' })];
    expect(first.userId).not.toBe(second.userId);
    expect(first.tenantId).not.toBe(second.tenantId);
  });

  it('who is disabled is refused, and their token stops working', async () => {
    const { owner, mint } = await host();
    const { embedToken } = await mint({ sub: 'u1' });
    const { userId } = await principalOf(embedToken);
    await identity.request('PATCH', `/api/tenant/users/${userId}`, {
      token: owner.accessToken,
      body: { status: 'disabled' },
    });
    expect(await codeOf(mint({ sub: 'u1' }))).toBe('EMBED_USER_DISABLED');
    await waitUntil(
      async () => (await identity.request('GET', '/api/auth/me', { token: embedToken })).body.code === 'TOKEN_REVOKED',
      { timeoutMs: 1000, describe: 'the embed token is refused' },
    );
  });
});

describe('an explicit link', () => {
  const link = (token: string, body: unknown) => identity.request('PUT', '/api/tenant/embed-links', { token, body });

  it('makes a host user a user of the workspace and ends the tokens of the previous user', async () => {
    const appKey = `app-${randomUUID()}`;
    const { owner, mint, userOf } = await host({ appKey, linkUsersBy: 'explicit' });
    const { embedToken } = await mint({ sub: 'u1' });
    const viewer = await identity.member(owner, ['viewer']);
    const input = { appKey, sub: 'u1', userId: viewer.userId };
    expect(await link(owner.accessToken, input)).toMatchObject({ status: 200, body: input });
    expect(await userOf({ sub: 'u1' })).toMatchObject({ userId: viewer.userId, roles: ['viewer'] });
    await waitUntil(
      async () => (await identity.request('GET', '/api/auth/me', { token: embedToken })).body.code === 'TOKEN_REVOKED',
      { timeoutMs: 1000, describe: 'the earlier token is refused' },
    );
    const found = await identity.request('GET', `/api/tenant/embed-links?appKey=${appKey}&sub=u1`, {
      token: owner.accessToken,
    });
    expect(found.body.data).toEqual([input]);
  });

  it('needs a recent proof of who makes it', async () => {
    const appKey = `app-${randomUUID()}`;
    const { owner } = await host({ appKey, linkUsersBy: 'explicit' });
    await identity
      .get(Database)
      .transaction(owner.tenantId, (tx) => tx.query("UPDATE session SET proven_at = now() - interval '601 seconds'"));
    const input = { appKey, sub: 'u1', userId: owner.userId };
    expect((await link(owner.accessToken, input)).body.code).toBe('STEP_UP_REQUIRED');
    await identity.post('/api/auth/step-up', { password: PASSWORD }, owner.accessToken);
    expect((await link(owner.accessToken, input)).status).toBe(200);
  });

  it('is refused to other than administrators, for users of another workspace, and for roles above their own', async () => {
    const { owner } = await host();
    const [admin, member, stranger] = [
      await identity.member(owner, ['admin']),
      await identity.member(owner),
      await identity.account(),
    ];
    const to = (userId: string) => ({ appKey: 'a', sub: 'u1', userId });
    expect((await link(member.accessToken, to(member.userId))).body.code).toBe('FORBIDDEN');
    expect((await link(owner.accessToken, to(stranger.userId))).body.code).toBe('NOT_FOUND');
    expect((await link(admin.accessToken, to(owner.userId))).body.code).toBe('ROLE_NOT_GRANTABLE');
  });
});
