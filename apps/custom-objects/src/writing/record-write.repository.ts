import type { TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import type { StoredField } from '../object/object-definition.js';
import { type StoredRecord, unsetSlotOf } from '../reading/record.js';
import { COLUMNS, FIND_RECORD, type RecordRow, recordOf } from '../reading/record.repository.js';

const SLOT_NAME = /^[snt][1-9][0-9]?$/;
/** Types of the slots by their first letters. */
const SLOT_TYPES: Readonly<Record<string, string>> = { s: 'text', n: 'float8', t: 'timestamptz' };

/** Slot names come from our own rows; nothing else gets into the text of a statement all the same. */
function slotColumn(name: string): string {
  if (!SLOT_NAME.test(name)) throw new Error(`${name} is not a slot`);
  return name;
}

/**
 * Rows to write: id, time, a third column and slots as arrays, the data as one JSON array, whose quotes need no
 * escaping there. Not a function in FROM, for which the planner would expect a hundred rows. $3: ids, $4: times, $5:
 * third column, $6: data, from $7: slots.
 */
function written(third: string, type: string, slots: readonly string[]): string {
  const arrays = slots.map((name, index) => `, $${7 + index}::${SLOT_TYPES[name.charAt(0)]}[]`).join('');
  return `unnest($3::uuid[], $4::timestamptz[], $5::${type}[]${arrays}) WITH ORDINALITY
      AS written (id, at, ${third}${slots.map((name) => `, ${name}`).join('')}, number)`;
}

const DATA = '$6::jsonb -> (written.number::integer - 1)';

/** For a change; a record that refers to it can be written meanwhile. $1: tenant, $2: object, $3: record. */
export const LOCK_RECORD = `${FIND_RECORD} FOR NO KEY UPDATE`;

/** Skips records that are locked, so that it never waits. $1: tenant, $2: object, $3: records. */
export const LOCK_FREE_RECORDS = `
  SELECT ${COLUMNS} FROM custom_record
   WHERE tenant_id = $1 AND object_id = $2 AND id = ANY ($3::uuid[]) AND deleted_at IS NULL
   ORDER BY id FOR NO KEY UPDATE SKIP LOCKED`;

/** Against deletion too, and against new references. In the order in which all transactions lock. $1: tenant, $2: object, $3: records. */
export const LOCK_RECORDS_FOR_DELETION = `
  SELECT ${COLUMNS} FROM custom_record
   WHERE tenant_id = $1 AND object_id = $2 AND id = ANY ($3::uuid[]) AND deleted_at IS NULL ORDER BY id FOR UPDATE`;

/** $1: tenant, $2: object, $3: records, $4: time. */
export const MARK_RECORDS_DELETED = `
  UPDATE custom_record SET deleted_at = $4, updated_at = greatest(updated_at, $4::timestamptz), version = version + 1
   WHERE tenant_id = $1 AND object_id = $2 AND id = ANY ($3::uuid[])`;

/** Unsets fields. $1: tenant, $2: object, $3: records, $4: time, $5: keys of the fields. */
export const unsetFields = (fields: readonly Pick<StoredField, 'type' | 'slot'>[]): string => `
  UPDATE custom_record SET data = data - $5::text[], updated_at = greatest(updated_at, $4::timestamptz), version = version + 1
         ${fields.map((field) => (field.slot === null ? '' : `, ${slotColumn(field.slot)} = '${unsetSlotOf(field)}'`)).join('')}
   WHERE tenant_id = $1 AND object_id = $2 AND id = ANY ($3::uuid[])`;

/** New records. $1: tenant, $2: object, $5: users; the others as in `written`. */
export function insertRecords(slots: readonly string[]): string {
  const columns = slots.map((name) => `, ${slotColumn(name)}`).join('');
  return `
  INSERT INTO custom_record (tenant_id, object_id, id, version, data, created_at, updated_at, created_by${columns})
  SELECT $1, $2, id, 1, ${DATA}, at, at, by${columns}
    FROM ${written('by', 'uuid', slots)}`;
}

/** Locked records. $1: tenant, $2: object, $5: versions; the others as in `written`. */
export function updateRecords(slots: readonly string[]): string {
  return `
  UPDATE custom_record AS stored SET version = written.version, data = ${DATA}, updated_at = written.at
         ${slots.map((name) => `, ${slotColumn(name)} = written.${name}`).join('')}
    FROM ${written('version', 'integer', slots)}
   WHERE stored.tenant_id = $1 AND stored.object_id = $2 AND stored.id = written.id`;
}

/** The columns of a record to write. */
export interface RecordWrite {
  readonly id: string;
  readonly version: number;
  readonly data: Readonly<Record<string, unknown>>;
  /** Value by slot column: of the same columns for all records of an object. Others stay or become null. */
  readonly slots: ReadonlyMap<string, string | number | null>;
  /** RFC 3339. */
  readonly at: string;
}

/** Locks and writes records. */
@Injectable()
export class RecordWriteRepository {
  /** Like find, and nobody else changes or deletes the record until the transaction ends. */
  async lock(tx: TenantTransaction, objectId: string, id: string): Promise<StoredRecord | null> {
    const [row] = await tx.queryPrepared<RecordRow>(LOCK_RECORD, [tx.tenantId, objectId, id]);
    return row ? recordOf(row) : null;
  }

  /** Locks those of the records that exist and that nobody else has locked. */
  async lockFree(tx: TenantTransaction, objectId: string, ids: readonly string[]): Promise<StoredRecord[]> {
    const rows = await tx.queryPrepared<RecordRow>(LOCK_FREE_RECORDS, [tx.tenantId, objectId, ids]);
    return rows.map(recordOf);
  }

  /** Writes new records, whose versions are 1, in one statement. @param users who created each */
  insert(tx: TenantTransaction, objectId: string, records: readonly RecordWrite[], users: readonly string[]): void {
    const slots = slotNamesOf(records);
    tx.issue(insertRecords(slots), [tx.tenantId, objectId, ...columnsOf(slots, records, users)]);
  }

  /** Writes locked records, in one statement. */
  update(tx: TenantTransaction, objectId: string, records: readonly RecordWrite[]): void {
    const slots = slotNamesOf(records);
    const versions = records.map(({ version }) => version);
    tx.issue(updateRecords(slots), [tx.tenantId, objectId, ...columnsOf(slots, records, versions)]);
  }

  /** Locks those of the records that exist: until the transaction ends nobody changes or deletes them, or refers to them anew. */
  async lockForDeletion(tx: TenantTransaction, objectId: string, ids: readonly string[]): Promise<StoredRecord[]> {
    const rows = await tx.queryPrepared<RecordRow>(LOCK_RECORDS_FOR_DELETION, [tx.tenantId, objectId, ids]);
    return rows.map(recordOf);
  }

  async markDeleted(tx: TenantTransaction, objectId: string, ids: readonly string[], at: Date): Promise<void> {
    await tx.queryPrepared(MARK_RECORDS_DELETED, [tx.tenantId, objectId, ids, at]);
  }

  /** Unsets the same fields of locked records, which become one version newer. */
  async unset(
    tx: TenantTransaction,
    objectId: string,
    ids: readonly string[],
    fields: readonly Pick<StoredField, 'key' | 'type' | 'slot'>[],
    at: Date,
  ): Promise<void> {
    const keys = fields.map(({ key }) => String(key));
    await tx.queryPrepared(unsetFields(fields), [tx.tenantId, objectId, ids, at, keys]);
  }
}

const slotNamesOf = ([record]: readonly RecordWrite[]): string[] => [...(record?.slots.keys() ?? [])];

/** The parameters of what is written, from $3. */
const columnsOf = (slots: readonly string[], records: readonly RecordWrite[], third: readonly unknown[]): unknown[] => [
  records.map(({ id }) => id),
  records.map(({ at }) => at),
  third,
  `[${records.map(({ data }) => JSON.stringify(data)).join(',')}]`,
  ...slots.map((name) => records.map((record) => record.slots.get(name))),
];
