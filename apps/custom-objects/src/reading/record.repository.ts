import { Batches, Database, isOfOneTenant, TENANT_OF_STATEMENT, type TenantTransaction } from '@crm/database';
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
  private readonly reads = new Batches<Wanted, Read>({
    together: (_, groups) => this.readTogether(groups),
    groupOf: ({ tenantId, objectId }) => `${tenantId}/${objectId}`,
    apart: {
      carryOut: async (wanted) => (await this.readTogether([[wanted]]))[0]?.result as Read,
      isOfOne: isOfOneTenant,
    },
  });

  constructor(private readonly database: Database) {}

  /** Reads a record. Concurrent reads of one object share a statement, those of all tenants a transaction. */
  async read(tenantId: string, objectId: string, id: string): Promise<Read> {
    return this.reads.run(await this.database.laneOf(`${tenantId}/${objectId}`), { tenantId, objectId, id });
  }

  /** @returns null when there is none */
  async find(tx: TenantTransaction, objectId: string, id: string): Promise<StoredRecord | null> {
    const [row] = await tx.queryPrepared<RecordRow>(FIND_RECORD, [tx.tenantId, objectId, id]);
    return row ? recordOf(row) : null;
  }

  private async readTogether(groups: readonly (readonly Wanted[])[]): Promise<{ result: Read }[]> {
    const { answers } = await this.database.together(
      { kind: 'reads', tenantId: groups[0]?.[0]?.tenantId as string },
      async (tx) => ({
        answers: groups.map((wanted) => {
          const { tenantId, objectId } = wanted[0] as Wanted;
          const ids = [...new Set(wanted.map(({ id }) => id))];
          return tx.issueReturning<RecordsRow>(READ_RECORDS, [tenantId, objectId, ids]);
        }),
      }),
    );
    const rows = await Promise.all(answers);
    return groups.flatMap((wanted, group) => {
      const [row] = rows[group] as RecordsRow[];
      const { revision, heads, data } = row as RecordsRow;
      const found = new Map(recordsOf(heads, data).map((record) => [record.id, record]));
      return wanted.map(({ id }) => ({ result: { revision, result: found.get(id) ?? null } }));
    });
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
