import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { QueryRunner } from 'typeorm';
import { createTenantTable, newId, type ReadOfEveryTenant, ServiceMigration } from '../src/index.js';
import { CreateTables1700000000000, type Fixture, roles, startFixture } from './fixture.js';

class CreateChores1700000000001 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await createTenantTable(runner, roles, {
      name: 'chore',
      columns: 'id uuid NOT NULL, due_at timestamptz NOT NULL',
      narrow: ['select', 'delete'],
    });
    await createTenantTable(runner, roles, {
      name: 'worker',
      columns: 'id uuid NOT NULL, name text NOT NULL',
      narrow: ['select'],
    });
    await runner.query(`
      CREATE FUNCTION take_chores(tenant uuid, ids uuid[]) RETURNS TABLE (id uuid) LANGUAGE plpgsql AS $body$
      BEGIN
        RETURN QUERY DELETE FROM chore c WHERE c.tenant_id = tenant AND c.id = ANY (ids) RETURNING c.id;
      END $body$`);
  }
}

/** $1: how many of each part. */
const LIST_DUE: ReadOfEveryTenant = (table) => `
  SELECT chore.tenant_id AS "tenantId", chore.id, worker.name
    FROM ${table('chore')} AS chore JOIN ${table('worker')} AS worker ON worker.tenant_id = chore.tenant_id AND worker.id = chore.id
   WHERE due_at <= now() ORDER BY due_at LIMIT $1`;
const TAKE_CHORES = 'SELECT id FROM take_chores($1, $2)';

describe('the work of every tenant of a cluster', () => {
  let fixture: Fixture;
  /** A tenant on each node, and the port of that. */
  const tenants = new Map<number, string>();
  const due = async () => {
    const rows = await fixture.database.everyTenant.read<{ tenantId: string; id: string; name: string }>(
      LIST_DUE,
      [10],
    );
    return rows.sort((one, other) => one.name.localeCompare(other.name));
  };
  const take = (found: readonly { tenantId: string; id: string }[]) =>
    fixture.database.everyTenant.call<{ id: string }>(
      TAKE_CHORES,
      found.map(({ tenantId, id }) => [tenantId, [id]]),
    );
  const add = async (tenantId: string, name: string) => {
    const id = newId();
    await fixture.database.transaction(tenantId, async (tx) => {
      await tx.query('INSERT INTO worker (tenant_id, id, name) VALUES ($1, $2, $3)', [tenantId, id, name]);
      await tx.query('INSERT INTO chore (tenant_id, id, due_at) VALUES ($1, $2, now())', [tenantId, id]);
    });
    return { tenantId, id, name };
  };
  /** A node that is away: nobody reaches the database there. */
  const setReachable = async (port: number, isReachable: boolean) => {
    const url = Object.assign(new URL(fixture.adminUrl), { port: String(port), pathname: '/postgres' });
    const name = new URL(fixture.adminUrl).pathname.slice(1);
    const node = new pg.Client({ connectionString: url.toString() });
    await node.connect();
    await node.query(`ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS ${isReachable}`);
    if (!isReachable) {
      await node.query('SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1', [name]);
    }
    await node.end();
  };

  beforeAll(async () => {
    fixture = await startFixture({ migrations: [CreateTables1700000000000, CreateChores1700000000001] });
    const ports = await fixture.admin('SELECT FROM pg_dist_node WHERE shouldhaveshards');
    while (tenants.size < ports.length) {
      const tenant = newId();
      const [node] = await fixture.admin<{ port: number }>(
        `SELECT nodeport AS port FROM pg_dist_shard_placement
          WHERE shardid = get_shard_id_for_distribution_column('chore', $1::uuid)`,
        [tenant],
      );
      tenants.set(node?.port as number, tenant);
    }
  });
  afterAll(() => fixture.drop());

  it('is found on every node, and done where it lies', async () => {
    const added = await Promise.all([...tenants.values()].map((tenant, index) => add(tenant, `worker ${index}`)));
    const found = await due();
    expect(found).toEqual(added);
    const taken = await take(found);
    expect(taken.map(({ id }) => id)).toEqual(added.map(({ id }) => id));
    expect(await due()).toEqual([]);
  });

  it('goes on while a node is away, whose work is found when it is back', async () => {
    const [[lostPort, lost], [, other]] = [...tenants] as [[number, string], [number, string]];
    const added = [await add(lost, 'lost'), await add(other, 'other')] as const;
    const before = (await due()).filter(({ id }) => added.some((one) => one.id === id));
    await setReachable(lostPort, false);
    try {
      expect((await due()).map(({ tenantId }) => tenantId)).toEqual([other]);
      expect(await take(before)).toEqual([{ id: added[1].id }]);
      await expect(take(before.filter(({ tenantId }) => tenantId === lost))).rejects.toThrow();
    } finally {
      await setReachable(lostPort, true);
    }
    let found: { id: string }[] = [];
    while (found.length === 0) found = (await due()).filter(({ id }) => id === added[0].id);
    expect(await take(found as never)).toEqual([{ id: added[0].id }]);
  });
});
