import { Database, type TenantTransaction } from '@crm/database';
import type { ListPage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import type { StoredField } from '../object/object-definition.js';
import type { StoredRecord } from './record.js';
import {
  FIND_RECORD,
  insertRecords,
  LOCK_FREE_RECORDS,
  LOCK_RECORD,
  LOCK_RECORDS_FOR_DELETION,
  listRecords,
  MARK_RECORDS_DELETED,
  READ_RECORD,
  READ_RECORDS,
  unsetFields,
  updateRecords,
} from './record.sql.js';
import type { RecordSort } from './record-sort.js';
import type { RowCondition } from './row-condition.js';

/** What is written of a record. */
export interface RecordWrite {
  readonly id: string;
  readonly version: number;
  readonly data: Readonly<Record<string, unknown>>;
  /** Value by slot column: of the same columns for all records of an object. Others stay or become null. */
  readonly slots: ReadonlyMap<string, string | number | null>;
  /** RFC 3339. */
  readonly at: string;
}

/** A row as Postgres returns it, with times in milliseconds of Unix time. */
interface RecordRow {
  readonly id: string;
  readonly version: number;
  readonly data: Readonly<Record<string, unknown>>;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A row of a statement that reads without a transaction: the members of a record are null when there is none. */
type ReadRow = RecordRow & { readonly revision: number | null };

/** A part of a list. */
export interface RecordList {
  /** Null when there is no such object. */
  readonly revision: number | null;
  readonly records: StoredRecord[];
  /** 0 when nothing was counted. */
  readonly counted: number;
}

/** What a statement returns that reads several records. */
interface RecordsRow {
  readonly revision: number | null;
  /** Absent when nothing was counted. */
  readonly count?: number;
  readonly heads: string | null;
  readonly data: string | null;
}

/** The records of all tenants' objects. The statements are hand-written: this table is the record engine. */
@Injectable()
export class RecordRepository {
  constructor(private readonly database: Database) {}

  /**
   * Reads a record outside of a transaction, with the revision of its object's definition in the same snapshot.
   * @returns revision null when there is no such object; record null when there is none
   */
  async read(
    tenantId: string,
    objectId: string,
    id: string,
  ): Promise<{ readonly revision: number | null; readonly result: StoredRecord | null }> {
    const [row] = await this.database.read<ReadRow>(tenantId, READ_RECORD, [objectId, id]);
    const { revision = null, ...record } = row as ReadRow;
    return { revision, result: record.id === null ? null : recordOf(record) };
  }

  /** Like read, for several records. @returns those that there are */
  async readMany(
    tenantId: string,
    objectId: string,
    ids: readonly string[],
  ): Promise<{ readonly revision: number | null; readonly records: StoredRecord[] }> {
    const [row] = await this.database.read<RecordsRow>(tenantId, READ_RECORDS, [objectId, ids]);
    const { revision, heads, data } = row as RecordsRow;
    return { revision, records: recordsOf(heads, data) };
  }

  /** @returns null when there is none */
  async find(tx: TenantTransaction, objectId: string, id: string): Promise<StoredRecord | null> {
    const [row] = await tx.queryPrepared<RecordRow>(FIND_RECORD, [tx.tenantId, objectId, id]);
    return row ? recordOf(row) : null;
  }

  /** Like find, and nobody else changes or deletes the record until the transaction ends. */
  async lock(tx: TenantTransaction, objectId: string, id: string): Promise<StoredRecord | null> {
    const [row] = await tx.queryPrepared<RecordRow>(LOCK_RECORD, [tx.tenantId, objectId, id]);
    return row ? recordOf(row) : null;
  }

  /**
   * Lists records, with the revision of their object's definition in the same snapshot.
   * @param counts whether to count how many match on all pages, no further than `page.countLimit` when there is one
   * @param tx outside of a transaction when left out
   */
  async list(
    tenantId: string,
    objectId: string,
    conditions: readonly RowCondition[],
    { descending, by }: Pick<RecordSort, 'descending' | 'by'>,
    { after, offset, limit, countLimit }: ListPage,
    counts: boolean,
    tx?: TenantTransaction,
  ): Promise<RecordList> {
    const hasValue = by !== null && after !== undefined && after.value !== null;
    const statement = listRecords(conditions, {
      by,
      descending,
      after: after ? (hasValue ? 'value' : 'id') : null,
      counted: counts,
    });
    const parameters = [
      objectId,
      ...conditions.flatMap(({ parameters }) => parameters),
      ...(hasValue ? [after.value] : []),
      ...(after ? [after.id, limit] : [limit, offset]),
      ...(counts ? [countLimit] : []),
    ];
    const [row] = tx
      ? await tx.queryPrepared<RecordsRow>(statement, [tx.tenantId, ...parameters])
      : await this.database.read<RecordsRow>(tenantId, statement, parameters);
    const { revision, count = 0, heads, data } = row as RecordsRow;
    return { revision, counted: count, records: recordsOf(heads, data) };
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
    fields: readonly Pick<StoredField, 'key' | 'slot'>[],
    at: Date,
  ): Promise<void> {
    const slots = fields.flatMap(({ slot }) => slot ?? []);
    const keys = fields.map(({ key }) => String(key));
    await tx.queryPrepared(unsetFields(slots), [tx.tenantId, objectId, ids, at, keys]);
  }
}

/** Records from the two texts that a statement returns. */
function recordsOf(heads: string | null, data: string | null): StoredRecord[] {
  if (heads === null || data === null) return [];
  const values = JSON.parse(`[${data}]`) as StoredRecord['data'][];
  return heads.split(',').map((head, index) => {
    const [id, version, createdAt, updatedAt] = head.split(' ') as [string, string, string, string];
    return recordOf({
      id,
      version: Number(version),
      data: values[index] as StoredRecord['data'],
      createdAt: Number(createdAt),
      updatedAt: Number(updatedAt),
    });
  });
}

const recordOf = ({ id, version, data, createdAt, updatedAt }: RecordRow): StoredRecord => ({
  id,
  version,
  data,
  createdAt: new Date(createdAt).toISOString(),
  updatedAt: new Date(updatedAt).toISOString(),
});

const slotNamesOf = ([record]: readonly RecordWrite[]): string[] => [...(record?.slots.keys() ?? [])];

/** The parameters of what is written, from $3. */
const columnsOf = (slots: readonly string[], records: readonly RecordWrite[], third: readonly unknown[]): unknown[] => [
  records.map(({ id }) => id),
  records.map(({ at }) => at),
  third,
  `[${records.map(({ data }) => JSON.stringify(data)).join(',')}]`,
  ...slots.map((name) => records.map((record) => record.slots.get(name))),
];
