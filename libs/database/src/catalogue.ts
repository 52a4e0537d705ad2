import type { GlobalTable } from '@crm/contracts';
import { PARTITION_FUNCTIONS } from './migrations/partition-functions.js';
import { TENANT_POLICY } from './migrations/tables.js';
import type { Queryable } from './transaction.js';

/** TENANT_CONDITION as Postgres prints it. */
const PRINTED_CONDITION = "(tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)";

interface Policy {
  name: string;
  permissive: boolean;
  command: string;
  roles: string[];
  using: string | null;
  check: string | null;
}

interface Table {
  name: string;
  kind: string;
  partitionOf: string | null;
  isDefault: boolean;
  enabled: boolean;
  forced: boolean;
  tenantColumn: string | null;
  policies: Policy[];
  keys: { name: string; primary: boolean; first: string | null }[];
  grantees: string[];
}

interface OwnerFunction {
  name: string;
  settings: string;
  body: string;
  public: boolean;
  grantees: string[];
}

const TABLES = `
  SELECT c.relname AS name, c.relkind AS kind, c.relrowsecurity AS enabled, c.relforcerowsecurity AS forced,
    (SELECT h.inhparent::regclass::text FROM pg_inherits h WHERE h.inhrelid = c.oid) AS "partitionOf",
    EXISTS (SELECT 1 FROM pg_partitioned_table t WHERE t.partdefid = c.oid) AS "isDefault",
    (SELECT format_type(a.atttypid, a.atttypmod) || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END
       FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'tenant_id' AND NOT a.attisdropped) AS "tenantColumn",
    (SELECT coalesce(json_agg(json_build_object(
         'name', p.polname, 'permissive', p.polpermissive, 'command', p.polcmd,
         'roles', (SELECT json_agg(CASE WHEN r = 0 THEN 'public' ELSE pg_get_userbyid(r) END) FROM unnest(p.polroles) r),
         'using', pg_get_expr(p.polqual, p.polrelid), 'check', pg_get_expr(p.polwithcheck, p.polrelid))), '[]')
       FROM pg_policy p WHERE p.polrelid = c.oid) AS policies,
    (SELECT coalesce(json_agg(json_build_object('name', k.relname, 'primary', i.indisprimary, 'first',
         (SELECT a.attname FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum = i.indkey[0] AND a.attnum > 0))), '[]')
       FROM pg_index i JOIN pg_class k ON k.oid = i.indexrelid
      WHERE i.indrelid = c.oid AND (i.indisunique OR i.indisexclusion)) AS keys,
    (SELECT coalesce(json_agg(DISTINCT CASE WHEN g.grantee = 0 THEN 'public' ELSE pg_get_userbyid(g.grantee) END), '[]')
       FROM aclexplode(c.relacl) g WHERE g.grantee <> c.relowner) AS grantees
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p', 'm', 'f') AND n.nspname NOT IN ('pg_catalog', 'information_schema')
    AND n.nspname NOT LIKE 'pg_toast%' AND n.nspname NOT LIKE 'pg_temp%'
    AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
  ORDER BY c.relname`;

/** These run with the owner's rights: safe only with the tenant from the session, a fixed search path and named callers. */
const OWNER_FUNCTIONS = `
  SELECT p.proname AS name, coalesce(array_to_string(p.proconfig, ' '), '') AS settings, p.prosrc AS body,
    p.proacl IS NULL OR EXISTS (SELECT 1 FROM aclexplode(p.proacl) g WHERE g.grantee = 0) AS public,
    (SELECT coalesce(json_agg(pg_get_userbyid(g.grantee)), '[]')
       FROM aclexplode(p.proacl) g WHERE g.grantee NOT IN (0, p.proowner)) AS grantees
  FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
  WHERE p.prosecdef AND n.nspname NOT IN ('pg_catalog', 'information_schema')
  ORDER BY p.proname`;

/** Login roles of this database to which no policy applies, except the superusers who administer the server. */
const STRONG_ROLES = `
  SELECT rolname AS name FROM pg_roles
   WHERE (rolbypassrls OR rolsuper) AND rolname = ANY ($1::text[])`;

/**
 * Reports every table that is not isolated, a sentence each: tenant_id first in all keys, row-level security enabled
 * and forced, only the tenant policy for all roles; others are for roles named `…_narrow` or for reading by the owner.
 */
export async function catalogueProblems(queryable: Queryable, globalTables: readonly GlobalTable[]): Promise<string[]> {
  const tables = await queryable.query<Table>(TABLES);
  const globals = new Map(globalTables.map((global) => [global.table, global]));
  const problems = tables.flatMap((table) => {
    if (table.name === 'migrations') return migrationTableProblems(table);
    if (table.kind === 'm' || table.kind === 'f')
      return [`${table.name} is of a kind that cannot have row-level security`];
    if (table.partitionOf) return partitionProblems(table);
    const global = globals.get(table.name);
    return global ? globalTableProblems(table, global) : tenantTableProblems(table);
  });
  const missing = globalTables.filter((global) => !tables.some((table) => table.name === global.table));
  const functions = await queryable.query<OwnerFunction>(OWNER_FUNCTIONS);
  const grantees = [...new Set(tables.flatMap((table) => table.grantees))];
  const strong = await queryable.query<{ name: string }>(STRONG_ROLES, [grantees]);
  return [
    ...problems,
    ...functions.flatMap(ownerFunctionProblems),
    ...missing.map((global) => `${global.table} is listed as global but does not exist`),
    ...strong.map((role) => `the role ${role.name} can access tables and bypasses row-level security`),
  ];
}

/** Only sorts what waits into an index, which the owner of the index alone may: it returns and changes no row. */
const SORTS_IN = /^\s*BEGIN\s+(PERFORM gin_clean_pending_list\([^;]*;)?\s*END\s*$/;

function ownerFunctionProblems({ name, settings, body, public: isPublic, grantees }: OwnerFunction): string[] {
  const problems: string[] = [];
  if (!/\bsearch_path=pg_catalog, pg_temp\b/.test(settings))
    problems.push(`the function ${name} has no fixed search_path`);
  if (isPublic) problems.push(`the function ${name} can be called by PUBLIC`);
  if (PARTITION_FUNCTIONS.get(name) === body) {
    for (const grantee of grantees) {
      if (!grantee.endsWith('_narrow')) problems.push(`the function ${name} can be called by ${grantee}`);
    }
  } else if (!body.includes("current_setting('app.tenant_id', true)") && !SORTS_IN.test(body)) {
    problems.push(`the function ${name} does not take the tenant from the session`);
  }
  return problems;
}

function migrationTableProblems(table: Table): string[] {
  return table.grantees.length === 0 ? [] : ['migrations is granted to a role other than its owner'];
}

function securityProblems(table: Table): string[] {
  const problems: string[] = [];
  if (!table.enabled) problems.push(`${table.name} has no row-level security`);
  if (!table.forced) problems.push(`${table.name} does not force row-level security on its owner`);
  if (table.grantees.includes('public')) problems.push(`${table.name} is granted to PUBLIC`);
  return problems;
}

/** Its tenant column and keys are those of its parent, which Postgres sees to. */
function partitionProblems(table: Table): string[] {
  const problems = securityProblems(table);
  for (const grantee of table.grantees) problems.push(`the partition ${table.name} is granted to ${grantee}`);
  for (const policy of table.policies) {
    const isSweep = table.isDefault && ['r', 'd'].includes(policy.command);
    if (!isSweep || policy.roles.some((role) => !role.endsWith('_owner'))) {
      problems.push(`the partition ${table.name} has a policy ${policy.name}`);
    }
  }
  return problems;
}

function globalTableProblems(table: Table, global: GlobalTable): string[] {
  const problems = securityProblems(table);
  const suffix = `_${global.role}`;
  if (table.policies.length === 0) problems.push(`${table.name} has no policy for its ${global.role} role`);
  for (const policy of table.policies) {
    if (policy.roles.some((role) => !role.endsWith(suffix))) {
      problems.push(`${table.name}: the policy ${policy.name} is not restricted to the ${global.role} role`);
    }
  }
  for (const grantee of table.grantees) {
    if (!grantee.endsWith(suffix)) problems.push(`${table.name} is granted to ${grantee}`);
  }
  return problems;
}

function tenantTableProblems(table: Table): string[] {
  const problems = securityProblems(table);
  if (table.tenantColumn !== 'uuid NOT NULL') problems.push(`${table.name} has no column tenant_id uuid NOT NULL`);
  if (!table.keys.some((key) => key.primary)) problems.push(`${table.name} has no primary key`);
  for (const key of table.keys) {
    if (key.first !== 'tenant_id') problems.push(`${table.name}: the key ${key.name} does not start with tenant_id`);
  }
  const policy = table.policies.find((candidate) => candidate.name === TENANT_POLICY);
  const isRight =
    policy?.permissive &&
    policy.command === '*' &&
    policy.roles.includes('public') &&
    policy.using === PRINTED_CONDITION &&
    policy.check === PRINTED_CONDITION;
  if (!isRight) problems.push(`${table.name} has no policy ${TENANT_POLICY} with the tenant's condition`);
  for (const other of table.policies) {
    const isForOwner = other.command === 'r' && other.roles.every((role) => role.endsWith('_owner'));
    if (other !== policy && other.permissive && !isForOwner && other.roles.some((role) => !role.endsWith('_narrow'))) {
      problems.push(`${table.name}: the policy ${other.name} opens it to a role that is not narrow`);
    }
  }
  return problems;
}
