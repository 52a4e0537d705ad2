import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Account, type TestIdentity } from './identity.js';
import { PersonalData } from './personal-data.js';

let data: PersonalData;
let identity: TestIdentity;
beforeAll(async () => {
  data = await PersonalData.start();
  ({ identity } = data);
});
afterAll(() => data?.close());

describe('the export of personal data', () => {
  const exported = (by: Account, userId?: string) =>
    data.send('POST', userId === undefined ? '/api/auth/me/export' : `/api/admin/users/${userId}/export`, by);

  it('has everything of the user, no secret, and not from where others acted', async () => {
    const owner = await identity.account();
    const member = await identity.member(owner);
    const mint = await data.host(owner);
    await mint('host-sub-1', member.email);
    await data.send('PATCH', `/api/tenant/users/${member.userId}`, owner, { name: 'Grace' });
    const { status, headers, body } = await exported(member);
    expect(status).toBe(200);
    expect(headers.get('content-disposition')).toBe('attachment; filename="personal-data.json"');
    const archive = body as unknown as Record<string, never>;
    expect(archive).toMatchObject({
      format: 'crm-personal-data/1',
      workspace: { id: owner.tenantId },
      account: { id: member.userId, email: member.email, name: 'Grace', roles: ['member'], hasPassword: true },
      secondFactor: { enabled: false, authenticatorSince: null, recoveryCodesLeft: 0 },
      sessions: [{ current: true, address: '127.0.0.1' }],
      embedLinks: [{ sub: 'host-sub-1', undoneAt: null }],
    });
    const trail = (archive.auditTrail as unknown as { action: string; address: string | null }[]).map(
      ({ action, address }) => [action, address],
    );
    expect(trail).toEqual([
      ['user.added', null],
      ['sign_in.succeeded', '127.0.0.1'],
      ['embed_link.made', null],
      ['user.renamed', null],
      ['user.data_exported', '127.0.0.1'],
    ]);
    expect(JSON.stringify(body)).not.toMatch(/argon2|hash|sealed|owner@/i);
  });

  it('has the passkeys, keys, providers and apps of the user, and no secret of them', async () => {
    const owner = await identity.account();
    const member = await identity.member(owner);
    await data.inhabit(owner, member);
    const archive = (await exported(owner, member.userId)).body as unknown as Record<string, unknown>;
    const empty = Object.entries(archive).filter(([, value]) => Array.isArray(value) && value.length === 0);
    expect(empty).toEqual([]);
    expect(archive).toMatchObject({
      secondFactor: { passkeys: [{ synced: false }] },
      providerLinks: [{ issuer: 'https://idp.example', sub: 'sub-of-the-erased' }],
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

  it('is given to the user and to administrators of no less rank, with a recent proof', async () => {
    const owner = await identity.account();
    const admin = await identity.member(owner, ['admin']);
    const member = await identity.member(owner);
    const stranger = await identity.account();
    expect((await exported(admin, member.userId)).status).toBe(200);
    expect((await exported(member, admin.userId)).status).toBe(403);
    expect((await exported(admin, owner.userId)).body.code).toBe('ROLE_NOT_GRANTABLE');
    expect((await exported(stranger, member.userId)).status).toBe(404);
    await data.forgetProof(owner);
    expect((await exported(member)).body.code).toBe('STEP_UP_REQUIRED');
    expect((await exported(admin, member.userId)).body.code).toBe('STEP_UP_REQUIRED');
  });
});
