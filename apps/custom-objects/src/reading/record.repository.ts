import { Batches, Database, type Outcome, TENANT_OF_STATEMENT, type TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { RecordText, type StoredRecord } from './record.js';

// Every statement names the tenant, although row-level security would do: a condition that the planner knows begins every index.

/** Unix time in milliseconds. In floating point, which is several times faster than the numeric that `extract` returns. */
const milliseconds = (column: string): string => `floor(date_part('epoch', ${column}) * 1000 + 0.5)`;

const columns = (data: string): string =>
  `id, version, ${data}, ${milliseconds('created_at')} AS "createdAt", ${milliseconds('updated_at')} AS "updatedAt"`;

export const COLUMNS = columns('data');

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
    LEFT JOIN LATERAL (SELECT ${columns('data::text')} FROM custom_record
                        WHERE tenant_id = $1::uuid AND tenant.id IS NOT NULL AND object_id = $2 AND id = $3
                          AND deleted_at IS NULL OFFSET 0) AS record ON true`;

/** What a record has besides its data, as one text. */
export const HEAD = `concat_ws(' ', id, version, "createdAt", "updatedAt")`;

/**
 * One row: the revision, and those of the records that there are, as two texts, which cost server and driver less than a row
 * each: `heads` has id, version and times, `data` the data as JSON. $1: tenant, $2: object, $3: records.
 */
export const READ_RECORDS = `
  SELECT object.revision, page.heads, page.data
    FROM ${TENANT_OF_STATEMENT} ${REVISION}
    LEFT JOIN LATERAL (SELECT string_agg(${HEAD}, ',') AS heads, string_agg(data::text, E',\\n') AS data
                         FROM (SELECT ${COLUMNS} FROM custom_record
                                WHERE tenant_id = $1::uuid AND tenant.id IS NOT NULL AND object_id = $2
                                  AND id = ANY ($3::uuid[]) AND deleted_at IS NULL OFFSET 0) AS records) AS page ON true`;

/** A row as Postgres returns it, with times in milliseconds of Unix time. */
export interface RecordRow {
  readonly id: string;
  readonly version: number;
  readonly data: Readonly<Record<string, unknown>>;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The row of a statement that reads one record, whose members are null when there is none. */
type ReadRow = Omit<RecordRow, 'data'> & { readonly data: string | null; readonly revision: number | null };

/** The row of a statement that reads several records. */
export interface RecordsRow {
  readonly revision: number | null;
  /** Absent when nothing was counted. */
  readonly count?: number;
  readonly heads: string | null;
  readonly data: string | null;
}

interface Wanted {
  readonly tenantId: string;
  readonly objectId: string;
  readonly id: string;
}

/** The definition's revision, null when there is no such object, and the record in the same snapshot, null when there is none. */
interface Read {
  readonly revision: number | null;
  readonly result: StoredRecord | null;
}

/** Reads records by their ids. Access is decided afterwards, per caller. */
@Injectable()
export class RecordRepository {
  private readonly reads = new Batches<Wanted, Read>({ together: (wanted) => this.readTogether(wanted) });

  constructor(private readonly database: Database) {}

  /** Reads a record without a transaction. Concurrent reads of one object share a statement. */
  read(tenantId: string, objectId: string, id: string): Promise<Read> {
    return this.reads.run(`${tenantId}/${objectId}`, { tenantId, objectId, id });
  }

  /** @returns null when there is none */
  async find(tx: TenantTransaction, objectId: string, id: string): Promise<StoredRecord | null> {
    const [row] = await tx.queryPrepared<RecordRow>(FIND_RECORD, [tx.tenantId, objectId, id]);
    return row ? recordOf(row) : null;
  }

  private async readTogether(wanted: readonly Wanted[]): Promise<Outcome<Read>[]> {
    const { tenantId, objectId, id } = wanted[0] as Wanted;
    if (wanted.length === 1) {
      const [row] = await this.database.read<ReadRow>(tenantId, READ_RECORD, [objectId, id]);
      const { revision = null, version, data, createdAt, updatedAt } = row as ReadRow;
      const record = data === null ? null : new RecordText(id, version, timeOf(createdAt), timeOf(updatedAt), data);
      return [{ result: { revision, result: record } }];
    }
    const ids = [...new Set(wanted.map((one) => one.id))];
    const [row] = await this.database.read<RecordsRow>(tenantId, READ_RECORDS, [objectId, ids]);
    const { revision, heads, data } = row as RecordsRow;
    const found = new Map(recordsOf(heads, data).map((record) => [record.id, record]));
    return wanted.map((one) => ({ result: { revision, result: found.get(one.id) ?? null } }));
  }
}

/** Records from the two texts that a statement returns. */
export function recordsOf(heads: string | null, data: string | null): StoredRecord[] {
  if (heads === null || data === null) return [];
  // JSON has no line breaks within.
  const texts = data.split(',\n');
  return heads.split(',').map((head, index) => {
    const [id = '', version, createdAt, updatedAt] = head.split(' ');
    return new RecordText(
      id,
      Number(version),
      timeOf(Number(createdAt)),
      timeOf(Number(updatedAt)),
      texts[index] ?? '',
    );
  });
}

export const recordOf = ({ id, version, data, createdAt, updatedAt }: RecordRow): StoredRecord => ({
  id,
  version,
  data,
  createdAt: timeOf(createdAt),
  updatedAt: timeOf(updatedAt),
});

const timeOf = (milliseconds: number): string => new Date(milliseconds).toISOString();
