import { Database, newId } from '@crm/database';
import { describe, expect, it } from '@jest/globals';
import { ACCOUNTS_PER_TENANT } from '../src/api-keys/service-account.service.js';
import { AuditTrail } from '../src/audit/audit-trail.service.js';
import { auditOf } from './audit.js';
import { principalOf } from './checks.js';
import { type Account, TestIdentity } from './identity.js';
import { made, TestKeys } from './keys.js';

const PATH = '/api/tenant/service-accounts';

const identity = TestIdentity.ofFile();
const keys = TestKeys.ofFile(identity);

const call = ({ accessToken }: Account, method: string, path: string, body?: unknown) =>
  identity.request(method, path, { token: accessToken, body });
const add = (admin: Account, changes: Record<string, unknown> = {}) =>
  call(admin, 'POST', PATH, { name: 'ERP', roles: ['member'], scopes: ['leads', 'contacts:read'], ...changes });
const added = async (admin: Account, changes?: Record<string, unknown>) => {
  const { status, body } = await add(admin, changes);
  if (status !== 201) throw new Error(`Adding an account: ${JSON.stringify(body)}`);
  return body.id;
};
const makeKey = async (admin: Account, id: string) =>
  made(await call(admin, 'POST', `${PATH}/${id}/api-keys`, { name: 'Nightly' }));
/** A service account of a new workspace, with a key and a token that this was exchanged for. */
const withKey = async (changes?: Record<string, unknown>) => {
  const owner = await identity.account();
  const id = await added(owner, changes);
  const { key, id: keyId } = await makeKey(owner, id);
  return { owner, id, path: `${PATH}/${id}`, keyId, key, token: await keys.exchange(key) };
};

describe('a service account', () => {
  it('calls with keys that have its roles and scopes', async () => {
    const { owner, id, path, keyId, key, token } = await withKey({ name: ' ERP ' });
    expect(await keys.claims(key)).toMatchObject({
      sub: id,
      tid: owner.tenantId,
      sid: keyId,
      api_key: true,
      roles: ['member'],
      scopes: ['leads', 'contacts:read'],
    });
    const { body } = await keys.current(token);
    expect(body).toMatchObject({
      scopes: ['leads', 'contacts:read'],
      owner: { kind: 'service', id, name: 'ERP', roles: ['member'] },
    });
    const listed = (await call(owner, 'GET', `${path}/api-keys`)).body.data;
    expect(listed).toMatchObject([{ id: keyId, name: 'Nightly' }]);
    expect((await call(owner, 'GET', PATH)).body.data).toMatchObject([{ id, name: 'ERP', createdBy: owner.userId }]);
  });

  it('is who acted in the audit trail, which a user is whose key it is', async () => {
    const { owner, id, token } = await withKey();
    for (const presented of [token, await keys.exchange((await keys.make(owner)).key)]) {
      const principal = await principalOf(identity, presented);
      const trail = identity.get(AuditTrail);
      // What any route does that records an act.
      await identity.get(Database).transaction(principal, async (tx) => trail.record(tx, { action: 'user.renamed' }));
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
    const { owner, path, key, token } = await withKey({ roles: ['admin'], scopes: ['webhooks', 'leads'] });
    const rights = { roles: ['viewer'], scopes: ['leads:read'] };
    expect(await call(owner, 'PATCH', path, rights)).toMatchObject({ status: 200, body: rights });
    await keys.isCutOff(token);
    expect(await keys.claims(key)).toMatchObject(rights);
  });

  it('is refused while it is disabled', async () => {
    const { owner, path, key, token } = await withKey();
    await call(owner, 'PATCH', path, { status: 'disabled' });
    await keys.expectEnded(key, token);
    await call(owner, 'PATCH', path, { status: 'active' });
    expect(await keys.refusal(key)).toBe('no error');
  });

  it('ends with its keys, one by one or with the account', async () => {
    const { owner, id, path, keyId, key, token } = await withKey();
    const second = await makeKey(owner, id);
    const ofSecond = await keys.exchange(second.key);
    expect((await call(owner, 'DELETE', `${path}/api-keys/${keyId}`)).status).toBe(204);
    await keys.expectEnded(key, token);
    expect((await keys.current(ofSecond)).status).toBe(200);
    expect((await call(owner, 'DELETE', path)).status).toBe(204);
    await keys.expectEnded(second.key, ofSecond);
    for (const gone of [path, `${path}/api-keys`]) expect((await call(owner, 'GET', gone)).status).toBe(404);
  });

  it('outlives the administrator who made it', async () => {
    const { owner, admin } = await identity.team('admin');
    const { key } = await makeKey(admin, await added(admin));
    await identity.changeUser(owner, admin.userId, { status: 'disabled' });
    expect(await keys.refusal(key)).toBe('no error');
  });

  it('has no role above that of who makes or changes it, and is never an owner', async () => {
    const { owner, admin } = await identity.team('admin');
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

  it('is made, changed and given keys only with a recent proof', async () => {
    const { owner, path, keyId, key } = await withKey();
    await identity.forgetProofs(owner.tenantId);
    for (const [method, at, body] of [
      ['PATCH', path, { name: 'x' }],
      ['DELETE', `${path}/api-keys/${keyId}`],
      ['POST', `${path}/api-keys`, { name: 'x' }],
      ['DELETE', path],
    ] as const) {
      const { body: refused } = await call(owner, method, at, body);
      expect([method, at, refused.code]).toEqual([method, at, 'STEP_UP_REQUIRED']);
    }
    expect((await add(owner)).body.code).toBe('STEP_UP_REQUIRED');
    expect((await call(await identity.account(), 'GET', PATH)).body.data).toEqual([]);
    expect(await keys.refusal(key)).toBe('no error');
  });

  it('cannot be reached as a user, nor can its keys by the address of another owner', async () => {
    const { owner, id, path, keyId, key } = await withKey();
    expect((await call(owner, 'GET', `/api/tenant/users/${id}/api-keys`)).status).toBe(404);
    expect((await call(owner, 'DELETE', `/api/auth/api-keys/${keyId}`)).status).toBe(404);
    const personal = await keys.make(owner);
    expect((await call(owner, 'DELETE', `${path}/api-keys/${personal.id}`)).status).toBe(404);
    for (const kept of [personal.key, key]) expect(await keys.refusal(kept)).toBe('no error');
  });

  it('is one of a hundred at most', async () => {
    const owner = await identity.account();
    await identity.query(
      owner.tenantId,
      `INSERT INTO service_account (tenant_id, id, name, roles, scopes, created_by)
         SELECT $1, gen_random_uuid(), 'x', '{viewer}', '{leads:read}', $2 FROM generate_series(1, $3::integer)`,
      [owner.tenantId, newId(), ACCOUNTS_PER_TENANT - 1],
    );
    const statuses = (await Promise.all([add(owner), add(owner), add(owner)])).map(({ status }) => status).sort();
    expect(statuses).toEqual([201, 409, 409]);
  });
});
