/** A connection of the owner; `QueryRunner` is one. */
export interface Statements {
  query(sql: string, parameters?: unknown[]): Promise<Record<string, unknown>[]>;
}

/** Whether the database is that of a Citus cluster: then tables of tenants lie on its nodes, all rows of a tenant on one. */
export async function isDistributed(runner: Statements): Promise<boolean> {
  const found = await runner.query("SELECT FROM pg_extension WHERE extname = 'citus'");
  return found.length > 0;
}

/** Colocated with the tables that are there: a statement of one tenant runs whole on the node that has its rows. */
export async function distributeByTenant(runner: Statements, table: string): Promise<void> {
  if (!(await isDistributed(runner))) return;
  await runner.query(
    `SELECT create_distributed_table($1::regclass, 'tenant_id', colocate_with => coalesce(
              (SELECT min(logicalrelid::text) FROM pg_dist_partition WHERE partmethod = 'h'), 'default'))`,
    [table],
  );
}

/** On every node, whose statements read it there; a change changes all of them. */
export async function copyToEveryNode(runner: Statements, table: string): Promise<void> {
  if (await isDistributed(runner)) await runner.query('SELECT create_reference_table($1::regclass)', [table]);
}

/**
 * Each function in PL/pgSQL whose first parameter is `tenant uuid`: a call is run on the node that has the tenant's rows, where
 * its body does with these what it likes. What it sets by `set_config` holds there, and its advisory locks are that node's.
 */
export async function runFunctionsWhereTenantIs(runner: Statements): Promise<void> {
  if (!(await isDistributed(runner))) return;
  const functions = await runner.query(`
    SELECT p.oid::regprocedure::text AS signature, 'plan_cache_mode=force_generic_plan' = ANY (p.proconfig) AS "isGeneric",
           EXISTS (SELECT FROM pg_dist_object o
                    WHERE o.classid = 'pg_proc'::regclass AND o.objid = p.oid AND o.force_delegation) AS "isDelegated"
      FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
     WHERE p.pronamespace = 'public'::regnamespace AND l.lanname = 'plpgsql'
       AND p.proargnames[1] = 'tenant' AND p.proargtypes[0] = 'uuid'::regtype`);
  for (const { signature, isGeneric, isDelegated } of functions) {
    if (!isDelegated)
      await runner.query(
        `SELECT create_distributed_function($1::regprocedure, '$1', force_delegation => true,
                colocate_with => (SELECT min(logicalrelid::text) FROM pg_dist_partition WHERE partmethod = 'h'))`,
        [signature],
      );
    // A plan that knows no tenant does not know where its rows are, there neither; one that is replaced has the setting again.
    if (isGeneric) await runner.query(`ALTER FUNCTION ${signature} RESET plan_cache_mode`);
  }
}
