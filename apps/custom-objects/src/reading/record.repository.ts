import {
  Batches,
  Database,
  isCausedByOneTenant,
  MOST_WEIGHT,
  type SharedTransaction,
  TENANT_OF_STATEMENT,
  type TenantTransaction,
} from '@crm/database';
import { Injectable } from '@nestjs/common';
import { RecordText, recordNotFound, type StoredRecord } from './record.js';

// Every statement names the tenant, although row-level security would do: a condition that the planner knows begins every index.

/** Unix time in milliseconds. In floating point, which is several times faster than the numeric that `extract` returns. */
const milliseconds = (column: string): string => `floor(date_part('epoch', ${column}) * 1000 + 0.5)`;

const columns = (data: string): string =>
  `id, version, ${data}, ${milliseconds('created_at')} AS "createdAt", ${milliseconds('updated_at')} AS "updatedAt"`;

export const COLUMNS = columns('data');

/** $1: tenant, $2: object, $3: record. */
export const FIND_RECORD = `
  SELECT ${COLUMNS} FROM custom_record WHERE tenant_id = $1 AND object_id = $2 AND id = $3 AND deleted_at IS NULL`;

const revisionOf = (tenant: string, object: string): string => `
  LEFT JOIN LATERAL (SELECT revision FROM custom_object
                      WHERE tenant_id = ${tenant} AND tenant.id IS NOT NULL AND id = ${object} AND state = 'active' OFFSET 0) AS object ON true`;

/** The definition's revision as the statement sees it; null when the object does not exist. */
export const REVISION = revisionOf('$1::uuid', '$2');

/** What a record has besides its data, as one text. */
export const HEAD = `concat_ws(' ', id, version, "createdAt", "updatedAt")`;

/** The revision and the records of an object, within a statement that has set the tenant. */
const recordsOfObject = (tenant: string, object: string, records: string): string => `${revisionOf(tenant, object)}
    LEFT JOIN LATERAL (SELECT string_agg(${HEAD}, ',') AS heads, string_agg(data::text, E',\\n') AS data
                         FROM (SELECT ${COLUMNS} FROM custom_record
                                WHERE tenant_id = ${tenant} AND tenant.id IS NOT NULL AND object_id = ${object}
                                  AND id = ANY (${records}) AND deleted_at IS NULL OFFSET 0) AS records) AS page ON true`;

/**
 * One row: the revision, and those of the records that there are, as two texts, which cost server and driver less than a row
 * each: `heads` has id, version and times, `data` the data as JSON. $1: tenant, $2: object, $3: records.
 */
export const READ_RECORDS = `
  SELECT object.revision, page.heads, page.data
    FROM ${TENANT_OF_STATEMENT} ${recordsOfObject('$1::uuid', '$2', '$3::uuid[]')}`;

/**
 * The same for objects of many tenants, a row each, which no cluster accepts. Each row sets its tenant before anything of it is read, and
 * row-level security compares it at each scan. $1: tenants, $2: objects, $3 and $4: of each its first and last record in $5, from 1.
 */
export const READ_RECORDS_OF_TENANTS = `
  SELECT wanted.first, object.revision, page.heads, page.data
    FROM unnest($1::text[], $2::uuid[], $3::int[], $4::int[]) AS wanted(tenant, object, first, last)
   CROSS JOIN LATERAL (SELECT set_config('app.tenant_id', wanted.tenant, true)::uuid AS id OFFSET 0) AS tenant
         ${recordsOfObject('tenant.id', 'wanted.object', '($5::uuid[])[wanted.first:wanted.last]')}`;

/** Until the transaction ends nobody deletes the record. $1: tenant, $2: object, $3: record. */
export const HOLD_RECORD = `${FIND_RECORD} FOR KEY SHARE`;

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
  /** The number of the row's first record among all that were asked for. */
  readonly first?: number;
  readonly revision: number | null;
  /** Absent when nothing was counted. */
  readonly count?: number;
  readonly heads: string | null;
  readonly data: string | null;
}

/** Records of an object. */
interface Wanted {
  readonly tenantId: string;
  readonly objectId: string;
  readonly ids: readonly string[];
}

/** The definition's revision, null when the object does not exist, and what there is of the records in the same snapshot. */
interface Read<Result> {
  readonly revision: number | null;
  readonly result: Result;
}

/** Records of one batch: each call waits for all of them. */
const MOST_TOGETHER = 64;

/** Reads records by their ids. Access is decided afterwards, per caller. */
@Injectable()
export class RecordRepository {
  private readonly reads = new Batches<Wanted, Read<StoredRecord[]>>({
    executeBatch: (_, groups) => this.readBatch(groups),
    groupOf: ({ tenantId, objectId }) => `${tenantId}/${objectId}`,
    weightOf: ({ ids }) => (ids.length * MOST_WEIGHT) / MOST_TOGETHER,
    executeOne: async (wanted) => (await this.readBatch([[wanted]]))[0]?.result as Read<StoredRecord[]>,
    isCausedByOneCall: isCausedByOneTenant,
  });

  constructor(private readonly database: Database) {}

  /** Reads a record, null when there is none. Concurrent reads of one object share a statement, those of all tenants a transaction. */
  async read(tenantId: string, objectId: string, id: string): Promise<Read<StoredRecord | null>> {
    const { revision, result } = await this.readSeveral(tenantId, objectId, [id]);
    return { revision, result: result[0] ?? null };
  }

  /** Like {@link read}; returns the records that exist. */
  async readSeveral(tenantId: string, objectId: string, ids: readonly string[]): Promise<Read<StoredRecord[]>> {
    return this.reads.run(await this.database.sharedTransactionKey(`${tenantId}/${objectId}`), {
      tenantId,
      objectId,
      ids,
    });
  }

  /** @returns null when there is none */
  async find(tx: TenantTransaction, objectId: string, id: string): Promise<StoredRecord | null> {
    const [row] = await tx.queryPrepared<RecordRow>(FIND_RECORD, [tx.tenantId, objectId, id]);
    return row ? recordOf(row) : null;
  }

  /** Like find. @throws NOT_FOUND when there is none */
  async require(tx: TenantTransaction, objectId: string, id: string): Promise<StoredRecord> {
    const record = await this.find(tx, objectId, id);
    if (!record) throw recordNotFound();
    return record;
  }

  /** Like find; the record is not deleted until the transaction ends. */
  async hold(tx: TenantTransaction, objectId: string, id: string): Promise<StoredRecord | null> {
    const [row] = await tx.queryPrepared<RecordRow>(HOLD_RECORD, [tx.tenantId, objectId, id]);
    return row ? recordOf(row) : null;
  }

  private async readBatch(groups: readonly (readonly Wanted[])[]): Promise<{ result: Read<StoredRecord[]> }[]> {
    const objects = groups.map((wanted) => ({
      ...(wanted[0] as Wanted),
      ids: [...new Set(wanted.flatMap(({ ids }) => ids))],
    }));
    const isDistributed = await this.database.everyTenant.isDistributed();
    const { answers } = await this.database.sharedTransaction(
      { kind: 'reads', tenantId: objects[0]?.tenantId as string },
      async (tx) => ({
        answers: isDistributed ? objects.map((object) => readObject(tx, object)) : [readObjects(tx, objects)],
      }),
    );
    const rows = (await Promise.all(answers)).flat().sort((one, other) => (one.first ?? 0) - (other.first ?? 0));
    return groups.flatMap((wanted, group) => {
      const { revision, heads, data } = rows[group] as RecordsRow;
      const found = new Map(recordsOf(heads, data).map((record) => [record.id, record]));
      return wanted.map(({ ids }) => ({ result: { revision, result: ids.flatMap((id) => found.get(id) ?? []) } }));
    });
  }
}

const readObject = (tx: SharedTransaction, { tenantId, objectId, ids }: Wanted): Promise<RecordsRow[]> =>
  tx.issueReturning(READ_RECORDS, [tenantId, objectId, ids]);

/** @returns a row for each object, as it was issued: a promise made of it would have a rejection of its own */
function readObjects(tx: SharedTransaction, objects: readonly Wanted[]): Promise<RecordsRow[]> {
  let last = 0;
  const ends = objects.map(({ ids }) => {
    last += ids.length;
    return last;
  });
  return tx.issueReturning(READ_RECORDS_OF_TENANTS, [
    objects.map(({ tenantId }) => tenantId),
    objects.map(({ objectId }) => objectId),
    objects.map(({ ids }, index) => (ends[index] as number) - ids.length + 1),
    ends,
    objects.flatMap(({ ids }) => ids),
  ]);
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

const DAY_MS = 86_400_000;
const twoDigits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));
const threeDigits = Array.from({ length: 1000 }, (_, number) => String(number).padStart(3, '0'));
/** The beginnings of API times, by days since 1970. */
const days = new Map<number, string>();
const KEPT_DAYS = 10_000;

/** Date.toISOString takes four times as long, and a page has two times for each record. */
export function timeOf(milliseconds: number): string {
  const day = Math.floor(milliseconds / DAY_MS);
  let date = days.get(day);
  if (date === undefined) {
    if (days.size >= KEPT_DAYS) days.clear();
    date = new Date(day * DAY_MS).toISOString().slice(0, -'00:00:00.000Z'.length);
    days.set(day, date);
  }
  const rest = milliseconds - day * DAY_MS;
  const seconds = Math.floor(rest / 1000);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  return `${date}${twoDigits[hours]}:${twoDigits[minutes - hours * 60]}:${twoDigits[seconds - minutes * 60]}.${threeDigits[rest - seconds * 1000]}Z`;
}
