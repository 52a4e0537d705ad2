import type { Queryable } from './transaction.js';

/** What separates tenants in a relation `c`: row-level security, grants and policies. */
const PROTECTION = `json_build_array(c.relrowsecurity, c.relforcerowsecurity,
  (SELECT array_agg(a::text ORDER BY a::text) FROM unnest(c.relacl) AS a),
  (SELECT json_agg(json_build_array(p.polname, p.polpermissive, p.polcmd,
            ARRAY(SELECT CASE WHEN r = 0 THEN 'public' ELSE pg_get_userbyid(r) END FROM unnest(p.polroles) AS r ORDER BY 1),
            pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid)) ORDER BY p.polname)
     FROM pg_policy p WHERE p.polrelid = c.oid))::text`;

const OWN_SHARDS = `
  SELECT coalesce(json_agg(json_build_object('shard', c.relname, 'table', s.logicalrelid::text, 'protection', ${PROTECTION})), '[]')
    FROM pg_dist_shard s JOIN pg_class c ON c.oid = to_regclass(shard_name(s.logicalrelid, s.shardid))`;

/**
 * Where tables are distributed: shards of every node that are not protected as their table is, or that are not found. More are
 * found than counted when a partition is made meanwhile. $1: OWN_SHARDS.
 */
const UNPROTECTED_SHARDS = `
  WITH found AS (
    SELECT shard.* FROM run_command_on_all_nodes($1) AS node
     CROSS JOIN LATERAL json_to_recordset(node.result::json) AS shard (shard text, "table" text, protection text))
  SELECT format('the shard %s is not protected as its table', found.shard) AS problem
    FROM found JOIN pg_class c ON c.oid = to_regclass(found."table") WHERE found.protection IS DISTINCT FROM ${PROTECTION}
  UNION ALL
  SELECT format('%s shards were not found', placed.count - present.count)
    FROM (SELECT count(*) FROM pg_dist_placement) AS placed, (SELECT count(*) FROM found) AS present
   WHERE placed.count > present.count`;

/** Reports every shard of a cluster, on any node, that is not protected as {@link catalogueProblems} requires of its table. */
export async function shardProblems(queryable: Queryable): Promise<string[]> {
  const isDistributed = await queryable.query("SELECT FROM pg_extension WHERE extname = 'citus'");
  if (isDistributed.length === 0) return [];
  const problems = await queryable.query<{ problem: string }>(UNPROTECTED_SHARDS, [OWN_SHARDS]);
  return problems.map(({ problem }) => problem);
}
