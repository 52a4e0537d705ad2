import { Database, TENANT_OF_STATEMENT, type TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import type { StoredRecord } from './record.js';

// Every statement names the tenant, although row-level security would do: a condition that the planner knows begins every index.

/** Unix time in milliseconds. In floating point, which is several times faster than the numeric that `extract` returns. */
const milliseconds = (column: string): string => `floor(date_part('epoch', ${column}) * 1000 + 0.5)`;

export const COLUMNS = `id, version, data, ${milliseconds('created_at')} AS "createdAt", ${milliseconds('updated_at')} AS "updatedAt"`;

/** $1: tenant, $2: object, $3: record. */
export const FIND_RECORD = `
  SELECT ${COLUMNS} FROM custom_record WHERE tenant_id = $1 AND object_id = $2 AND id = $3 AND deleted_at IS NULL`;

/** The definition's revision as the statement sees it; null when there is no such object. */
export const REVISION = `
  LEFT JOIN LATERAL (SELECT revision FROM custom_object
                      WHERE tenant_id = $1::uuid AND tenant.id IS NOT NULL AND id = $2 AND state = 'active' OFFSET 0) AS object ON true`;

/** One row: the revision, and the record, whose id is null when there is none. $1: tenant, $2: object, $3: record. */
export const READ_RECORD = `
  SELECT object.revision, record.*
    FROM ${TENANT_OF_STATEMENT} ${REVISION}
    LEFT JOIN LATERAL (SELECT ${COLUMNS} FROM custom_record
                        WHERE tenant_id = $1::uuid AND tenant.id IS NOT NULL AND object_id = $2 AND id = $3
                          AND deleted_at IS NULL OFFSET 0) AS record ON true`;

/**
 * Records in one row of two texts, which costs server and driver less than a row each: `heads` has id, version and
 * times, `data` the data as JSON.
 * @param records a query that selects COLUMNS
 */
export const inTexts = (records: string): string => `
    LEFT JOIN LATERAL (SELECT string_agg(concat_ws(' ', id, version, "createdAt", "updatedAt"), ',') AS heads,
                              string_agg(data::text, ',') AS data
                         FROM (${records}) AS records) AS page ON true`;

/** One row: the revision, and those of the records that there are. $1: tenant, $2: object, $3: records. */
export const READ_RECORDS = `
  SELECT object.revision, page.heads, page.data
    FROM ${TENANT_OF_STATEMENT} ${REVISION} ${inTexts(`
      SELECT ${COLUMNS} FROM custom_record
       WHERE tenant_id = $1::uuid AND tenant.id IS NOT NULL AND object_id = $2 AND id = ANY ($3::uuid[])
         AND deleted_at IS NULL OFFSET 0`)}`;

/** A row as Postgres returns it, with times in milliseconds of Unix time. */
export interface RecordRow {
  readonly id: string;
  readonly version: number;
  readonly data: Readonly<Record<string, unknown>>;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A row of a statement that reads without a transaction: the members of a record are null when there is none. */
type ReadRow = RecordRow & { readonly revision: number | null };

/** The row of a statement that reads several records. */
export interface RecordsRow {
  readonly revision: number | null;
  /** Absent when nothing was counted. */
  readonly count?: number;
  readonly heads: string | null;
  readonly data: string | null;
}

/** Reads records by their ids. The statements on `custom_record` are hand-written: they are the record engine. */
@Injectable()
export class RecordRepository {
  constructor(private readonly database: Database) {}

  /**
   * Reads a record without a transaction, with the revision of its definition in the same snapshot.
   * @returns revision null when there is no such object; result null when there is no such record
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
}

/** Records from the two texts that a statement returns. */
export function recordsOf(heads: string | null, data: string | null): StoredRecord[] {
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

export const recordOf = ({ id, version, data, createdAt, updatedAt }: RecordRow): StoredRecord => ({
  id,
  version,
  data,
  createdAt: new Date(createdAt).toISOString(),
  updatedAt: new Date(updatedAt).toISOString(),
});
