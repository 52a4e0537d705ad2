import type { ServiceDatabase } from '@crm/contracts';
import type { QueryRunner } from 'typeorm';
import { copyToEveryNode, distributeByTenant } from './distribution.js';
import {
  assertCanBePartitioned,
  assertReferencesNoPartitions,
  type DayPartitions,
  derivedName,
  identifier,
  partitionByDay,
} from './partition-functions.js';

export type Command = 'select' | 'insert' | 'update' | 'delete';

/** The tenant in context, or null when there is none (a setting that was set once remains as an empty text). */
export const TENANT_CONDITION = "tenant_id = NULLIF(current_setting('app.tenant_id', true), '')::uuid";

export const TENANT_POLICY = 'tenant_isolation';

const EVERYTHING: readonly Command[] = ['select', 'insert', 'update', 'delete'];

export interface IndexDefinition {
  columns: string;
  where?: string;
  /** Access method; default btree. Only btree indexes start with `tenant_id`. */
  using?: string;
  /** False for an index with which the narrow role finds rows of every tenant, such as due ones. */
  tenantFirst?: boolean;
}

export interface ReferenceDefinition {
  columns: string[];
  table: string;
  /** Columns of that table, without tenant_id; default `id`. */
  on?: string[];
  onDelete?: 'cascade' | 'restrict';
}

export interface TenantTable extends DayPartitions {
  name: string;
  /** SQL of the columns, separated by commas, without tenant_id and without keys. */
  columns: string;
  /** Without tenant_id, which is put first; default `['id']`. */
  primaryKey?: string[];
  /** Unique keys without tenant_id, which is put first. */
  unique?: string[][];
  indexes?: (string | IndexDefinition)[];
  references?: ReferenceDefinition[];
  /** What the narrow role may do with the rows of every tenant; default nothing. */
  narrow?: Command[];
  /** What the runtime role may do with its tenant's rows; default everything. */
  grants?: Command[];
  /** SQL of storage parameters, such as `toast_tuple_target = 8160`. */
  storage?: string;
}

/** Creates a table with tenant_id first in every key, and forces row-level security: only the rows of the tenant in context. */
export async function createTenantTable(
  runner: QueryRunner,
  roles: ServiceDatabase,
  table: TenantTable,
): Promise<void> {
  const name = identifier(table.name);
  assertNoTenantColumn(table);
  assertCanBePartitioned(table);
  await assertReferencesNoPartitions(runner, table);
  const constraints = [
    `PRIMARY KEY (${withTenant(table.primaryKey ?? ['id'])})`,
    ...(table.unique ?? []).map(
      (columns) => `CONSTRAINT ${derivedName(name, ...columns, 'key')} UNIQUE (${withTenant(columns)})`,
    ),
  ];
  const storage = table.storage ? ` WITH (${table.storage})` : '';
  await runner.query(
    `CREATE TABLE ${name} (tenant_id uuid NOT NULL, ${table.columns}, ${constraints.join(', ')})${
      table.partitionedBy ? ` PARTITION BY RANGE (${identifier(table.partitionedBy)})` : storage
    }`,
  );
  await isolate(runner, name);
  for (const index of table.indexes ?? []) await createIndex(runner, name, index, true);
  await grant(runner, name, table.grants ?? EVERYTHING, roles.runtimeRole);
  await openTo(runner, name, table.narrow ?? [], roles.narrowRole, 'narrow');
  if (table.partitionedBy) await partitionByDay(runner, roles, table, storage);
  await distributeByTenant(runner, name);
  // Where tables are distributed, only one that is refers to another.
  for (const { columns, table: target, on = ['id'], onDelete = 'restrict' } of table.references ?? []) {
    await runner.query(
      `ALTER TABLE ${name} ADD CONSTRAINT ${derivedName(name, ...columns, 'fkey')}
       FOREIGN KEY (${withTenant(columns)}) REFERENCES ${identifier(target)} (${withTenant(on)}) ON DELETE ${onDelete}`,
    );
  }
}

export interface GlobalTableDefinition {
  name: string;
  /** SQL of the columns, separated by commas, without keys. */
  columns: string;
  primaryKey: string[];
  unique?: string[][];
  indexes?: (string | IndexDefinition)[];
  /** The one role that may access it; the same as in GLOBAL_TABLES of the contracts. */
  role: 'narrow' | 'runtime';
  grants?: Command[];
  /** Only on the coordinator of a cluster, where nodes otherwise have a copy each. */
  onCoordinator?: boolean;
}

/** Creates a global table: row-level security enabled and forced, with named policies for one role only. */
export async function createGlobalTable(
  runner: QueryRunner,
  roles: ServiceDatabase,
  table: GlobalTableDefinition,
): Promise<void> {
  const name = identifier(table.name);
  const constraints = [
    `PRIMARY KEY (${table.primaryKey.map(identifier).join(', ')})`,
    ...(table.unique ?? []).map(
      (columns) => `CONSTRAINT ${derivedName(name, ...columns, 'key')} UNIQUE (${columns.map(identifier).join(', ')})`,
    ),
  ];
  await runner.query(`CREATE TABLE ${name} (${table.columns}, ${constraints.join(', ')})`);
  await force(runner, name);
  for (const index of table.indexes ?? []) await createIndex(runner, name, index, false);
  const role = table.role === 'narrow' ? roles.narrowRole : roles.runtimeRole;
  await openTo(runner, name, table.grants ?? EVERYTHING, role, table.role);
  if (!table.onCoordinator) await copyToEveryNode(runner, name);
}

function assertNoTenantColumn(table: TenantTable): void {
  const keys = [table.primaryKey ?? [], ...(table.unique ?? []), ...(table.references ?? []).map((r) => r.columns)];
  if (/\btenant_id\b/i.test(table.columns) || keys.some((columns) => columns.includes('tenant_id'))) {
    throw new Error(`${table.name}: tenant_id is added by createTenantTable, first in the table and in every key`);
  }
  if (/\b(primary\s+key|unique|references|foreign\s+key)\b/i.test(table.columns)) {
    throw new Error(
      `${table.name}: keys are declared by primaryKey, unique and references, where tenant_id leads them`,
    );
  }
}

const withTenant = (columns: readonly string[]): string => ['tenant_id', ...columns.map(identifier)].join(', ');

async function force(runner: QueryRunner, table: string): Promise<void> {
  await runner.query(`ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`);
  // Forced, so that the policies apply to the owner too and a migration or SECURITY DEFINER function cannot bypass them.
  await runner.query(`ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`);
}

async function isolate(runner: QueryRunner, table: string): Promise<void> {
  await force(runner, table);
  await runner.query(
    `CREATE POLICY ${TENANT_POLICY} ON ${table} USING (${TENANT_CONDITION}) WITH CHECK (${TENANT_CONDITION})`,
  );
}

async function grant(runner: QueryRunner, table: string, commands: readonly Command[], role: string): Promise<void> {
  if (commands.length > 0) await runner.query(`GRANT ${commands.join(', ')} ON ${table} TO ${identifier(role)}`);
}

/** Grants the commands to a role and opens every row to it, with one named policy per command. */
async function openTo(
  runner: QueryRunner,
  table: string,
  commands: readonly Command[],
  role: string,
  kind: 'narrow' | 'runtime',
): Promise<void> {
  await grant(runner, table, commands, role);
  for (const command of commands) {
    const using = command === 'insert' ? '' : ' USING (true)';
    const check = command === 'insert' || command === 'update' ? ' WITH CHECK (true)' : '';
    await runner.query(
      `CREATE POLICY ${kind}_${command} ON ${table} FOR ${command} TO ${identifier(role)}${using}${check}`,
    );
  }
}

async function createIndex(
  runner: QueryRunner,
  table: string,
  index: string | IndexDefinition,
  isTenantTable: boolean,
): Promise<void> {
  const {
    columns,
    where,
    using = 'btree',
    tenantFirst = true,
  }: IndexDefinition = typeof index === 'string' ? { columns: index } : index;
  const lead = isTenantTable && tenantFirst && using === 'btree' ? 'tenant_id, ' : '';
  const condition = where ? ` WHERE ${where}` : '';
  // Unnamed: Postgres chooses a free name.
  await runner.query(`CREATE INDEX ON ${table} USING ${identifier(using)} (${lead}${columns})${condition}`);
}
