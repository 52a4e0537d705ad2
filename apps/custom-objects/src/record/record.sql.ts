import { TENANT_OF_STATEMENT } from '@crm/database';
import type { RowCondition } from './row-condition.js';

// Every statement names the tenant, although row-level security would do: then one partition is read.

/** Unix time in milliseconds, cut as a Date would be. */
const milliseconds = (column: string): string => `trunc(extract(epoch FROM ${column}) * 1000)::float8`;

const COLUMNS = `id, version, data, ${milliseconds('created_at')} AS "createdAt", ${milliseconds('updated_at')} AS "updatedAt"`;

const SLOT_NAME = /^[snt][1-8]$/;

/** Slot names come from our own rows; nothing else gets into the text of a statement all the same. */
function slotColumn(name: string): string {
  if (!SLOT_NAME.test(name)) throw new Error(`${name} is not a slot`);
  return name;
}

/** $1: tenant, $2: object, $3: record. */
export const FIND_RECORD = `
  SELECT ${COLUMNS} FROM custom_record WHERE tenant_id = $1 AND object_id = $2 AND id = $3 AND deleted_at IS NULL`;

/** $1: tenant, $2: object, $3: record. */
export const LOCK_RECORD = `${FIND_RECORD} FOR UPDATE`;

/** $1: tenant, $2: object, $3: ids. */
export const LIST_EXISTING_IDS = `
  SELECT id FROM custom_record
   WHERE tenant_id = $1 AND object_id = $2 AND id = ANY ($3::uuid[]) AND deleted_at IS NULL`;

/** $1: tenant, $2: object, $3: record, $4: time. */
export const MARK_RECORD_DELETED = `
  UPDATE custom_record SET deleted_at = $4, updated_at = $4, version = version + 1
   WHERE tenant_id = $1 AND object_id = $2 AND id = $3`;

/** The definition's revision as the statement sees it; null when there is no such object. */
const REVISION = `
  LEFT JOIN LATERAL (SELECT revision FROM custom_object
                      WHERE tenant_id = $1::uuid AND tenant.id IS NOT NULL AND id = $2 AND state = 'active' OFFSET 0) AS object ON true`;

/** One row: the revision, and the record, whose id is null when there is none. $1: tenant, $2: object, $3: record. */
export const READ_RECORD = `
  SELECT object.revision, record.*
    FROM ${TENANT_OF_STATEMENT} ${REVISION}
    LEFT JOIN LATERAL (SELECT ${COLUMNS} FROM custom_record
                        WHERE tenant_id = $1::uuid AND tenant.id IS NOT NULL AND object_id = $2 AND id = $3
                          AND deleted_at IS NULL OFFSET 0) AS record ON true`;

export interface ListShape {
  /** Whether it begins after a record, whose id then stands before the limit; an offset otherwise follows the limit. */
  readonly after: boolean;
  /** Whether all matches are counted too, up to a limit that is the last parameter; null counts all. */
  readonly counted: boolean;
}

/**
 * Records, newest first: ids are UUIDv7, so their order is the order of creation. At least one row, with the revision and
 * the count; its id is null when there is no record. $1: tenant, $2: object, from $3: the parameters of the conditions.
 */
export function listRecords(conditions: readonly RowCondition[], { after, counted }: ListShape): string {
  const first = 3 + conditions.reduce((sum, { parameters }) => sum + parameters.length, 0);
  const where = [
    'tenant_id = $1::uuid AND tenant.id IS NOT NULL AND object_id = $2 AND deleted_at IS NULL',
    ...conditions.map(({ sql }) => sql),
  ].join(' AND ');
  const page = after
    ? `AND id < $${first} ORDER BY id DESC LIMIT $${first + 1}`
    : `ORDER BY id DESC LIMIT $${first} OFFSET $${first + 1}`;
  const count = `
    LEFT JOIN LATERAL (SELECT count(*)::int AS count
                         FROM (SELECT 1 FROM custom_record WHERE ${where} LIMIT $${first + 2}) AS matching) AS counted ON true`;
  return `
  SELECT object.revision, ${counted ? 'counted.count, ' : ''}record.*
    FROM ${TENANT_OF_STATEMENT} ${REVISION} ${counted ? count : ''}
    LEFT JOIN LATERAL (SELECT ${COLUMNS} FROM custom_record WHERE ${where} ${page}) AS record ON true
   ORDER BY record.id DESC`;
}

/** $1: tenant, $2: object, $3: record, $4: version, $5: data, $6: search text, $7: time, $8: user, from $9: the slots. */
export const insertRecord = (slots: readonly string[]): string => `
  INSERT INTO custom_record (tenant_id, object_id, id, version, data, search_text, created_at, updated_at, created_by
                             ${slots.map((name) => `, ${slotColumn(name)}`).join('')})
  VALUES ($1, $2, $3, $4, $5, $6, $7, $7, $8${slots.map((_, index) => `, $${index + 9}`).join('')})`;

/** $1: tenant, $2: object, $3: record, $4: version, $5: data, $6: search text, $7: time, from $8: the slots. */
export const updateRecord = (slots: readonly string[]): string => `
  UPDATE custom_record SET version = $4, data = $5, search_text = $6, updated_at = $7
         ${slots.map((name, index) => `, ${slotColumn(name)} = $${index + 8}`).join('')}
   WHERE tenant_id = $1 AND object_id = $2 AND id = $3`;
