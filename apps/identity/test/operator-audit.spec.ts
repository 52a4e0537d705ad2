import { TokenVerifier } from '@crm/access';
import { AUDIENCES, type OperatorAuditEntry } from '@crm/contracts';
import { Database } from '@crm/database';
import { waitUntil } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { resetOperator } from '../src/operator.js';
import { PLATFORM_TENANT } from '../src/platform-tenant.js';
import { TestIdentity } from './identity.js';
import { ORIGIN, TestOperators } from './operators.js';

let identity: TestIdentity;
let operators: TestOperators;
let administrator: { id: string; token: string };

beforeAll(async () => {
  identity = await TestIdentity.start();
  operators = new TestOperators(identity);
  administrator = await signedIn();
});
afterAll(() => identity?.close());

async function signedIn(role?: 'reviewer'): Promise<{ id: string; token: string; email: string }> {
  const email = await operators.create(role);
  const { accessToken: token } = await operators.signedIn(email);
  const { userId: id } = await identity.get(TokenVerifier).verify(token, [AUDIENCES.admin]);
  return { id, token, email };
}
async function trail(query: object): Promise<OperatorAuditEntry[]> {
  const page = await operators.call('listAudit', { size: 100, ...query }, administrator.token);
  return page.data;
}
const acts = (entries: OperatorAuditEntry[]) => entries.map(({ act }) => act);

describe('the trail of operators in identity', () => {
  it('has how an operator came, signed in, failed to, and signed out', async () => {
    const { id, token, email } = await signedIn('reviewer');
    const wrong = { email, password: 'not-the-password-at-all', ...ORIGIN };
    expect(await operators.refusal('login', wrong)).toBe('INVALID_CREDENTIALS');
    // Recorded after the answer, whose time says nothing.
    await waitUntil(async () => (await trail({ act: 'operator.sign-in-failed', subjectId: id })).length === 1);
    await operators.call('endSessions', {}, token);
    const entries = await trail({ subjectKind: 'operator', subjectId: id });
    expect(acts(entries)).toEqual([
      'operator.sign-out',
      'operator.sign-in-failed',
      'operator.sign-in',
      'operator.create',
    ]);
    expect(entries[1]).toMatchObject({
      operatorId: id,
      role: 'reviewer',
      subjectName: email,
      findings: { ...ORIGIN, reason: 'wrong password' },
    });
    expect(entries[2]).toMatchObject({ operatorId: id, role: 'reviewer', findings: ORIGIN });
    expect(entries[3]).toMatchObject({ operatorId: null, role: null, after: { role: 'reviewer' } });
    expect(JSON.stringify(entries)).not.toContain('not-the-password-at-all');
  });

  it('has nothing of an address that belongs to nobody', async () => {
    const before = (await trail({ act: 'operator.sign-in-failed' })).length;
    const login = { email: 'my-password-by-mistake@platform.test', password: 'x', ...ORIGIN };
    expect(await operators.refusal('login', login)).toBe('INVALID_CREDENTIALS');
    expect(await trail({ act: 'operator.sign-in-failed' })).toHaveLength(before);
  });

  it('has what administrators do to operators, before and after', async () => {
    const { id, email } = await signedIn('reviewer');
    const call = { id, role: 'administrator' as const, name: 'Grace' };
    await operators.call('changeOperator', call, administrator.token);
    await operators.call('endSessionsOf', { id }, administrator.token);
    await operators.call('resetAuthenticator', { id }, administrator.token);
    await resetOperator(identity.get(Database), email);
    const entries = await trail({ subjectId: id });
    expect(acts(entries).slice(0, 4)).toEqual([
      'operator.reset-authenticator',
      'operator.reset-authenticator',
      'operator.end-sessions',
      'operator.change',
    ]);
    expect(entries.slice(0, 3).map(({ operatorId }) => operatorId)).toEqual([null, administrator.id, administrator.id]);
    expect(entries[3]).toMatchObject({
      operatorId: administrator.id,
      role: 'administrator',
      subjectName: email,
      before: { role: 'reviewer' },
      after: { role: 'administrator', name: 'Grace' },
    });
  });

  it('has the plans of tenants, and nothing of a plan that was refused', async () => {
    const { tenantId, accessToken: owner } = await identity.account();
    const plan = { id: tenantId, plan: 'enterprise' };
    expect(await operators.refusal('setPlan', plan, owner)).toBe('UNAUTHENTICATED');
    await operators.call('setPlan', plan, administrator.token);
    expect(await trail({ subjectKind: 'tenant', subjectId: tenantId })).toMatchObject([
      { act: 'tenant.set-plan', operatorId: administrator.id, after: { plan: 'enterprise' } },
    ]);
  });

  it('is for administrators only', async () => {
    const { token: reviewer } = await signedIn('reviewer');
    const { accessToken: owner } = await identity.account();
    expect(await operators.refusal('listAudit', { size: 1 }, reviewer)).toBe('FORBIDDEN');
    expect(await operators.refusal('listAudit', { size: 1 }, owner)).toBe('UNAUTHENTICATED');
    expect(await operators.refusal('listAudit', { size: 1 })).toBe('UNAUTHENTICATED');
  });

  it('is changed by nobody, through no role of the service', async () => {
    const database = identity.get(Database);
    for (const sql of [
      "UPDATE operator_audit SET reason = 'x'",
      'DELETE FROM operator_audit',
      'TRUNCATE operator_audit',
    ]) {
      await expect(database.transaction(PLATFORM_TENANT, (tx) => tx.query(sql))).rejects.toThrow(/permission denied/);
      await expect(database.crossTenant((tx) => tx.query(sql))).rejects.toThrow(/permission denied/);
    }
  });
});
