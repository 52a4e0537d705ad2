import { TokenVerifier } from '@crm/access';
import { AUDIENCES } from '@crm/contracts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { auditOf, entryOf } from './audit.js';
import { type Account, newEmail, outcome, PASSWORD, type TestIdentity } from './identity.js';
import { made, type TestKeys } from './keys.js';
import * as oauth from './oauth.js';
import { PersonalData } from './personal-data.js';
import { consultant, enter, joined, prove } from './persons.js';

let data: PersonalData;
let identity: TestIdentity;
let keys: TestKeys;
beforeAll(async () => {
  data = await PersonalData.start();
  ({ identity, keys } = data);
});
afterAll(() => data?.close());

describe('erasing a user', () => {
  it('leaves nothing of them in any table but the id', async () => {
    const { owner, member } = await identity.team('member');
    await data.inhabit(owner, member);
    const ofAddresses = ['app_user', 'email_change', 'mail', 'sign_in_email'];
    expect(await data.tablesWith(member.email)).toEqual(expect.arrayContaining(ofAddresses));
    // Every table that can name a user does so here: one that is added later has to be inhabited and erased too.
    expect(await data.tablesWith(member.userId)).toEqual(expect.arrayContaining(await data.tablesOfUsers()));

    expect((await data.erase(owner, member.userId)).status).toBe(204);

    // Events are kept for seven days, so that a lost stream can be filled again.
    expect(await data.tablesWith(member.email)).toEqual(['outbox']);
    for (const text of ['host-sub-of-the-erased', 'sub-of-the-erased']) expect(await data.tablesWith(text)).toEqual([]);
    const left = (await data.tablesWith(member.userId)).filter((table) => table !== 'revocation_cutoff');
    expect(left).toEqual(['audit_entry', 'outbox']);
    expect((await data.send('GET', `/api/tenant/users/${member.userId}`, owner)).status).toBe(404);
    expect((await data.erase(owner, member.userId)).status).toBe(404);
  });

  it('ends their tokens within a second, and every way to sign in', async () => {
    const { owner, member } = await identity.team('member');
    expect((await data.erase(owner, member.userId)).status).toBe(204);
    await identity.refuses(member.accessToken);
    expect((await identity.refresh(member.refreshToken)).status).toBe(401);
    expect((await identity.login(member.email)).status).toBe(401);
    // The address is free again.
    const again = { email: member.email, name: 'Another', password: PASSWORD, roles: ['member'] };
    const added = await data.send('POST', '/api/tenant/users', owner, again);
    expect(added).toMatchObject({ status: 201, body: { id: expect.not.stringMatching(member.userId) } });
  });

  it('ends API keys and apps that act for them within a second, and leaves keys of service accounts', async () => {
    const { owner, admin: member } = await identity.team('admin');
    const own = await keys.make(member);
    const ownToken = await keys.exchange(own.key);
    const accounts = '/api/tenant/service-accounts';
    const erp = { name: 'ERP', roles: ['member'], scopes: ['leads'] };
    const { id } = (await data.send('POST', accounts, member, erp)).body;
    const ofAccount = made(await data.send('POST', `${accounts}/${id}/api-keys`, member, { name: 'ERP' }));
    const app = await oauth.installed(identity, { admin: owner });
    const granted = await oauth.granted(identity, app, member);
    const pending = await oauth.approved(identity, app, member);

    expect((await data.erase(owner, member.userId)).status).toBe(204);

    await keys.expectEnded(own.key, ownToken);
    await identity.refuses(granted.access_token);
    expect((await oauth.refresh(identity, app, granted.refresh_token)).status).toBe(400);
    expect((await oauth.exchange(identity, app, pending)).status).toBe(400);
    // It belongs to the workspace; that the erased user made it is an id.
    expect((await keys.current(await keys.exchange(ofAccount.key))).status).toBe(200);
    expect(await data.tablesWith(member.email)).toEqual(['outbox']);
  });

  it('keeps entries of the audit trail with the id, without places and names', async () => {
    const { owner, member } = await identity.team('member');
    await prove(identity, member);
    await identity.login(member.email, 'wrong-password-1');
    await entryOf(identity, owner, 'sign_in.failed');
    const [before] = await auditOf(identity, owner, `&actor=${member.userId}`);
    expect(before).toMatchObject({ address: '127.0.0.1', actor: { name: 'Member' } });
    expect((await data.erase(owner, member.userId)).status).toBe(204);
    const about = await auditOf(identity, owner, `&subject=${member.userId}`);
    const acts = ['user.erased', 'sign_in.failed', 'sign_in.succeeded', 'user.added'];
    expect(about.map(({ action }) => action)).toEqual(acts);
    for (const { actor, subject, address, device } of about) {
      expect(subject?.name).toBeNull();
      // Where the owner acted from is not the erased user's.
      expect([address, device === null]).toEqual(actor.id === owner.userId ? ['127.0.0.1', false] : [null, true]);
    }
  });

  it('tells other services by an event that has nothing but the id', async () => {
    const { owner, member } = await identity.team('member');
    await data.erase(owner, member.userId);
    const { rows: events } = await data.asAdmin((client) =>
      client.query<{ envelope: { data: object; subject: string } }>(
        "SELECT envelope FROM outbox WHERE name = 'user.erased' AND tenant_id = $1",
        [owner.tenantId],
      ),
    );
    expect(events).toMatchObject([{ envelope: { subject: member.userId } }]);
    expect(events[0]?.envelope.data).toEqual({ userId: member.userId });
  });
});

describe('erasing a user', () => {
  it('is what a user can do with themselves, after a recent proof', async () => {
    const { owner, viewer: member } = await identity.team('viewer');
    await identity.forgetProofs(owner.tenantId);
    expect((await data.eraseSelf(member)).body.code).toBe('STEP_UP_REQUIRED');
    expect((await identity.stepUp(member.accessToken)).status).toBe(204);
    expect((await data.eraseSelf(member)).status).toBe(204);
    await identity.refuses(member.accessToken);
    const actor = { kind: 'user', id: member.userId, name: null };
    const entry = { actor, address: null, detail: { bySelf: true } };
    expect(await entryOf(identity, owner, 'user.erased')).toMatchObject(entry);
  });

  it('is refused to the last owner, until someone else is one', async () => {
    const { owner, member } = await identity.team('member');
    expect((await data.eraseSelf(owner)).body.code).toBe('CONFLICT');
    expect((await data.erase(owner, owner.userId)).body.code).toBe('CONFLICT');
    expect(await data.isRefused(owner)).toBe(false);
    await data.send('PATCH', `/api/tenant/users/${member.userId}`, owner, { roles: ['owner'] });
    expect((await data.eraseSelf(owner)).status).toBe(204);
    const heir = await identity.signedIn(member.email);
    expect((await data.eraseSelf(heir)).body.code).toBe('CONFLICT');
  });

  it('leaves one of two owners who erase themselves at the same moment', async () => {
    const owner = await identity.account();
    const other = await identity.member(owner, ['owner']);
    const answers = await Promise.all([data.eraseSelf(owner), data.eraseSelf(other)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 409]);
  });

  it('is refused to an embed token, which ends with its user', async () => {
    const owner = await identity.account();
    const mint = await data.host(owner);
    const { embedToken } = await mint('sub-1', newEmail());
    const embedded = { ...owner, accessToken: embedToken };
    expect((await data.eraseSelf(embedded)).status).toBe(403);
    const userOf = async (token: string) => (await identity.get(TokenVerifier).verify(token, [AUDIENCES.api])).userId;
    const userId = await userOf(embedToken);
    expect((await data.erase(owner, userId)).status).toBe(204);
    await identity.refuses(embedded.accessToken);
    // The host can bring the person again: as another user.
    const again = await mint('sub-1', newEmail());
    expect(await userOf(again.embedToken)).not.toBe(userId);
  });
});

describe('the export of personal data', () => {
  const exported = (by: Account, userId?: string) =>
    data.send('POST', userId === undefined ? '/api/auth/me/export' : `/api/admin/users/${userId}/export`, by);

  it('has everything of the user, no secret, and not from where others acted', async () => {
    const { owner, member } = await identity.team('member');
    const mint = await data.host(owner);
    await mint('host-sub-1', member.email);
    await data.send('PATCH', `/api/tenant/users/${member.userId}`, owner, { name: 'Grace' });
    const { status, headers, body } = await exported(member);
    expect(status).toBe(200);
    expect(headers.get('content-disposition')).toBe('attachment; filename="personal-data.json"');
    expect(body).toMatchObject({
      format: 'crm-personal-data/1',
      workspace: { id: owner.tenantId },
      account: { id: member.userId, email: member.email, name: 'Grace', roles: ['member'], hasPassword: true },
      secondFactor: { enabled: false, authenticatorSince: null, recoveryCodesLeft: 0 },
      sessions: [{ current: true, address: '127.0.0.1' }],
      embedLinks: [{ sub: 'host-sub-1', undoneAt: null }],
    });
    expect((body as unknown as { auditTrail: object[] }).auditTrail).toMatchObject([
      { action: 'user.added', address: null },
      { action: 'sign_in.succeeded', address: '127.0.0.1' },
      { action: 'embed_link.made', address: null },
      { action: 'user.renamed', address: null },
      { action: 'user.data_exported', address: '127.0.0.1' },
    ]);
    expect(JSON.stringify(body)).not.toMatch(/argon2|hash|sealed|owner@/i);
  });

  it('has the passkeys, keys, providers and apps of the user, and no secret of them', async () => {
    const { owner, member } = await identity.team('member');
    await data.inhabit(owner, member);
    const archive = (await exported(owner, member.userId)).body as unknown as Record<string, unknown>;
    const empty = Object.entries(archive).filter(([, value]) => Array.isArray(value) && value.length === 0);
    expect(empty).toEqual([]);
    expect(archive).toMatchObject({
      secondFactor: { passkeys: [{ synced: false }] },
      providerLinks: [{ issuer: 'https://idp.example', sub: 'sub-of-the-erased' }],
      providerLinkRequests: [{ issuer: 'https://idp.example', deniedAt: null }],
      apiKeys: [{ name: 'Import', scopes: ['leads', 'contacts:read'], lastUsedAt: null }],
      appGrants: [{ app: { name: 'Site Visits' }, scopes: ['leads', 'tasks:read'] }],
    });
    expect(JSON.stringify(archive)).not.toMatch(/argon2|hash|sealed|publicKey|credentialId/i);
  });

  it('is read over several batches', async () => {
    const owner = await identity.account();
    const { tenantId, userId } = owner;
    await identity.query(
      tenantId,
      `INSERT INTO audit_entry (tenant_id, id, at, action, outcome, actor_kind, actor_id, subject_kind, subject_id, detail)
         SELECT $1, gen_random_uuid(), now(), 'user.renamed', 'success', 'user', $2, 'user', $2, '{}'
           FROM generate_series(1, 1200)`,
      [tenantId, userId],
    );
    const { auditTrail } = (await exported(owner)).body as unknown as { auditTrail: { id: string }[] };
    expect(new Set(auditTrail.map(({ id }) => id)).size).toBe(auditTrail.length);
    expect(auditTrail.length).toBeGreaterThan(1_200);
  });

  it('is given to the user and to administrators, with a recent proof', async () => {
    const { owner, admin, member } = await identity.team('admin', 'member');
    expect((await exported(admin, member.userId)).status).toBe(200);
    await identity.forgetProofs(owner.tenantId);
    expect((await exported(member)).body.code).toBe('STEP_UP_REQUIRED');
  });
});

describe.each(['erase', 'export'])('for others, to %s a user', (act) => {
  const tried = (by: Account, userId: string) => outcome(data.send('POST', `/api/admin/users/${userId}/${act}`, by));

  it('is refused to members, administrators of less rank, other workspaces and without a recent proof', async () => {
    const { owner, admin, member } = await identity.team('admin', 'member');
    expect(await tried(member, admin.userId)).toEqual([403, 'FORBIDDEN']);
    expect(await tried(admin, owner.userId)).toEqual([403, 'ROLE_NOT_GRANTABLE']);
    expect(await tried(await identity.account(), member.userId)).toEqual([404, 'NOT_FOUND']);
    expect(await tried(owner, 'not-an-id')).toEqual([404, 'NOT_FOUND']);
    await identity.forgetProofs(owner.tenantId);
    expect(await tried(admin, member.userId)).toEqual([403, 'STEP_UP_REQUIRED']);
    for (const account of [owner, admin, member]) expect(await data.isRefused(account)).toBe(false);
  });
});

describe('erasing a person', () => {
  /** A person who is in the workspaces of two owners. */
  async function consultantOf(first: Account, second: Account, roles = ['member']) {
    const member = await identity.member(first, roles);
    await prove(identity, member);
    const there = await joined(identity, member, second, roles);
    return { here: await enter(identity, member), there };
  }

  it('leaves nothing of them in any workspace but the ids', async () => {
    const [first, second] = [await identity.account(), await identity.account()];
    const { here, there } = await consultantOf(first, second);
    const inside = await enter(identity, there);
    const formerAddress = newEmail();
    await identity.queryAll(
      `INSERT INTO sign_in_email (email, tenant_id, user_id, person_id, proven_at, reserved_until)
       SELECT $2, tenant_id, user_id, person_id, now(), now() + interval '1 day' FROM sign_in_email WHERE email = $1`,
      [here.email, formerAddress],
    );
    expect((await data.eraseSelf(here)).status).toBe(204);
    for (const account of [here, inside]) await identity.refuses(account.accessToken);
    expect((await identity.login(here.email)).status).toBe(401);
    expect(await data.tablesWith(here.email)).toEqual(['outbox']);
    expect(await data.tablesWith(formerAddress)).toEqual([]);
    for (const [{ userId }, owner] of [
      [here, first],
      [there, second],
    ] as const) {
      const left = (await data.tablesWith(userId)).filter((table) => table !== 'revocation_cutoff');
      expect(left).toEqual(['audit_entry', 'outbox']);
      const entry = await entryOf(identity, owner, 'user.erased');
      expect(entry).toMatchObject({ actor: { id: userId }, subject: { id: userId }, address: null });
      const events = await data.asAdmin((client) =>
        client.query("SELECT envelope->'data' AS data FROM outbox WHERE name = 'user.erased' AND tenant_id = $1", [
          owner.tenantId,
        ]),
      );
      expect(events.rows).toEqual([{ data: { userId } }]);
    }
  });

  it('is another thing than erasing a membership, which leaves the person where else they are', async () => {
    const [first, second] = [await identity.account(), await identity.account()];
    const { here, there } = await consultantOf(first, second);
    await enter(identity, there);
    expect((await data.erase(second, there.userId)).status).toBe(204);
    const left = (await data.tablesWith(there.userId)).filter((table) => table !== 'revocation_cutoff');
    expect(left).toEqual(['audit_entry', 'outbox']);
    expect((await identity.me(here.accessToken)).body.id).toBe(here.userId);
    expect((await identity.signedIn(here.email)).userId).toBe(here.userId);
  });

  it('is refused to the last owner of workspaces, which it names, and changes nothing', async () => {
    const [first, second] = [await identity.account({ name: 'First' }), await identity.account({ name: 'Second' })];
    const { here, there } = await consultantOf(first, second, ['owner']);
    for (const account of [first, second]) expect((await data.eraseSelf(account)).status).toBe(204);
    const refused = await data.eraseSelf(here);
    expect(await outcome(refused)).toEqual([409, 'CONFLICT']);
    const workspaces = [
      { id: first.tenantId, name: 'First' },
      { id: there.tenantId, name: 'Second' },
    ];
    expect(refused.body).toMatchObject({ workspaces: expect.arrayContaining(workspaces) });
    await identity.member(await enter(identity, there), ['owner']);
    expect((await data.eraseSelf(here)).body).toMatchObject({ code: 'CONFLICT', workspaces: workspaces.slice(0, 1) });
    expect((await identity.me(here.accessToken)).status).toBe(200);
  });

  it('needs more than the word of the provider of one workspace', async () => {
    const [first, second] = [await identity.account(), await identity.account()];
    const { here } = await consultantOf(first, second);
    const byProvider = await enter(identity, here, 'provider');
    expect(await outcome(data.eraseSelf(byProvider))).toEqual([403, 'STEP_UP_REQUIRED']);
  });

  it('of two workspaces at the moment at which administrators erase the memberships ends once', async () => {
    const [first, second] = [await identity.account(), await identity.account()];
    const { here, there } = await consultantOf(first, second);
    const answers = await Promise.all([
      data.eraseSelf(here),
      data.erase(second, there.userId),
      data.erase(first, here.userId),
    ]);
    // 403: their session ended while it was being looked up.
    for (const { status } of answers) expect([204, 401, 403, 404]).toContain(status);
    expect(await data.tablesWith(here.email)).toEqual(['outbox']);
    expect(await data.tablesWith(there.userId)).toEqual(expect.arrayContaining(['audit_entry', 'outbox']));
  });
});

describe('the export of a person', () => {
  it('has their workspaces and those that wait for them, but not for an administrator', async () => {
    const { home, customer, there } = await consultant(identity);
    const other = await identity.account({ name: 'Waiting' });
    const waiting = await data.waits(other, home.email);
    const own = await data.send('POST', '/api/auth/me/export', home);
    const memberships = [
      { tenantId: home.tenantId, userId: home.userId, name: 'Home' },
      { tenantId: there.tenantId, userId: there.userId, name: 'Customer' },
    ];
    expect(own.body).toMatchObject({
      memberships: expect.arrayContaining(memberships),
      offers: [{ tenantId: other.tenantId, userId: waiting, name: 'Waiting' }],
    });
    const { body } = await data.send('POST', `/api/admin/users/${there.userId}/export`, customer);
    expect(Object.keys(body)).not.toEqual(expect.arrayContaining(['memberships']));
    expect(JSON.stringify(body)).not.toContain(home.tenantId);
  });
});
