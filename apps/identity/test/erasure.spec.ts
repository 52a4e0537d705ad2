import { waitUntil } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { auditOf, entryOf } from './audit.js';
import { PASSWORD, type TestIdentity } from './identity.js';
import { made, type TestKeys } from './keys.js';
import * as oauth from './oauth.js';
import { PersonalData } from './personal-data.js';

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
    const owner = await identity.account();
    const member = await identity.member(owner);
    await data.inhabit(owner, member);
    expect(await data.tablesWith(member.email)).toEqual(
      expect.arrayContaining(['app_user', 'email_change', 'mail', 'sign_in_email']),
    );
    // Every table that can name a user does so here: one that is added later has to be inhabited and erased too.
    expect(await data.tablesWith(member.userId)).toEqual(expect.arrayContaining(await data.tablesOfUsers()));

    expect((await data.erase(owner, member.userId)).status).toBe(204);

    // Events are kept for seven days, so that a lost stream can be filled again.
    expect(await data.tablesWith(member.email)).toEqual(['outbox']);
    for (const text of ['host-sub-of-the-erased', 'sub-of-the-erased']) expect(await data.tablesWith(text)).toEqual([]);
    expect((await data.tablesWith(member.userId)).filter((table) => table !== 'revocation_cutoff')).toEqual([
      'audit_entry',
      'outbox',
    ]);
    expect((await data.send('GET', `/api/tenant/users/${member.userId}`, owner)).status).toBe(404);
    expect((await data.erase(owner, member.userId)).status).toBe(404);
  });

  it('ends their tokens within a second, and every way to sign in', async () => {
    const owner = await identity.account();
    const member = await identity.member(owner);
    expect((await data.erase(owner, member.userId)).status).toBe(204);
    await waitUntil(() => data.isRefused(member), {
      timeoutMs: 1000,
      describe: 'the token of the erased user is refused',
    });
    expect((await identity.post('/api/auth/refresh', { refreshToken: member.refreshToken })).status).toBe(401);
    expect((await identity.login(member.email)).status).toBe(401);
    // The address is free again.
    const again = { email: member.email, name: 'Another', password: PASSWORD, roles: ['member'] };
    const added = await data.send('POST', '/api/tenant/users', owner, again);
    expect(added.status).toBe(201);
    expect(added.body.id).not.toBe(member.userId);
  });

  it('ends API keys and apps that act for them within a second, and leaves keys of service accounts', async () => {
    const owner = await identity.account();
    const member = await identity.member(owner, ['admin']);
    const own = await keys.make(member);
    const ownToken = await keys.exchange(own.key);
    const account = await data.send('POST', '/api/tenant/service-accounts', member, {
      name: 'ERP',
      roles: ['member'],
      scopes: ['leads'],
    });
    const ofAccount = made(
      await data.send('POST', `/api/tenant/service-accounts/${account.body.id}/api-keys`, member, { name: 'ERP' }),
    );
    const app = await oauth.installed(identity, { admin: owner });
    const granted = await oauth.granted(identity, app, member);
    const pending = await oauth.approved(identity, app, member);

    expect((await data.erase(owner, member.userId)).status).toBe(204);

    await keys.expectEnded(own.key, ownToken);
    await waitUntil(() => data.isRefused({ ...member, accessToken: granted.access_token }), {
      timeoutMs: 1000,
      describe: 'the token of the app is refused',
    });
    expect((await oauth.refresh(identity, app, granted.refresh_token)).status).toBe(400);
    expect((await oauth.exchange(identity, app, pending)).status).toBe(400);
    // It belongs to the workspace; that the erased user made it is an id.
    expect((await keys.current(await keys.exchange(ofAccount.key))).status).toBe(200);
    expect(await data.tablesWith(member.email)).toEqual(['outbox']);
  });

  it('keeps entries of the audit trail with the id, without places and names', async () => {
    const owner = await identity.account();
    const member = await identity.member(owner);
    await identity.login(member.email, 'wrong-password-1');
    await entryOf(identity, owner, 'sign_in.failed');
    const [before] = await auditOf(identity, owner, `&actor=${member.userId}`);
    expect(before).toMatchObject({ address: '127.0.0.1', actor: { name: 'Member' } });
    expect((await data.erase(owner, member.userId)).status).toBe(204);
    const about = await auditOf(identity, owner, `&subject=${member.userId}`);
    expect(about.map(({ action }) => action)).toEqual([
      'user.erased',
      'sign_in.failed',
      'sign_in.succeeded',
      'user.added',
    ]);
    for (const { actor, subject, address, device } of about) {
      expect(subject?.name).toBeNull();
      // Where the owner acted from is not the erased user's.
      expect([address, device === null]).toEqual(actor.id === owner.userId ? ['127.0.0.1', false] : [null, true]);
    }
  });

  it('tells other services by an event that has nothing but the id', async () => {
    const owner = await identity.account();
    const member = await identity.member(owner);
    await data.erase(owner, member.userId);
    const { rows: events } = await data.asAdmin((client) =>
      client.query<{ envelope: { data: object; subject: string } }>(
        "SELECT envelope FROM outbox WHERE name = 'user.erased' AND tenant_id = $1",
        [owner.tenantId],
      ),
    );
    expect(events.map(({ envelope }) => [envelope.subject, envelope.data])).toEqual([
      [member.userId, { userId: member.userId }],
    ]);
  });
});
