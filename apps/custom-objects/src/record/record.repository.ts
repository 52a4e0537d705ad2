import type { TenantTransaction } from '@crm/database';
import type { ListPage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import type { StoredRecord } from './record.js';
import type { RowCondition } from './row-condition.js';

interface RecordRow {
  id: string;
  version: number;
  data: Record<string, unknown>;
  created_at: Date;
  updated_at: Date;
}

/** What is written of a record, head and body. */
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

const COLUMNS = 'id, version, data, created_at, updated_at';
const SLOT_NAME = /^[snt][1-8]$/;

const toRecord = (row: RecordRow): StoredRecord => ({
  id: row.id,
  version: row.version,
  data: row.data,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** SQL of custom records. Every statement names the tenant besides row-level security, so that one partition is read. */
@Injectable()
export class RecordRepository {
  async find(tx: TenantTransaction, objectId: string, id: string): Promise<StoredRecord | null> {
    const [row] = await tx.query<RecordRow>(
      `SELECT ${COLUMNS} FROM custom_record
        WHERE tenant_id = $1 AND object_id = $2 AND id = $3 AND deleted_at IS NULL`,
      [tx.tenantId, objectId, id],
    );
    return row ? toRecord(row) : null;
  }

  /** As `find`, and nobody else changes the record until the transaction ends. */
  async hold(tx: TenantTransaction, objectId: string, id: string): Promise<StoredRecord | null> {
    const [row] = await tx.query<RecordRow>(
      `SELECT ${COLUMNS} FROM custom_record
        WHERE tenant_id = $1 AND object_id = $2 AND id = $3 AND deleted_at IS NULL FOR UPDATE`,
      [tx.tenantId, objectId, id],
    );
    return row ? toRecord(row) : null;
  }

  /** Newest first: ids are UUIDv7, so their order is the order of creation. */
  async page(
    tx: TenantTransaction,
    objectId: string,
    conditions: readonly RowCondition[],
    { after, offset, limit }: ListPage,
  ): Promise<StoredRecord[]> {
    const parameters: unknown[] = [tx.tenantId, objectId, ...conditions.flatMap((condition) => condition.parameters)];
    const where = whereClause(conditions);
    let tail: string;
    if (after) {
      parameters.push(after.id, limit);
      tail = `AND id < $${parameters.length - 1} ORDER BY id DESC LIMIT $${parameters.length}`;
    } else {
      parameters.push(limit, offset);
      tail = `ORDER BY id DESC LIMIT $${parameters.length - 1} OFFSET $${parameters.length}`;
    }
    const rows = await tx.query<RecordRow>(`SELECT ${COLUMNS} FROM custom_record ${where} ${tail}`, parameters);
    return rows.map(toRecord);
  }

  /** How many match, counting no further than `limit` when one is given. */
  async count(
    tx: TenantTransaction,
    objectId: string,
    conditions: readonly RowCondition[],
    limit: number | null,
  ): Promise<number> {
    const parameters: unknown[] = [tx.tenantId, objectId, ...conditions.flatMap((condition) => condition.parameters)];
    if (limit !== null) parameters.push(limit);
    const [row] = await tx.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM (SELECT 1 FROM custom_record ${whereClause(conditions)}
       ${limit === null ? '' : `LIMIT $${parameters.length}`}) AS matching`,
      parameters,
    );
    return row?.count ?? 0;
  }

  async insert(tx: TenantTransaction, record: RecordWrite, createdBy: string): Promise<void> {
    const slots = [...record.slots];
    const fixed = [
      tx.tenantId,
      record.objectId,
      record.id,
      record.version,
      JSON.stringify(record.data),
      record.searchText,
      record.at,
      createdBy,
    ];
    await tx.query(
      `INSERT INTO custom_record (tenant_id, object_id, id, version, data, search_text, created_at, updated_at, created_by
         ${slots.map(([name]) => `, ${column(name)}`).join('')})
       VALUES ($1, $2, $3, $4, $5, $6, $7, $7, $8 ${slots.map((_, index) => `, $${fixed.length + index + 1}`).join('')})`,
      [...fixed, ...slots.map(([, value]) => value)],
    );
  }

  async update(tx: TenantTransaction, record: RecordWrite): Promise<void> {
    const slots = [...record.slots];
    const fixed = [
      tx.tenantId,
      record.objectId,
      record.id,
      record.version,
      JSON.stringify(record.data),
      record.searchText,
      record.at,
    ];
    await tx.query(
      `UPDATE custom_record SET version = $4, data = $5, search_text = $6, updated_at = $7
         ${slots.map(([name], index) => `, ${column(name)} = $${fixed.length + index + 1}`).join('')}
        WHERE tenant_id = $1 AND object_id = $2 AND id = $3`,
      [...fixed, ...slots.map(([, value]) => value)],
    );
  }

  async markDeleted(tx: TenantTransaction, objectId: string, id: string, at: Date): Promise<void> {
    await tx.query(
      `UPDATE custom_record SET deleted_at = $4, updated_at = $4, version = version + 1
        WHERE tenant_id = $1 AND object_id = $2 AND id = $3`,
      [tx.tenantId, objectId, id, at],
    );
  }

  /** Which of the ids are records of the object. */
  async existing(tx: TenantTransaction, objectId: string, ids: readonly string[]): Promise<Set<string>> {
    const rows = await tx.query<{ id: string }>(
      `SELECT id FROM custom_record
        WHERE tenant_id = $1 AND object_id = $2 AND id = ANY($3::uuid[]) AND deleted_at IS NULL`,
      [tx.tenantId, objectId, ids],
    );
    return new Set(rows.map((row) => row.id));
  }
}

function whereClause(conditions: readonly RowCondition[]): string {
  const extra = conditions.map((condition) => `AND ${condition.sql}`).join(' ');
  return `WHERE tenant_id = $1 AND object_id = $2 AND deleted_at IS NULL ${extra}`;
}

/** Slot names come from our own rows; this keeps anything else out of the SQL text all the same. */
function column(slot: string): string {
  if (!SLOT_NAME.test(slot)) throw new Error(`${slot} is not a slot`);
  return slot;
}
