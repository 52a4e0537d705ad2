import { GLOBAL_TABLES } from '@crm/contracts';
import { catalogueProblems, Database, inWorkspace, newId } from '@crm/database';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOperator } from '../src/operator.js';
import { PLATFORM_TENANT } from '../src/platform-tenant.js';
import { PASSWORD, TestIdentity } from './identity.js';

let identity: TestIdentity;
let database: Database;
beforeAll(async () => {
  identity = await TestIdentity.start();
  database = identity.get(Database);
});
afterAll(() => identity?.close());

describe('the tables of identity', () => {
  it('are isolated by tenant, or global and reached by the narrow role alone', async () => {
    expect(await database.crossTenant((tx) => catalogueProblems(tx, GLOBAL_TABLES.identity))).toEqual([]);
  });

  const narrow = GLOBAL_TABLES.identity.filter(({ role }) => role === 'narrow').map(({ table }) => table);
  it.each(narrow)('do not let the runtime role read %s', async (table) => {
    const read = database.transaction(newId(), (tx) => tx.query(`SELECT 1 FROM ${table}`));
    await expect(read).rejects.toThrow('permission denied');
  });

  it('show the trail of operators in the context of the platform only', async () => {
    await createOperator(database, {
      email: `${newId()}@platform.test`,
      name: 'A',
      password: PASSWORD,
      role: 'reviewer',
    });
    const read = 'SELECT id FROM operator_audit';
    const { tenantId } = await identity.account();
    expect(await database.transaction(tenantId, (tx) => tx.query(read))).toEqual([]);
    expect((await database.transaction(PLATFORM_TENANT, (tx) => tx.query(read))).length).toBeGreaterThan(0);
    await expect(database.crossTenant((tx) => tx.query(read))).rejects.toThrow('permission denied');
  });

  it('show the narrow role the host users of a tenant only in the context of this tenant', async () => {
    const { tenantId, userId } = await identity.account();
    await database.transaction(tenantId, (tx) =>
      tx.query(`INSERT INTO embed_user (tenant_id, app_key, sub, user_id) VALUES ($1, 'a', 's', $2)`, [
        tenantId,
        userId,
      ]),
    );
    const count = 'SELECT 1 FROM embed_user';
    expect(await inWorkspace(database, tenantId, (tx) => tx.query(count))).toHaveLength(1);
    expect(await inWorkspace(database, newId(), (tx) => tx.query(count))).toHaveLength(0);
    expect(await database.crossTenant((tx) => tx.query(count))).toHaveLength(0);
  });

  it('let the narrow role add users only to the tenant in context', async () => {
    const { tenantId } = await identity.account();
    const insert = `INSERT INTO app_user (tenant_id, id, email, name, roles, status, origin)
      VALUES ($1, $2, 'x@y.test', 'X', '{owner}', 'active', 'registration')`;
    const elsewhere = inWorkspace(database, newId(), (tx) => tx.query(insert, [tenantId, newId()]));
    await expect(elsewhere).rejects.toThrow('row-level security');
    await expect(database.crossTenant((tx) => tx.query(insert, [tenantId, newId()]))).rejects.toThrow(
      'row-level security',
    );
  });

  it('show the narrow role users, without their passwords, and workspaces only in the context of their tenant', async () => {
    const [{ tenantId }] = [await identity.account(), await identity.account()];
    for (const table of ['app_user', 'tenant']) {
      const read = `SELECT tenant_id AS "tenantId" FROM ${table}`;
      expect(await database.crossTenant((tx) => tx.query(read))).toEqual([]);
      expect(await inWorkspace(database, tenantId, (tx) => tx.query(read))).toEqual([{ tenantId }]);
    }
    const secrets = inWorkspace(database, tenantId, (tx) => tx.query('SELECT password_hash FROM app_user'));
    await expect(secrets).rejects.toThrow('permission denied');
    for (const change of [
      `UPDATE app_user SET tenant_id = '${newId()}'`,
      `UPDATE tenant SET plan = 'enterprise'`,
      `UPDATE app_user SET roles = '{owner}'`,
    ]) {
      const changing = inWorkspace(database, tenantId, (tx) => tx.query(change));
      await expect(changing).rejects.toThrow(/permission denied|row-level security/);
    }
  });
});
