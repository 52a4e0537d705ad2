import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { auditOf, entryOf } from './audit.js';
import { type Account, newEmail, outcome, PASSWORD, type TestIdentity } from './identity.js';
import type { TestKeys } from './keys.js';
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

const remove = (by: Account, userId: string) => identity.send('DELETE', `/api/tenant/users/${userId}`, by);
const resetFactor = (by: Account, userId: string) =>
  identity.send('DELETE', `/api/tenant/users/${userId}/second-factor`, by);
const leave = (by: Account, tenantId: string, query = '') =>
  identity.send('DELETE', `/api/auth/workspaces/${tenantId}${query}`, by);
const read = (by: Account, userId: string) => identity.send('GET', `/api/tenant/users/${userId}`, by);
const invite = (by: Account, email: string) =>
  identity.send('POST', '/api/tenant/users', by, { email, name: 'Invited', roles: ['member'] });

/** The workspaces that the person of an address is in. */
const workspacesOf = async (email: string): Promise<string[]> => {
  const sql = `SELECT m.tenant_id AS id FROM sign_in_email s JOIN membership m ON m.person_id = s.person_id
    WHERE s.email = $1 ORDER BY 1`;
  return (await identity.queryAll<{ id: string }>(sql, [email])).map(({ id }) => id);
};

describe('removing a member', () => {
  it('ends every way to act as them, and leaves their name to what they made', async () => {
    const { owner, admin: member } = await identity.team('admin');
    const { key } = await keys.make(member);
    const ofKey = await keys.exchange(key);
    const app = await oauth.installed(identity, { admin: owner });
    const granted = await oauth.granted(identity, app, member);
    expect((await remove(owner, member.userId)).status).toBe(204);

    await identity.refuses(member.accessToken);
    expect((await identity.refresh(member.refreshToken)).status).toBe(401);
    expect((await identity.login(member.email)).status).toBe(401);
    await keys.expectEnded(key, ofKey);
    await identity.refuses(granted.access_token);
    const address = `removed-${member.userId}@invalid`;
    expect((await read(owner, member.userId)).body).toMatchObject({
      ...{ name: 'Member', status: 'disabled', email: address, mfaEnabled: false },
    });
    expect(await entryOf(identity, owner, 'user.removed')).toMatchObject({ subject: { id: member.userId } });
    const kept = ['audit_entry', 'app_user', 'outbox', 'revocation_cutoff', 'embed_client', 'oauth_client'];
    expect((await data.tablesWith(member.userId)).filter((table) => !kept.includes(table))).toEqual([]);
    const events = await data.asAdmin((client) =>
      client.query(`SELECT envelope->'data' AS data FROM outbox WHERE name = 'user.disabled' AND tenant_id = $1`, [
        owner.tenantId,
      ]),
    );
    expect(events.rows).toEqual([{ data: { userId: member.userId, email: member.email, name: 'Member' } }]);
    // The address comes back as someone else, and the removed one does not.
    const again = await invite(owner, member.email);
    expect(again).toMatchObject({ status: 201, body: { id: expect.not.stringMatching(member.userId) } });
    expect((await identity.changeUser(owner, member.userId, { status: 'active' })).body.code).toBe('CONFLICT');
    expect((await remove(owner, member.userId)).status).toBe(404);
  });

  it('leaves the person their other workspaces, whichever of them they used last', async () => {
    const { home, customer, there } = await consultant(identity);
    const inside = await enter(identity, there);
    expect((await remove(customer, there.userId)).status).toBe(204);
    await identity.refuses(inside.accessToken);
    expect((await identity.me(home.accessToken)).status).toBe(200);
    expect((await identity.signedIn(home.email)).userId).toBe(home.userId);
    expect(await workspacesOf(home.email)).toEqual([home.tenantId]);
  });

  it('frees the address of who was in no other workspace', async () => {
    const { owner, member } = await identity.team('member');
    await prove(identity, member);
    expect((await remove(owner, member.userId)).status).toBe(204);
    expect(await data.tablesWith(member.email)).toEqual(['outbox']);
    const workspace = { name: 'Own' };
    const registered = { email: member.email, password: PASSWORD, name: 'Again', workspace };
    expect((await identity.post('/api/auth/register', registered)).status).toBe(201);
  });

  it('has a host make another user of who came through it', async () => {
    const owner = await identity.account();
    const mint = await data.host(owner);
    const email = newEmail();
    const userOf = async () => JSON.parse(atob((await mint('sub', email)).embedToken.split('.')[1] ?? '')).sub;
    const first = await userOf();
    expect((await remove(owner, first)).status).toBe(204);
    expect(await userOf()).not.toBe(first);
  });

  it('leaves nothing of who never accepted the invitation', async () => {
    const owner = await identity.account();
    const email = newEmail();
    const { id } = (await invite(owner, email)).body;
    expect((await remove(owner, id)).status).toBe(204);
    expect((await read(owner, id)).status).toBe(404);
    expect((await invite(owner, email)).status).toBe(201);
  });
});

describe.each([
  ['removing a member', remove],
  ['resetting their second factor', resetFactor],
])('%s', (_, act) => {
  it('is refused for oneself, above the own role, elsewhere and without a recent proof', async () => {
    const { owner, admin, member } = await identity.team('admin', 'member');
    const stranger = await identity.account();
    const tried: [Account, string, number, string][] = [
      [owner, owner.userId, 409, 'CONFLICT'],
      [admin, owner.userId, 403, 'ROLE_NOT_GRANTABLE'],
      [member, admin.userId, 403, 'FORBIDDEN'],
      [stranger, member.userId, 404, 'NOT_FOUND'],
    ];
    for (const [by, userId, ...expected] of tried) expect(await outcome(act(by, userId))).toEqual(expected);
    await identity.forgetProofs(owner.tenantId);
    expect((await act(owner, member.userId)).body.code).toBe('STEP_UP_REQUIRED');
    expect((await identity.me(member.accessToken)).status).toBe(200);
  });
});

describe('a member who was disabled', () => {
  it('is enabled again, and not invited, also without a password', async () => {
    const { customer, there } = await consultant(identity);
    await identity.query(there.tenantId, 'UPDATE app_user SET password_hash = NULL WHERE id = $1', [there.userId]);
    const statuses: string[] = [];
    for (const status of ['disabled', 'active']) {
      statuses.push((await identity.changeUser(customer, there.userId, { status })).body.status);
    }
    expect(statuses).toEqual(['disabled', 'active']);
  });
});

describe('leaving a workspace', () => {
  it('ends what the person has there alone, and the next sign-in is in another one', async () => {
    const { home, customer, there } = await consultant(identity);
    const inside = await enter(identity, there);
    expect((await leave(inside, there.tenantId)).status).toBe(204);
    await identity.refuses(inside.accessToken);
    expect((await identity.me(home.accessToken)).status).toBe(200);
    expect((await identity.signedIn(home.email)).tenantId).toBe(home.tenantId);
    expect((await read(customer, there.userId)).body).toMatchObject({ name: 'Consultant', status: 'disabled' });
    // Whom the person is elsewhere is none of the workspace's business.
    const entry = await entryOf(identity, customer, 'user.left');
    expect(entry.actor).toMatchObject({ kind: 'user', id: there.userId });
    expect(JSON.stringify(await auditOf(identity, customer))).not.toContain(home.userId);
  });

  it('leaves nothing but the id there when the user is erased too', async () => {
    const { home, customer, there } = await consultant(identity);
    expect((await leave(await enter(identity, there), there.tenantId, '?erase=true')).status).toBe(204);
    expect((await read(customer, there.userId)).status).toBe(404);
    const left = (await data.tablesWith(there.userId)).filter((table) => table !== 'revocation_cutoff');
    expect(left).toEqual(['audit_entry', 'outbox']);
    expect(await entryOf(identity, customer, 'user.erased')).toMatchObject({ detail: { bySelf: true } });
    expect((await identity.signedIn(home.email)).userId).toBe(home.userId);
  });

  it('is for local accounts too, and the last one frees the address', async () => {
    const { member, viewer } = await identity.team('member', 'viewer');
    await prove(identity, viewer);
    for (const account of [member, viewer]) {
      expect((await leave(account, account.tenantId)).status).toBe(204);
      expect(await data.tablesWith(account.email)).toEqual(['outbox']);
    }
  });

  it('is refused from anywhere but within, and to the last owner', async () => {
    const { home, customer, there } = await consultant(identity);
    expect(await outcome(leave(home, home.tenantId))).toEqual([409, 'CONFLICT']);
    expect(await outcome(leave(customer, there.tenantId))).toEqual([409, 'CONFLICT']);
    // One of theirs too: its second factor was not asked for.
    for (const tenantId of [there.tenantId, (await identity.account()).tenantId, 'not-an-id']) {
      expect(await outcome(leave(home, tenantId))).toEqual([404, 'NOT_FOUND']);
    }
    const byProvider = await enter(identity, there, 'provider');
    expect((await leave(byProvider, there.tenantId, '?erase=perhaps')).status).toBe(400);
    await identity.forgetProofs(there.tenantId);
    expect((await leave(byProvider, there.tenantId)).body.code).toBe('STEP_UP_REQUIRED');
    expect((await leave(await enter(identity, there, 'provider'), there.tenantId)).status).toBe(204);
  });

  it('leaves one of two owners who leave at the same moment', async () => {
    const { there } = await consultant(identity, ['owner']);
    const other = await enter(identity, there);
    const owner = await identity.member(other, ['owner']);
    const first = await identity.query<{ id: string }>(
      there.tenantId,
      `SELECT id FROM app_user WHERE roles @> ARRAY['owner'] AND id <> ALL($1)`,
      [[there.userId, owner.userId]],
    );
    expect((await remove(owner, first[0]?.id ?? '')).status).toBe(204);
    const answers = await Promise.all([leave(other, there.tenantId), leave(owner, owner.tenantId)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 409]);
  });

  it('of two at the same moment leaves a person without a workspace nobody', async () => {
    const [one, two] = [await identity.account(), await identity.account()];
    const member = await identity.member(one);
    await prove(identity, member);
    const there = await joined(identity, member, two);
    const [here, inside] = [await enter(identity, member), await enter(identity, there)];
    const answers = await Promise.all([leave(here, member.tenantId), leave(inside, there.tenantId)]);
    expect(answers.map(({ status }) => status)).toEqual([204, 204]);
    expect(await workspacesOf(member.email)).toEqual([]);
    expect(await data.tablesWith(member.email)).toEqual(['outbox']);
  });
});
