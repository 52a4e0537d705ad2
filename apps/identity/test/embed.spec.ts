import { randomUUID } from 'node:crypto';
import { Database } from '@crm/database';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EmbedClientService } from '../src/embedding/embed-client.service.js';
import { READ_KNOWN_EMBED_MINTS } from '../src/embedding/embedding.repository.js';
import { OAuthAppService } from '../src/oauth/client.service.js';
import { UserRepository } from '../src/people/people.repository.js';
import { hashSecret } from '../src/secrets.js';
import { codeOf, crossTenant, inTenant, principalOf, untilRevoked } from './checks.js';
import { EmbedHost, type IssueRequest, issue as issueEmbed } from './embed-host.js';
import { newEmail, PASSWORD, TestIdentity } from './identity.js';

let identity: TestIdentity;
beforeAll(async () => {
  identity = await TestIdentity.start();
});
afterAll(() => identity?.close());

const host = (changes: Partial<IssueRequest> = {}) => EmbedHost.start(identity, changes);
const newSub = () => `sub-${randomUUID()}`;

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
    const { credentials, mint, issue } = await host();
    const renewed = await issue({ allowedOrigins: ['https://new.example'] });
    expect(renewed.clientId).toBe(credentials.clientId);
    expect(await codeOf(mint())).toBe('INVALID_EMBED_CREDENTIALS');
    expect((await mint({ clientSecret: renewed.clientSecret })).expiresIn).toBe(900);
    expect(await identity.get(EmbedClientService).allowedOrigins(credentials.clientId)).toEqual([
      'https://new.example',
    ]);
  });

  it('keep their secret when another version of the app changes the settings', async () => {
    const { appKey, clients, owner, credentials, mint, userOf } = await host();
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
    const { appKey, clients, owner, credentials, mint } = await host();
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
    const { appKey, owner } = await host();
    expect(await codeOf(issueEmbed(identity, await identity.account(), { appKey }))).toBe('NOT_FOUND');
    expect(await codeOf(issueEmbed(identity, await identity.member(owner)))).toBe('FORBIDDEN');
  });

  it.each([
    "https://a.example; script-src 'unsafe-inline'",
    'https://a.example/path',
    '*',
    "'self'",
    'https://a.example https://b.example',
  ])('are not issued for the origin %p', async (origin) => {
    const owner = await identity.account();
    expect(await codeOf(issueEmbed(identity, owner, { allowedOrigins: [origin] }))).toBe('VALIDATION_FAILED');
  });

  it('are stored as a hash only', async () => {
    const { credentials } = await host();
    expect(JSON.stringify(await crossTenant(identity, 'SELECT * FROM embed_client'))).not.toContain(
      credentials.clientSecret,
    );
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
    const change = (sql: string) => crossTenant(identity, `${sql} WHERE email = $1`, [admin.email]);
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
    const { userId } = await principalOf(identity, embedToken);
    await identity.request('PATCH', `/api/tenant/users/${userId}`, {
      token: owner.accessToken,
      body: { status: 'disabled' },
    });
    expect(await codeOf(mint({ sub: 'u1' }))).toBe('EMBED_USER_DISABLED');
    await untilRevoked(identity, embedToken);
  });
});

describe('an explicit link', () => {
  const link = (token: string, body: unknown) => identity.request('PUT', '/api/tenant/embed-links', { token, body });

  it('makes a host user a user of the workspace and ends the tokens of the previous user', async () => {
    const { appKey, owner, mint, userOf } = await host({ linkUsersBy: 'explicit' });
    const { embedToken } = await mint({ sub: 'u1' });
    const viewer = await identity.member(owner, ['viewer']);
    const input = { appKey, sub: 'u1', userId: viewer.userId };
    expect(await link(owner.accessToken, input)).toMatchObject({ status: 200, body: input });
    expect(await userOf({ sub: 'u1' })).toMatchObject({ userId: viewer.userId, roles: ['viewer'] });
    await untilRevoked(identity, embedToken);
    const found = await identity.request('GET', `/api/tenant/embed-links?appKey=${appKey}&sub=u1`, {
      token: owner.accessToken,
    });
    expect(found.body.data).toEqual([input]);
  });

  it('needs a recent proof of who makes it', async () => {
    const appKey = `app-${randomUUID()}`;
    const { owner } = await host({ appKey, linkUsersBy: 'explicit' });
    await inTenant(identity, owner, "UPDATE session SET proven_at = now() - interval '601 seconds'");
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

describe('mints at the same time', () => {
  it('of several workspaces and apps give each host user a token of their own user', async () => {
    const first = await EmbedHost.start(identity);
    const hosts = [first, await EmbedHost.start(identity), await first.anotherApp()];
    const users = await Promise.all(
      hosts.flatMap((host) =>
        Array.from({ length: 5 }, async () => {
          const known = { sub: newSub(), email: newEmail() };
          const { userId } = await host.userOf(known);
          return { host, known, userId };
        }),
      ),
    );
    const again = await Promise.all(users.map(({ host, known }) => host.userOf(known)));
    expect(again.map(({ userId, tenantId }) => [userId, tenantId])).toEqual(
      users.map(({ userId, host }) => [userId, host.owner.tenantId]),
    );
    expect(new Set(users.map(({ userId }) => userId)).size).toBe(users.length);
  });

  it('are decided each for itself: a wrong secret, a new host user and an address of another workspace among them', async () => {
    const [host, other] = [await EmbedHost.start(identity), await EmbedHost.start(identity)];
    const known = { sub: newSub(), email: newEmail() };
    const { userId } = await host.userOf(known);
    const outcomes = await Promise.allSettled([
      host.userOf(known),
      host.mint({ ...known, clientSecret: other.credentials.clientSecret }),
      host.mint({ ...known, clientId: other.credentials.clientId }),
      host.mint({ ...known, clientId: 'embed_unknown' }),
      host.userOf({ sub: newSub(), email: newEmail() }),
      host.mint({ ...known, email: other.owner.email }),
      host.userOf({ ...known, email: newEmail() }),
      other.mint(known),
      host.mint({ ...known, scopes: ['tasks'] }),
    ]);
    const codes = outcomes.map((outcome) => (outcome.status === 'fulfilled' ? 'fulfilled' : outcome.reason.code));
    expect(codes).toEqual([
      'fulfilled',
      'INVALID_EMBED_CREDENTIALS',
      'INVALID_EMBED_CREDENTIALS',
      'INVALID_EMBED_CREDENTIALS',
      'fulfilled',
      'EMBED_IDENTITY_CONFLICT',
      'fulfilled',
      'EMBED_IDENTITY_CONFLICT',
      'EMBED_SCOPE_DENIED',
    ]);
    for (const index of [0, 6]) expect(outcomes[index]).toMatchObject({ value: { userId } });
  });

  it('of a user whose role is being changed wait for the change, and those of others do not', async () => {
    const host = await EmbedHost.start(identity);
    const [changed, other] = [
      { sub: newSub(), email: newEmail() },
      { sub: newSub(), email: newEmail() },
    ];
    const { userId } = await host.userOf(changed);
    await host.userOf(other);
    let isMinted = false;
    let minted: Promise<readonly string[]> | undefined;
    await identity.get(Database).transaction(host.owner.tenantId, async (tx) => {
      await identity.get(UserRepository).update(tx, userId, { roles: ['manager'] });
      minted = host.userOf(changed).then(({ roles }) => {
        isMinted = true;
        return roles;
      });
      expect((await host.userOf(other)).roles).toEqual(['member']);
      expect(isMinted).toBe(false);
    });
    expect(await minted).toEqual(['manager']);
  });

  it('read nothing of a workspace without the secret of an app of it, and nothing with the runtime role', async () => {
    const host = await EmbedHost.start(identity);
    const known = { sub: newSub(), email: newEmail() };
    await host.userOf(known);
    const database = identity.get(Database);
    const { clientId, clientSecret } = host.credentials;
    const parametersOf = (secret: string) => [[clientId], [hashSecret(secret)], [known.sub], [known.email]];
    const read = (secret: string, tenantId = host.owner.tenantId) =>
      database.transaction(tenantId, (tx) => tx.query(READ_KNOWN_EMBED_MINTS, parametersOf(secret)));
    await expect(read(clientSecret)).rejects.toThrow(/permission denied/);
    const rows = (secret: string) => database.crossTenantStatement(READ_KNOWN_EMBED_MINTS, parametersOf(secret));
    expect(await rows(clientSecret)).toHaveLength(1);
    expect(await rows('wrong')).toEqual([]);
  });
});

describe('an app that operators have revoked', () => {
  it('mints no embed token any more, for known and new host users alike, and its tokens end', async () => {
    const host = await EmbedHost.start(identity);
    const { appKey } = host;
    const other = await host.anotherApp();
    const known = { sub: newSub(), email: newEmail() };
    // The second mint is one of those that are read together.
    await host.mint(known);
    const { embedToken } = await host.mint(known);
    await other.mint(known);

    const apps = identity.get(OAuthAppService);
    await apps.setStatus(appKey, 'suspended');
    await host.mint(known);
    await apps.setStatus(appKey, 'revoked');

    const refused = { code: 'INVALID_EMBED_CREDENTIALS' };
    await expect(host.mint(known)).rejects.toMatchObject(refused);
    // Another address: not one of those that are read together.
    await expect(host.mint({ ...known, email: newEmail() })).rejects.toMatchObject(refused);
    await expect(host.mint()).rejects.toMatchObject(refused);
    await other.mint(known);
    await expect(principalOf(identity, embedToken)).rejects.toMatchObject({ code: 'TOKEN_REVOKED' });
  });
});
