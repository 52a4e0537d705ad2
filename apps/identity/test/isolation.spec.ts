import { GLOBAL_TABLES } from '@crm/contracts';
import { catalogueProblems, Database, inWorkspace, newId } from '@crm/database';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { PLATFORM_TENANT } from '../src/platform-tenant.js';
import { TestIdentity } from './identity.js';
import { TestOperators } from './operators.js';

const identity = TestIdentity.ofFile();
let database: Database;
beforeAll(() => {
  database = identity.get(Database);
});
/** Runs a statement by the narrow role in the context of a tenant. */
const narrowly = (tenantId: string, sql: string, parameters?: unknown[]) =>
  inWorkspace(database, tenantId, (tx) => tx.query(sql, parameters));

describe('the tables of identity', () => {
  it('are isolated by tenant, or global and reached by the narrow role alone', async () => {
    expect(await database.crossTenant((tx) => catalogueProblems(tx, GLOBAL_TABLES.identity))).toEqual([]);
  });

  const narrow = GLOBAL_TABLES.identity.filter(({ role }) => role === 'narrow').map(({ table }) => table);
  it.each(narrow)('do not let the runtime role read %s', async (table) => {
    await expect(identity.query(newId(), `SELECT 1 FROM ${table}`)).rejects.toThrow('permission denied');
  });

  it('show the trail of operators in the context of the platform only', async () => {
    await new TestOperators(identity).create('reviewer');
    const read = 'SELECT id FROM operator_audit';
    const { tenantId } = await identity.account();
    expect(await identity.query(tenantId, read)).toEqual([]);
    expect((await identity.query(PLATFORM_TENANT, read)).length).toBeGreaterThan(0);
    await expect(identity.queryAll(read)).rejects.toThrow('permission denied');
  });

  it('show the narrow role the host users of a tenant only in the context of this tenant', async () => {
    const { tenantId, userId } = await identity.account();
    const insert = "INSERT INTO embed_user (tenant_id, app_key, sub, user_id) VALUES ($1, 'a', 's', $2)";
    await identity.query(tenantId, insert, [tenantId, userId]);
    const count = 'SELECT 1 FROM embed_user';
    expect(await narrowly(tenantId, count)).toHaveLength(1);
    expect(await narrowly(newId(), count)).toHaveLength(0);
    expect(await identity.queryAll(count)).toHaveLength(0);
  });

  it('let the narrow role add users only to the tenant in context', async () => {
    const { tenantId } = await identity.account();
    const insert = `INSERT INTO app_user (tenant_id, id, email, name, roles, status, origin)
      VALUES ($1, $2, 'x@y.test', 'X', '{owner}', 'active', 'registration')`;
    const user = [tenantId, newId()];
    await expect(narrowly(newId(), insert, user)).rejects.toThrow('row-level security');
    await expect(identity.queryAll(insert, user)).rejects.toThrow('row-level security');
  });

  it('show the narrow role users, with their passwords, and workspaces only in the context of their tenant', async () => {
    const [{ tenantId }] = [await identity.account(), await identity.account()];
    for (const table of ['app_user', 'tenant']) {
      const read = `SELECT tenant_id AS "tenantId" FROM ${table}`;
      expect(await identity.queryAll(read)).toEqual([]);
      expect(await narrowly(tenantId, read)).toEqual([{ tenantId }]);
    }
    // One password is written in every workspace of a person at once.
    const change = 'UPDATE app_user SET password_hash = NULL RETURNING tenant_id AS "tenantId"';
    expect([await identity.queryAll(change), await narrowly(newId(), change)]).toEqual([[], []]);
    expect(await narrowly(tenantId, change)).toEqual([{ tenantId }]);
    for (const refused of [
      `UPDATE app_user SET tenant_id = '${newId()}'`,
      `UPDATE tenant SET plan = 'enterprise'`,
      `UPDATE app_user SET roles = '{owner}'`,
    ]) {
      await expect(narrowly(tenantId, refused)).rejects.toThrow(/permission denied|row-level security/);
    }
  });
});
