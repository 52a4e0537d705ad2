import type { QueryRunner } from 'typeorm';

/** Whether the database is that of a Citus cluster: then tables of tenants lie on its nodes, all rows of a tenant on one. */
async function isDistributed(runner: QueryRunner): Promise<boolean> {
  const found = await runner.query("SELECT FROM pg_extension WHERE extname = 'citus'");
  return found.length > 0;
}

/** Colocated with the tables that are there: a statement of one tenant runs whole on the node that has its rows. */
export async function distributeByTenant(runner: QueryRunner, table: string): Promise<void> {
  if (!(await isDistributed(runner))) return;
  await runner.query(
    `SELECT create_distributed_table($1::regclass, 'tenant_id', colocate_with => coalesce(
              (SELECT min(logicalrelid::text) FROM pg_dist_partition WHERE partmethod = 'h'), 'default'))`,
    [table],
  );
}

/** On every node, whose statements read it there; a change changes all of them. */
export async function copyToEveryNode(runner: QueryRunner, table: string): Promise<void> {
  if (await isDistributed(runner)) await runner.query('SELECT create_reference_table($1::regclass)', [table]);
}

/**
 * Runs a call of the function on the node that has the rows of its first argument, the tenant, whatever its body does with
 * these. To be called when tables of tenants are there.
 * @param signature such as `f(uuid, text[])`; the function has no SECURITY DEFINER, so that the policies hold
 */
export async function runWhereTenantIs(runner: QueryRunner, signature: string): Promise<void> {
  if (!(await isDistributed(runner))) return;
  await runner.query(
    `SELECT create_distributed_function($1::regprocedure, '$1', force_delegation => true,
              colocate_with => (SELECT min(logicalrelid::text) FROM pg_dist_partition WHERE partmethod = 'h'))`,
    [signature],
  );
}
