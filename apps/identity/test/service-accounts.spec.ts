import { TokenVerifier } from '@crm/access';
import { AUDIENCES } from '@crm/contracts';
import { Database, newId } from '@crm/database';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ACCOUNTS_PER_TENANT } from '../src/api-keys/service-account.service.js';
import { AuditTrail } from '../src/audit/audit-trail.service.js';
import { auditOf } from './audit.js';
import { inTenant } from './checks.js';
import { type Account, TestIdentity } from './identity.js';
import { made, TestKeys } from './keys.js';

const PATH = '/api/tenant/service-accounts';

let identity: TestIdentity;
let keys: TestKeys;
beforeAll(async () => {
  identity = await TestIdentity.start();
  keys = await TestKeys.connect(identity);
});
afterAll(async () => {
  await keys?.close();
  await identity?.close();
});

const call = ({ accessToken }: Account, method: string, path: string, body?: unknown) =>
  identity.request(method, path, { token: accessToken, ...(body !== undefined && { body }) });
const add = (admin: Account, changes: Record<string, unknown> = {}) =>
  call(admin, 'POST', PATH, { name: 'ERP', roles: ['member'], scopes: ['leads', 'contacts:read'], ...changes });
const added = async (admin: Account, changes?: Record<string, unknown>) => {
  const { status, body } = await add(admin, changes);
  if (status !== 201) throw new Error(`Adding an account: ${JSON.stringify(body)}`);
  return body.id;
};
const makeKey = async (admin: Account, id: string) =>
  made(await call(admin, 'POST', `${PATH}/${id}/api-keys`, { name: 'Nightly' }));
const oldProof = ({ tenantId }: Account) =>
  inTenant(identity, { tenantId }, "UPDATE session SET proven_at = now() - interval '601 seconds'");

describe('a service account', () => {
  it('calls with keys that have its roles and scopes', async () => {
    const owner = await identity.account();
    const id = await added(owner, { name: ' ERP ' });
    const { key, id: keyId } = await makeKey(owner, id);
    expect(await keys.claims(key)).toMatchObject({
      sub: id,
      tid: owner.tenantId,
      sid: keyId,
      api_key: true,
      roles: ['member'],
      scopes: ['leads', 'contacts:read'],
    });
    const { body } = await keys.current(await keys.exchange(key));
    expect(body).toMatchObject({
      scopes: ['leads', 'contacts:read'],
      owner: { kind: 'service', id, name: 'ERP', roles: ['member'] },
    });
    expect((await call(owner, 'GET', `${PATH}/${id}/api-keys`)).body.data).toMatchObject([
      { id: keyId, name: 'Nightly' },
    ]);
    expect((await call(owner, 'GET', PATH)).body.data).toMatchObject([{ id, name: 'ERP', createdBy: owner.userId }]);
  });

  it('is who acted in the audit trail, which a user is whose key it is', async () => {
    const owner = await identity.account();
    const id = await added(owner);
    const presented = [(await makeKey(owner, id)).key, (await keys.make(owner)).key];
    for (const key of presented) {
      const principal = await identity.get(TokenVerifier).verify(await keys.exchange(key), [AUDIENCES.api]);
      // What any route does that records an act.
      await identity
        .get(Database)
        .transaction(principal, async (tx) => identity.get(AuditTrail).record(tx, { action: 'user.renamed' }));
    }
    const entries = await auditOf(identity, owner, '&action=user.renamed');
    expect(entries.map(({ actor }) => [actor.kind, actor.id])).toEqual([
      ['user', owner.userId],
      ['service_account', id],
    ]);
    const [own] = await auditOf(identity, owner, `&action=user.renamed&actor=${id}`);
    expect(own?.actor).toEqual({ kind: 'service_account', id, name: null });
  });

  it('has new rights within a second, for the keys that it has', async () => {
    const owner = await identity.account();
    const id = await added(owner, { roles: ['admin'], scopes: ['webhooks', 'leads'] });
    const { key } = await makeKey(owner, id);
    const token = await keys.exchange(key);
    const changed = await call(owner, 'PATCH', `${PATH}/${id}`, { roles: ['viewer'], scopes: ['leads:read'] });
    expect([changed.status, changed.body]).toMatchObject([200, { roles: ['viewer'], scopes: ['leads:read'] }]);
    await keys.isCutOff(token);
    expect(await keys.claims(key)).toMatchObject({ roles: ['viewer'], scopes: ['leads:read'] });
  });

  it('is refused while it is disabled', async () => {
    const owner = await identity.account();
    const id = await added(owner);
    const { key } = await makeKey(owner, id);
    const token = await keys.exchange(key);
    await call(owner, 'PATCH', `${PATH}/${id}`, { status: 'disabled' });
    await keys.expectEnded(key, token);
    await call(owner, 'PATCH', `${PATH}/${id}`, { status: 'active' });
    expect(await keys.refusal(key)).toBe('no error');
  });

  it('ends with its keys, one by one or with the account', async () => {
    const owner = await identity.account();
    const id = await added(owner);
    const [first, second] = [await makeKey(owner, id), await makeKey(owner, id)];
    const tokens = [await keys.exchange(first.key), await keys.exchange(second.key)] as const;
    expect((await call(owner, 'DELETE', `${PATH}/${id}/api-keys/${first.id}`)).status).toBe(204);
    await keys.expectEnded(first.key, tokens[0]);
    expect((await keys.current(tokens[1])).status).toBe(200);
    expect((await call(owner, 'DELETE', `${PATH}/${id}`)).status).toBe(204);
    await keys.expectEnded(second.key, tokens[1]);
    expect((await call(owner, 'GET', `${PATH}/${id}`)).status).toBe(404);
    expect((await call(owner, 'GET', `${PATH}/${id}/api-keys`)).status).toBe(404);
  });

  it('outlives the administrator who made it', async () => {
    const owner = await identity.account();
    const admin = await identity.member(owner, ['admin']);
    const { key } = await makeKey(admin, await added(admin));
    await call(owner, 'PATCH', `/api/tenant/users/${admin.userId}`, { status: 'disabled' });
    expect(await keys.refusal(key)).toBe('no error');
  });

  it('has no role above that of who makes or changes it, and is never an owner', async () => {
    const owner = await identity.account();
    const admin = await identity.member(owner, ['admin']);
    for (const [account, roles, code] of [
      [admin, ['owner'], 'ROLE_NOT_GRANTABLE'],
      [owner, ['owner'], 'ROLE_NOT_GRANTABLE'],
      [owner, ['member', 'owner'], 'ROLE_NOT_GRANTABLE'],
      [owner, ['app:acme'], undefined],
      [owner, ['app'], 'ROLE_NOT_GRANTABLE'],
    ] as const) {
      const { status, body } = await add(account, { roles });
      if (code) expect([roles, body.code]).toEqual([roles, code]);
      else expect(status).toBe(422);
    }
    expect((await add(admin, { roles: ['viewer'], scopes: ['leads'] })).body.code).toBe('SCOPE_NOT_GRANTABLE');
    const id = await added(admin);
    for (const change of [{ roles: ['owner'] }, { roles: ['viewer'] }, { scopes: ['webhooks'] }]) {
      const { body } = await call(admin, 'PATCH', `${PATH}/${id}`, change);
      expect(body.code).toMatch(/_NOT_GRANTABLE$/);
    }
    expect((await call(admin, 'GET', `${PATH}/${id}`)).body.roles).toEqual(['member']);
  });

  it('is made, changed and given keys only by administrators of the workspace with a recent proof', async () => {
    const owner = await identity.account();
    const [member, stranger] = [await identity.member(owner), await identity.account()];
    const id = await added(owner);
    const { id: keyId, key } = await makeKey(owner, id);
    const calls = [
      ['PATCH', `${PATH}/${id}`, { name: 'x' }],
      ['DELETE', `${PATH}/${id}/api-keys/${keyId}`],
      ['POST', `${PATH}/${id}/api-keys`, { name: 'x' }],
      ['DELETE', `${PATH}/${id}`],
    ] as const;
    await oldProof(owner);
    for (const [method, path, body] of calls) {
      expect([method, path, (await call(owner, method, path, body)).body.code]).toEqual([
        method,
        path,
        'STEP_UP_REQUIRED',
      ]);
      expect((await call(member, method, path, body)).status).toBe(403);
      expect((await call(stranger, method, path, body)).status).toBe(404);
    }
    expect((await add(owner)).body.code).toBe('STEP_UP_REQUIRED');
    expect((await call(member, 'GET', PATH)).status).toBe(403);
    expect((await call(stranger, 'GET', `${PATH}/${id}/api-keys`)).status).toBe(404);
    expect((await call(stranger, 'GET', PATH)).body.data).toEqual([]);
    expect(await keys.refusal(key)).toBe('no error');
  });

  it('cannot be reached as a user, nor can its keys by the address of another owner', async () => {
    const owner = await identity.account();
    const id = await added(owner);
    const { id: keyId, key } = await makeKey(owner, id);
    expect((await call(owner, 'GET', `/api/tenant/users/${id}/api-keys`)).status).toBe(404);
    expect((await call(owner, 'DELETE', `/api/auth/api-keys/${keyId}`)).status).toBe(404);
    const personal = await keys.make(owner);
    expect((await call(owner, 'DELETE', `${PATH}/${id}/api-keys/${personal.id}`)).status).toBe(404);
    expect(await keys.refusal(personal.key)).toBe('no error');
    expect(await keys.refusal(key)).toBe('no error');
  });

  it('is one of a hundred at most', async () => {
    const owner = await identity.account();
    await inTenant(
      identity,
      owner,
      `INSERT INTO service_account (tenant_id, id, name, roles, scopes, created_by)
         SELECT $1, gen_random_uuid(), 'x', '{viewer}', '{leads:read}', $2 FROM generate_series(1, $3::integer)`,
      [owner.tenantId, newId(), ACCOUNTS_PER_TENANT - 1],
    );
    const statuses = (await Promise.all([add(owner), add(owner), add(owner)])).map(({ status }) => status).sort();
    expect(statuses).toEqual([201, 409, 409]);
  });
});
