import { randomUUID } from 'node:crypto';
import { Database } from '@crm/database';
import { describe, expect, it } from '@jest/globals';
import { embedConflicts } from '../src/embedding/embed-conflict.service.js';
import { READ_KNOWN_EMBED_MINTS } from '../src/embedding/embed-mint.repository.js';
import { OAuthAppService } from '../src/oauth/client.service.js';
import { UserRepository } from '../src/people/user.repository.js';
import { hashSecret } from '../src/secrets.js';
import { codeOf, principalOf, untilRevoked } from './checks.js';
import { EmbedHost, type IssueRequest, issue as issueEmbed } from './embed-host.js';
import { type Account, newEmail, TestIdentity } from './identity.js';
import { prove } from './persons.js';

const identity = TestIdentity.ofFile();

const host = (changes: Partial<IssueRequest> = {}) => EmbedHost.start(identity, changes);
const newcomer = () => ({ sub: `sub-${randomUUID()}`, email: newEmail() });

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

  it('reads the current user', async () => {
    const { embedToken: token } = await (await host()).mint();
    const { body } = await identity.request('GET', '/api/auth/me', { token });
    expect(body).toMatchObject({ name: 'Host user', scopes: ['leads'] });
  });

  it('carries all granted scopes when none are named, and can be limited to reading within one', async () => {
    const { userOf } = await host();
    expect((await userOf({ scopes: undefined })).scopes).toEqual(['leads', 'pipeline:read']);
    expect((await userOf({ scopes: ['leads:read'] })).scopes).toEqual(['leads:read']);
  });

  it('is minted neither for scopes that the app was not granted nor for none', async () => {
    const { mint } = await host();
    for (const scopes of [[], ['tasks'], ['pipeline'], ['leads', 'agent'], ['nonsense'], ['admin']]) {
      expect([scopes, await codeOf(mint({ scopes }))]).toEqual([scopes, 'EMBED_SCOPE_DENIED']);
    }
    const without = await host({ scopes: [] });
    for (const scopes of [undefined, []]) expect(await codeOf(without.mint({ scopes }))).toBe('EMBED_SCOPE_DENIED');
  });
});

describe('embed credentials', () => {
  it('are refused alike for an unknown client, which has no origins, a wrong secret and that of another app', async () => {
    const [{ mint, clients }, other] = [await host(), await host()];
    for (const wrong of [
      { clientSecret: 'wrong' },
      { clientId: 'embed_unknown' },
      { clientId: other.credentials.clientId },
    ]) {
      expect(await codeOf(mint(wrong))).toBe('INVALID_EMBED_CREDENTIALS');
    }
    expect(await clients.allowedOrigins('embed_unknown')).toEqual([]);
  });

  it('keep the client id when they are issued again; the old secret stops working', async () => {
    const { clients, credentials, mint, issue } = await host();
    const renewed = await issue({ allowedOrigins: ['https://new.example'] });
    expect(renewed.clientId).toBe(credentials.clientId);
    expect(await codeOf(mint())).toBe('INVALID_EMBED_CREDENTIALS');
    expect((await mint({ clientSecret: renewed.clientSecret })).expiresIn).toBe(900);
    expect(await clients.allowedOrigins(credentials.clientId)).toEqual(['https://new.example']);
  });

  it('keep their secret when another version of the app changes the settings, which creates none', async () => {
    const { appKey, clients, owner, credentials, mint, userOf } = await host();
    const settings = { allowedOrigins: ['https://new.example'], scopes: ['leads:read'], linkUsersBy: 'email' as const };
    const stranger = await identity.account();
    expect(await clients.update({ tenantId: stranger.tenantId, appKey, ...settings })).toBe(false);
    expect(await clients.update({ tenantId: owner.tenantId, appKey: 'never-issued', ...settings })).toBe(false);
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

  it('cannot be issued by another workspace or by a user who is not an administrator', async () => {
    const { appKey, owner } = await host();
    expect(await codeOf(issueEmbed(identity, await identity.account(), { appKey }))).toBe('NOT_FOUND');
    expect(await codeOf(issueEmbed(identity, await identity.member(owner)))).toBe('FORBIDDEN');
  });

  it('are issued for nothing but origins', async () => {
    const owner = await identity.account();
    for (const origin of [
      "https://a.example; script-src 'unsafe-inline'",
      'https://a.example/path',
      '*',
      "'self'",
      'https://a.example https://b.example',
    ]) {
      const code = await codeOf(issueEmbed(identity, owner, { allowedOrigins: [origin] }));
      expect([origin, code]).toEqual([origin, 'VALIDATION_FAILED']);
    }
  });

  it('are stored as a hash only', async () => {
    const { credentials } = await host();
    const stored = JSON.stringify(await identity.queryAll('SELECT * FROM embed_client'));
    expect(stored).toContain(credentials.clientId);
    expect(stored).not.toContain(credentials.clientSecret);
  });
});

describe('a host user', () => {
  const seen = async (owner: Account, userId: string) =>
    (await identity.send('GET', `/api/tenant/users/${userId}`, owner)).body as object as {
      email: string | null;
      name: string;
    };

  it('becomes a member of the workspace at the first token, only once, who cannot sign in with a password', async () => {
    const { owner, userOf } = await host();
    const request = { sub: 'u1', email: newEmail(), name: 'Newcomer' };
    const first = await userOf(request);
    const second = await userOf(request);
    expect(second.userId).toBe(first.userId);
    expect(first).toMatchObject({ roles: ['member'], tenantId: owner.tenantId });
    const { body } = await identity.send('GET', `/api/tenant/users/${first.userId}`, owner);
    expect(body).toMatchObject({ email: request.email, name: 'Newcomer', origin: 'embed', status: 'active' });
    // They have no password.
    expect((await identity.login(request.email)).body.code).toBe('INVALID_CREDENTIALS');
  });

  it('with the address of a user of the workspace becomes that user, with their role', async () => {
    const { owner, userOf } = await host();
    const viewer = await identity.member(owner, ['viewer']);
    const linked = await userOf({ email: viewer.email.toUpperCase() });
    expect(linked).toMatchObject({ userId: viewer.userId, roles: ['viewer'] });
  });

  it('is another for each sub, also with one address and at the same time: one of them has it, the others none', async () => {
    const { owner, userOf, mint } = await host();
    const email = newEmail();
    const subs = ['a', 'b', 'c'];
    const users = await Promise.all(subs.map((sub) => userOf({ sub, email })));
    expect(new Set(users.map(({ userId }) => userId)).size).toBe(3);
    const addresses = await Promise.all(users.map(async ({ userId }) => (await seen(owner, userId)).email));
    expect(addresses.filter((address) => address !== null)).toEqual([email]);
    const again = await Promise.all(subs.map((sub) => userOf({ sub, email })));
    expect(again.map(({ userId }) => userId)).toEqual(users.map(({ userId }) => userId));
    const { embedToken } = await mint({ sub: subs[addresses.indexOf(null)], email });
    expect((await identity.request('GET', '/api/auth/me', { token: embedToken })).body).toMatchObject({ email: null });
  });

  it('has the name that the host says now, and the address as long as nobody else in the workspace has it', async () => {
    const { owner, userOf } = await host();
    const [first, second] = [newEmail(), newEmail()];
    const at = { sub: 'u1', email: first, name: 'Before' };
    const { userId } = await userOf(at);
    // A known one is minted together with others from the second time on.
    for (const [said, shown] of [
      [{ name: 'After' }, { name: 'After', email: first }],
      [{ email: second }, { name: 'Before', email: second }],
      [
        { email: owner.email, name: 'Later' },
        { name: 'Later', email: second },
      ],
      [
        { email: second, name: 'Later' },
        { name: 'Later', email: second },
      ],
    ] as const) {
      expect((await userOf({ ...at, ...said })).userId).toBe(userId);
      expect(await seen(owner, userId)).toMatchObject(shown);
    }
    expect(await seen(owner, owner.userId)).toMatchObject({ email: owner.email });
    const counted = async () =>
      (await embedConflicts.get()).values.find(({ labels }) => labels.outcome === 'address_taken')?.value ?? 0;
    const before = await counted();
    await userOf({ ...at, email: owner.email });
    expect(await counted()).toBe(before + 1);
  });

  it('who is a user of the workspace changes nothing of them', async () => {
    const { owner, userOf } = await host();
    const { name } = await seen(owner, owner.userId);
    for (const email of [owner.email, newEmail()]) {
      expect((await userOf({ sub: 'u1', email, name: 'Of the host' })).userId).toBe(owner.userId);
    }
    expect(await seen(owner, owner.userId)).toMatchObject({ name, email: owner.email });
  });

  it('is one of several by the word of an administrator: no host then says what their name is', async () => {
    const { owner, appKey, userOf } = await host();
    const at = { sub: 'u1', email: newEmail(), name: 'First' };
    const { userId } = await userOf(at);
    await identity.send('PUT', '/api/tenant/embed-links', owner, { appKey, sub: 'u2', userId });
    for (const sub of ['u2', 'u1']) await userOf({ ...at, sub, name: `Of ${sub}` });
    expect(await seen(owner, userId)).toMatchObject({ name: 'First' });
  });

  it('is not linked by address when the app links users explicitly', async () => {
    const { owner, userOf } = await host({ linkUsersBy: 'explicit' });
    const { userId, roles } = await userOf({ email: owner.email });
    expect([userId === owner.userId, roles]).toEqual([false, ['member']]);
    expect((await seen(owner, userId)).email).toBeNull();
  });

  it('stays the same user when the address of a known sub changes', async () => {
    const { userOf, owner } = await host();
    const first = await userOf({ sub: 'u1' });
    expect((await userOf({ sub: 'u1', email: owner.email })).userId).toBe(first.userId);
  });

  it('is refused with the address of a person of another workspace, known here or not, and not with that of a host user', async () => {
    const { mint, owner } = await host();
    const stranger = await identity.account();
    await prove(identity, stranger);
    expect(await codeOf(mint({ email: stranger.email }))).toBe('EMBED_IDENTITY_CONFLICT');
    await mint({ sub: 'known' });
    expect(await codeOf(mint({ sub: 'known', email: stranger.email }))).toBe('EMBED_IDENTITY_CONFLICT');
    const provisioned = newEmail();
    await (await host()).mint({ email: provisioned });
    expect(await codeOf(mint({ email: provisioned }))).toBe('no error');
    const { body } = await identity.send('GET', '/api/tenant/users', owner);
    expect(body.total).toBe(3);
  });

  it('is refused with an address that a user of the workspace has given up, until it is free again', async () => {
    const { mint, userOf, owner } = await host();
    const admin = await identity.member(owner, ['admin']);
    await prove(identity, admin);
    const change = (sql: string) => identity.queryAll(`${sql} WHERE email = $1`, [admin.email]);
    await change("UPDATE sign_in_email SET reserved_until = now() + interval '1 day'");
    expect(await codeOf(mint({ email: admin.email }))).toBe('EMBED_IDENTITY_CONFLICT');
    await change('DELETE FROM sign_in_email');
    await identity.query(owner.tenantId, "UPDATE app_user SET email = 'new@identity.test' WHERE id = $1", [
      admin.userId,
    ]);
    const user = await userOf({ email: admin.email });
    expect([user.userId === admin.userId, user.roles]).toEqual([false, ['member']]);
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
    await identity.changeUser(owner, userId, { status: 'disabled' });
    expect(await codeOf(mint({ sub: 'u1' }))).toBe('EMBED_USER_DISABLED');
    await untilRevoked(identity, embedToken);
  });
});

describe('a link by address', () => {
  /** Minted by the statement that reads any host user, by the one that reads known ones together, and by the first again. */
  const reached = async (at: EmbedHost, { userId: sub, email }: Account, secret = at.credentials.clientSecret) => {
    const outcomes = [];
    for (const isFirstUse of [true, false, true]) {
      const unused = 'UPDATE embed_client SET secret_last_used_at = NULL WHERE app_key = $1';
      if (isFirstUse) await identity.queryAll(unused, [at.appKey]);
      const minted = at.userOf({ sub, email, clientSecret: secret });
      outcomes.push(
        await minted.then(
          ({ roles }) => roles.join(),
          ({ code }) => code,
        ),
      );
    }
    return [...new Set(outcomes)].join();
  };
  const ABOVE = 'ROLE_NOT_GRANTABLE';

  it('reaches no role above those of the administrator who issued the credentials: neither link nor mail is made', async () => {
    const { owner, admin, member, viewer } = await identity.team('admin', 'member', 'viewer');
    const at = await EmbedHost.start(identity, {}, admin);
    const outcomes = [];
    for (const user of [owner, admin, member, viewer]) outcomes.push(await reached(at, user));
    expect(outcomes).toEqual([ABOVE, 'admin', 'member', 'viewer']);
    const links = `/api/tenant/embed-links?appKey=${at.appKey}&sub=${owner.userId}`;
    expect((await identity.send('GET', links, owner)).body.data).toEqual([]);
    const trail = await identity.query(
      owner.tenantId,
      "SELECT outcome FROM audit_entry WHERE action = 'embed_link.made' AND subject_id = $1",
      [owner.userId],
    );
    expect(trail).toContainEqual({ outcome: 'failure' });
  });

  it('follows both roles: what was linked before is refused from the change on, and minted again afterwards', async () => {
    const { owner, admin, member } = await identity.team('admin', 'member');
    const at = await EmbedHost.start(identity, {}, admin);
    const change = ({ userId }: Account, changes: object) => identity.changeUser(owner, userId, changes);
    const outcomes = [await reached(at, member), await reached(at, admin)];
    for (const [user, changes] of [
      [member, { roles: ['owner'] }],
      [member, { roles: ['admin'] }],
      [admin, { roles: ['viewer'] }],
      [admin, { roles: ['admin'] }],
      [admin, { status: 'disabled' }],
      [member, { roles: ['member'] }],
    ] as const) {
      await change(user, changes);
      outcomes.push(await reached(at, member));
    }
    expect(outcomes).toEqual(['member', 'admin', ABOVE, 'admin', ABOVE, 'admin', ABOVE, 'member']);
  });

  it('is bound by the one who issued the secret that is presented, also while two overlap', async () => {
    const { owner, admin } = await identity.team('admin');
    const at = await EmbedHost.start(identity, {}, admin);
    const { clientSecret: ofOwner } = await issueEmbed(identity, owner, { appKey: at.appKey, overlapSeconds: 3600 });
    expect([await reached(at, owner), await reached(at, owner, ofOwner)]).toEqual([ABOVE, 'owner']);
    const { clientSecret: ofAdmin } = await issueEmbed(identity, admin, { appKey: at.appKey, overlapSeconds: 3600 });
    expect([await reached(at, owner, ofOwner), await reached(at, owner, ofAdmin)]).toEqual(['owner', ABOVE]);
  });

  it('reaches members alone where nobody knows who issued the credentials', async () => {
    const { owner, admin, member } = await identity.team('admin', 'member');
    const at = await EmbedHost.start(identity, {}, owner);
    expect(await reached(at, owner)).toBe('owner');
    await identity.queryAll('UPDATE embed_client SET issued_by = gen_random_uuid() WHERE app_key = $1', [at.appKey]);
    const outcomes = [await reached(at, owner), await reached(at, admin), await reached(at, member)];
    expect(outcomes).toEqual([ABOVE, ABOVE, 'member']);
  });

  it('leaves a link that someone with the role has made as it is', async () => {
    const { owner, admin } = await identity.team('admin');
    const at = await EmbedHost.start(identity, {}, admin);
    const body = { appKey: at.appKey, sub: owner.userId, userId: owner.userId };
    expect((await identity.send('PUT', '/api/tenant/embed-links', owner, body)).status).toBe(200);
    expect(await reached(at, owner)).toBe('owner');
  });
});

describe('an explicit link', () => {
  const link = (account: Account, body: object) => identity.send('PUT', '/api/tenant/embed-links', account, body);

  it('makes a host user a user of the workspace and ends the tokens of the previous user', async () => {
    const { appKey, owner, mint, userOf } = await host({ linkUsersBy: 'explicit' });
    const { embedToken } = await mint({ sub: 'u1' });
    const viewer = await identity.member(owner, ['viewer']);
    const input = { appKey, sub: 'u1', userId: viewer.userId };
    expect(await link(owner, input)).toMatchObject({ status: 200, body: input });
    expect(await userOf({ sub: 'u1' })).toMatchObject({ userId: viewer.userId, roles: ['viewer'] });
    await untilRevoked(identity, embedToken);
    const found = await identity.send('GET', `/api/tenant/embed-links?appKey=${appKey}&sub=u1`, owner);
    expect(found.body.data).toEqual([input]);
  });

  it('needs a recent proof of who makes it', async () => {
    const { owner, appKey } = await host({ linkUsersBy: 'explicit' });
    await identity.forgetProofs(owner.tenantId);
    const input = { appKey, sub: 'u1', userId: owner.userId };
    expect((await link(owner, input)).body.code).toBe('STEP_UP_REQUIRED');
    await identity.stepUp(owner.accessToken);
    expect((await link(owner, input)).status).toBe(200);
  });

  it('is refused to other than administrators, for users of another workspace, and for roles above their own', async () => {
    const { owner, admin, member } = await identity.team('admin', 'member');
    const stranger = await identity.account();
    const to = (userId: string) => ({ appKey: 'a', sub: 'u1', userId });
    expect((await link(member, to(member.userId))).body.code).toBe('FORBIDDEN');
    expect((await link(owner, to(stranger.userId))).body.code).toBe('NOT_FOUND');
    expect((await link(admin, to(owner.userId))).body.code).toBe('ROLE_NOT_GRANTABLE');
  });
});

describe('mints at the same time', () => {
  it('of several workspaces and apps give each host user a token of their own user', async () => {
    const first = await host();
    const hosts = [first, await host(), await first.anotherApp()];
    const users = await Promise.all(
      hosts.flatMap((host) =>
        Array.from({ length: 5 }, async () => {
          const known = newcomer();
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
    const [at, other] = [await host(), await host()];
    await prove(identity, other.owner);
    const known = newcomer();
    const { userId } = await at.userOf(known);
    const outcomes = await Promise.allSettled([
      at.userOf(known),
      at.mint({ ...known, clientSecret: other.credentials.clientSecret }),
      at.mint({ ...known, clientId: other.credentials.clientId }),
      at.mint({ ...known, clientId: 'embed_unknown' }),
      at.userOf(newcomer()),
      at.mint({ ...known, email: other.owner.email }),
      at.userOf({ ...known, email: newEmail() }),
      other.mint(known),
      at.mint({ ...known, scopes: ['tasks'] }),
    ]);
    const codes = outcomes.map((outcome) => (outcome.status === 'fulfilled' ? 'fulfilled' : outcome.reason.code));
    expect(codes).toEqual([
      'fulfilled',
      ...Array(3).fill('INVALID_EMBED_CREDENTIALS'),
      'fulfilled',
      'EMBED_IDENTITY_CONFLICT',
      'fulfilled',
      'fulfilled',
      'EMBED_SCOPE_DENIED',
    ]);
    for (const index of [0, 6]) expect(outcomes[index]).toMatchObject({ value: { userId } });
  });

  it('of a user whose role is being changed wait for the change, and those of others do not', async () => {
    const at = await host();
    const [changed, other] = [newcomer(), newcomer()];
    const { userId } = await at.userOf(changed);
    await at.userOf(other);
    let isMinted = false;
    let minted: Promise<readonly string[]> | undefined;
    await identity.get(Database).transaction(at.owner.tenantId, async (tx) => {
      await identity.get(UserRepository).update(tx, userId, { roles: ['manager'] });
      minted = at.userOf(changed).then(({ roles }) => {
        isMinted = true;
        return roles;
      });
      expect((await at.userOf(other)).roles).toEqual(['member']);
      expect(isMinted).toBe(false);
    });
    expect(await minted).toEqual(['manager']);
  });

  it('read nothing of a workspace without the secret of an app of it, and nothing with the runtime role', async () => {
    const at = await host();
    const known = newcomer();
    await at.userOf(known);
    const database = identity.get(Database);
    const { clientId, clientSecret } = at.credentials;
    const parametersOf = (secret: string) => [
      [clientId],
      [hashSecret(secret)],
      [known.sub],
      [known.email],
      ['Host user'],
    ];
    const read = (secret: string, tenantId = at.owner.tenantId) =>
      database.transaction(tenantId, (tx) => tx.query(READ_KNOWN_EMBED_MINTS, parametersOf(secret)));
    await expect(read(clientSecret)).rejects.toThrow(/permission denied/);
    const rows = (secret: string) => database.crossTenantStatement(READ_KNOWN_EMBED_MINTS, parametersOf(secret));
    expect(await rows(clientSecret)).toHaveLength(1);
    expect(await rows('wrong')).toEqual([]);
  });
});

describe('an app that operators have revoked', () => {
  it('mints no embed token any more, for known and new host users alike, and its tokens end', async () => {
    const at = await host();
    const other = await at.anotherApp();
    const known = newcomer();
    // The second mint is one of those that are read together.
    await at.mint(known);
    const { embedToken } = await at.mint(known);
    await other.mint(known);

    const apps = identity.get(OAuthAppService);
    await apps.setStatus(at.appKey, 'suspended');
    await at.mint(known);
    await apps.setStatus(at.appKey, 'revoked');

    const refused = { code: 'EMBED_APP_ENDED' };
    await expect(at.mint(known)).rejects.toMatchObject(refused);
    // Another address: not one of those that are read together.
    await expect(at.mint({ ...known, email: newEmail() })).rejects.toMatchObject(refused);
    await expect(at.mint()).rejects.toMatchObject(refused);
    await other.mint(known);
    await expect(principalOf(identity, embedToken)).rejects.toMatchObject({ code: 'TOKEN_REVOKED' });
  });
});
