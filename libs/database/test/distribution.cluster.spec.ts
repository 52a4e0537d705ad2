import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { QueryRunner } from 'typeorm';
import {
  type NarrowTransaction,
  newId,
  provisionDatabase,
  type Queryable,
  ServiceMigration,
  shardProblems,
} from '../src/index.js';
import { runFunctionsWhereTenantIs } from '../src/migrations/distribution.js';
import {
  countDefaultPartition,
  dropPartition,
  makePartition,
  sweepDefaultPartition,
} from '../src/partitions/partitions.js';
import { CreateTables1700000000000, type Fixture, roles, startFixture } from './fixture.js';

const dayFromToday = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

/** The node on which it runs. */
const NODE_OF = `
  FUNCTION node_of(tenant uuid) RETURNS integer LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $body$
  BEGIN
    RETURN current_setting('port')::integer;
  END $body$`;

class CreateNodeOf1700000000001 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE ${NODE_OF}`);
  }
}

describe('a database on a cluster', () => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await startFixture({ migrations: [CreateTables1700000000000, CreateNodeOf1700000000001] });
  });
  afterAll(() => fixture.drop());

  const queryable: Queryable = { query: (sql, parameters) => fixture.admin(sql, parameters as unknown[]) as never };
  const workers = () => fixture.admin<{ port: number }>('SELECT nodeport AS port FROM pg_dist_node WHERE groupid > 0');
  const onNode = async (port: number, work: (node: pg.Client) => Promise<void>) => {
    const url = Object.assign(new URL(fixture.adminUrl), { port: String(port) });
    const node = new pg.Client({
      connectionString: url.toString(),
      options: '-c citus.enable_manual_changes_to_shards=on',
    });
    await node.connect();
    await work(node).finally(() => node.end());
  };

  it('has every table of tenants on the workers, and the position of the relay on the coordinator alone', async () => {
    const tables = await fixture.admin<{ name: string; rows: string }>(
      `SELECT c.relname AS name, p.partmethod::text AS rows FROM pg_class c LEFT JOIN pg_dist_partition p ON p.logicalrelid = c.oid
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
          AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e') ORDER BY 1`,
    );
    expect(Object.fromEntries(tables.map(({ name, rows }) => [name, rows]))).toEqual({
      dead_letter: 'h',
      inbox: 'h',
      migrations: null,
      note: 'h',
      outbox: 'h',
      outbox_position: null,
    });
  });

  it('runs a function of a tenant on the node that has its rows, in a transaction and by itself', async () => {
    const nodes = new Set<number>();
    for (let tried = 0; tried < 16; tried += 1) {
      const tenant = newId();
      const [node] = await fixture.admin<{ port: number }>(
        `SELECT nodeport AS port FROM pg_dist_shard_placement
          WHERE shardid = get_shard_id_for_distribution_column('note', $1::uuid)`,
        [tenant],
      );
      const call = 'SELECT node_of($1) AS port';
      expect(await fixture.database.transaction(tenant, (tx) => tx.queryPrepared(call, [tenant]))).toEqual([node]);
      expect(await fixture.database.crossTenantStatement(call, [tenant])).toEqual([node]);
      nodes.add(node?.port as number);
    }
    expect(nodes.size).toBe((await workers()).length);
  });

  it('tells the nodes the tenant, so that they show and take its rows alone', async () => {
    const [mine, other] = [newId(), newId()];
    const insert = 'INSERT INTO note (tenant_id, id, text) VALUES ($1, $2, $3)';
    for (const tenant of [mine, other]) {
      await fixture.database.transaction(tenant, (tx) => tx.query(insert, [tenant, newId(), 'own']));
    }
    await fixture.database.transaction(mine, async (tx) => {
      expect(await tx.query('SELECT tenant_id AS tenant FROM note')).toEqual([{ tenant: mine }]);
    });
    const foreign = fixture.database.transaction(mine, (tx) => tx.query(insert, [other, newId(), 'foreign']));
    await expect(foreign).rejects.toThrow('row-level security');
  });

  it.each([
    [
      'does not force row-level security',
      'ALTER TABLE % NO FORCE ROW LEVEL SECURITY',
      'ALTER TABLE % FORCE ROW LEVEL SECURITY',
    ],
    [
      'is granted to another role',
      `GRANT SELECT ON % TO ${roles.narrowRole}`,
      `REVOKE SELECT ON % FROM ${roles.narrowRole}`,
    ],
    ['has another policy', 'CREATE POLICY open ON % USING (true)', 'DROP POLICY open ON %'],
  ])('is found not isolated when a shard %s', async (_what, spoil, repair) => {
    const [shard] = await fixture.admin<{ name: string; port: number }>(
      `SELECT shard_name('note'::regclass, shardid) AS name, nodeport AS port FROM pg_dist_shard_placement
        JOIN pg_dist_shard USING (shardid) WHERE logicalrelid = 'note'::regclass LIMIT 1`,
    );
    const { name, port } = shard as { name: string; port: number };
    const change = (sql: string) => onNode(port, async (node) => void (await node.query(sql.replace('%', name))));
    expect(await shardProblems(queryable)).toEqual([]);
    await change(spoil);
    expect(await shardProblems(queryable)).toEqual([`the shard ${name} is not protected as its table`]);
    await change(repair);
  });

  it('makes, counts, sweeps and drops partitions on every node, protected as the others are', async () => {
    const step = <T>(work: (tx: NarrowTransaction) => Promise<T>) => fixture.database.crossTenant(work);
    const [ahead, back] = [dayFromToday(20), dayFromToday(-20)];
    for (const day of [ahead, back]) expect(await step((tx) => makePartition(tx, 'outbox', day))).toBe('made');
    expect(await shardProblems(queryable)).toEqual([]);
    expect(await step((tx) => dropPartition(tx, 'outbox', back))).toBe('dropped');
    for (let event = 0; event < 6; event += 1) {
      await fixture.admin(
        `INSERT INTO outbox (tenant_id, id, name, subject, envelope, created_at)
         VALUES ($1, gen_random_uuid(), 'n', 's', '{}', now() - make_interval(days => $2))`,
        [newId(), event],
      );
    }
    expect(await step((tx) => countDefaultPartition(tx, 'outbox', 100))).toBe(6);
    expect(await step((tx) => sweepDefaultPartition(tx, 'outbox', 2, 3))).toBe(3);
    expect(await step((tx) => countDefaultPartition(tx, 'outbox', 100))).toBe(3);
  });

  it('forces no plan that knows no tenant, also of a function that a migration has replaced', async () => {
    await fixture.admin(`CREATE OR REPLACE ${NODE_OF}`);
    await runFunctionsWhereTenantIs({ query: (sql, parameters) => fixture.admin(sql, parameters) });
    const settings = "SELECT proconfig FROM pg_proc WHERE proname = 'node_of'";
    expect(await fixture.admin(settings)).toEqual([{ proconfig: null }]);
    for (const { port } of await workers()) {
      await onNode(port, async (node) => expect((await node.query(settings)).rows).toEqual([{ proconfig: null }]));
    }
  });

  it('can be provisioned again', async () => {
    const { pathname } = new URL(fixture.adminUrl);
    const passwords = { owner: 'owner', runtime: 'runtime', narrow: 'narrow' };
    const adminUrl = process.env.CITUS_URL as string;
    const again = await provisionDatabase({ adminUrl, definition: roles, database: pathname.slice(1), passwords });
    expect(again.created).toBe(false);
    for (const { port } of await workers()) {
      await onNode(port, async (node) => expect((await node.query('SELECT FROM note')).rowCount).toBeGreaterThan(0));
    }
  });
});
