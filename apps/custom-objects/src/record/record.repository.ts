import { Database, type TenantTransaction } from '@crm/database';
import type { ListPage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import type { StoredRecord } from './record.js';
import {
  FIND_RECORD,
  insertRecord,
  LIST_EXISTING_IDS,
  LOCK_RECORD,
  listRecords,
  listRecordsAfter,
  MARK_RECORD_DELETED,
  READ_RECORD,
  updateRecord,
  withCount,
} from './record.sql.js';
import type { RowCondition } from './row-condition.js';

/** What is written of a record. */
export interface RecordWrite {
  readonly objectId: string;
  readonly id: string;
  readonly version: number;
  readonly data: Readonly<Record<string, unknown>>;
  readonly searchText: string;
  /** Value by slot column; columns not named stay or become null. */
  readonly slots: ReadonlyMap<string, string | number | Date | null>;
  readonly at: Date;
}

interface ReadRow {
  readonly revision: number | null;
  readonly version: number | null;
  readonly data: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The records of all tenants' objects. The statements are hand-written: this table is the record engine. */
@Injectable()
export class RecordRepository {
  constructor(private readonly database: Database) {}

  /**
   * Reads a record outside of a transaction, with the revision that its object's definition had afterwards.
   * @returns revision null when there is no such object; record null when there is none
   */
  async read(
    tenantId: string,
    objectId: string,
    id: string,
  ): Promise<{ readonly revision: number | null; readonly result: StoredRecord | null }> {
    const [row] = await this.database.call<ReadRow>(tenantId, READ_RECORD, [objectId, id]);
    const { revision, version, data, createdAt, updatedAt } = row as ReadRow;
    if (version === null) return { revision, result: null };
    return { revision, result: { id, version, data: JSON.parse(data), createdAt, updatedAt } };
  }

  /** @returns null when there is none */
  async find(tx: TenantTransaction, objectId: string, id: string): Promise<StoredRecord | null> {
    const [record] = await tx.query<StoredRecord>(FIND_RECORD, [tx.tenantId, objectId, id]);
    return record ?? null;
  }

  /** Like find, and nobody else changes the record until the transaction ends. */
  async lock(tx: TenantTransaction, objectId: string, id: string): Promise<StoredRecord | null> {
    const [record] = await tx.query<StoredRecord>(LOCK_RECORD, [tx.tenantId, objectId, id]);
    return record ?? null;
  }

  /** Newest first. */
  async list(
    tx: TenantTransaction,
    objectId: string,
    conditions: readonly RowCondition[],
    { after, offset, limit }: ListPage,
  ): Promise<StoredRecord[]> {
    const parameters = [...parametersOf(tx, objectId, conditions), ...(after ? [after.id, limit] : [limit, offset])];
    const statement = after ? listRecordsAfter : listRecords;
    return tx.queryPrepared<StoredRecord>(statement(conditions, parameters.length), parameters);
  }

  /** Like list, and how many match on all pages, counting no further than `page.countLimit` when there is one. */
  async listAndCount(
    tx: TenantTransaction,
    objectId: string,
    conditions: readonly RowCondition[],
    { after, offset, limit, countLimit }: ListPage,
  ): Promise<{ readonly records: StoredRecord[]; readonly counted: number }> {
    const paging = after ? [after.id, limit] : [limit, offset];
    const parameters = [...parametersOf(tx, objectId, conditions), ...paging, countLimit];
    const page = (after ? listRecordsAfter : listRecords)(conditions, parameters.length - 1);
    const rows = await tx.queryPrepared<StoredRecord & { readonly count: number }>(
      withCount(page, conditions, parameters.length),
      parameters,
    );
    const counted = rows[0]?.count ?? 0;
    return { records: rows.filter(({ id }) => id !== null), counted };
  }

  async insert(tx: TenantTransaction, record: RecordWrite, createdBy: string): Promise<void> {
    const { slots } = record;
    await tx.query(insertRecord([...slots.keys()]), [...headOf(tx, record), createdBy, ...slots.values()]);
  }

  async update(tx: TenantTransaction, record: RecordWrite): Promise<void> {
    const { slots } = record;
    await tx.query(updateRecord([...slots.keys()]), [...headOf(tx, record), ...slots.values()]);
  }

  async markDeleted(tx: TenantTransaction, objectId: string, id: string, at: Date): Promise<void> {
    await tx.query(MARK_RECORD_DELETED, [tx.tenantId, objectId, id, at]);
  }

  /** Which of the ids are records of the object. */
  async listExistingIds(tx: TenantTransaction, objectId: string, ids: readonly string[]): Promise<Set<string>> {
    const rows = await tx.query<{ id: string }>(LIST_EXISTING_IDS, [tx.tenantId, objectId, ids]);
    return new Set(rows.map(({ id }) => id));
  }
}

const parametersOf = (tx: TenantTransaction, objectId: string, conditions: readonly RowCondition[]): unknown[] => [
  tx.tenantId,
  objectId,
  ...conditions.flatMap(({ parameters }) => parameters),
];

/** The parameters that an insert and an update begin with. */
const headOf = (tx: TenantTransaction, record: RecordWrite): unknown[] => [
  tx.tenantId,
  record.objectId,
  record.id,
  record.version,
  JSON.stringify(record.data),
  record.searchText,
  record.at,
];
