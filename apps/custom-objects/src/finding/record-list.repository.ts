import { Database, TENANT_OF_STATEMENT, type TransactionOrigin } from '@crm/database';
import type { ListPage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import type { StoredRecord } from '../reading/record.js';
import { COLUMNS, HEAD, REVISION, type RecordsRow, recordsOf } from '../reading/record.repository.js';
import type { RowCondition } from './record-filter.js';
import type { RecordSort, SortExpression } from './record-sort.js';
import type { TextSearch } from './search-text.js';

/** Bytes of JSON after which a statement returns one more record at most, so that a page of one knows whether more follow. */
const PAGE_BYTES = 16_000_000;
/** Shorter rows are not compressed. Postgres' algorithms make a text at most so many times shorter. */
const [SHORTEST_COMPRESSED, MOST_COMPRESSION] = [2_000, 256];

export interface ListShape {
  readonly descending: boolean;
  /** The expression that precedes the id in the order; null to order by the id alone. */
  readonly by: Pick<SortExpression, 'sql' | 'sqlType' | 'isNullable'> | null;
  /**
   * The position of the page: after an id (also among records without a value), after a value and an id, or null for
   * the start with an offset. Its parameters follow those of the conditions.
   */
  readonly after: 'id' | 'value' | null;
  /** Whether all matches are counted too, up to a limit that is the last parameter; null counts all. */
  readonly counted: boolean;
  /** Whether only records with a value in the sorted field are read; those without have no index. */
  readonly withValue?: boolean;
  /** Whether the JSON of each record is measured, which a page with large records needs. */
  readonly measured?: boolean;
}

/**
 * One row with the revision, the count and a page of records; records without a value come last. $1: tenant, $2:
 * object, from $3: the parameters of the conditions.
 */
export function listRecords(conditions: readonly RowCondition[], shape: ListShape): string {
  const first = 3 + conditions.reduce((sum, { parameters }) => sum + parameters.length, 0);
  const where = [
    'tenant_id = $1::uuid AND tenant.id IS NOT NULL AND object_id = $2 AND deleted_at IS NULL',
    ...conditions.map(({ sql }) => sql),
  ].join(' AND ');
  const { page, last } = pageOf(where, first, shape);
  const count = `
    LEFT JOIN LATERAL (SELECT count(*)::int AS count
                         FROM (SELECT 1 FROM custom_record WHERE ${where} LIMIT $${last + 1}) AS matching) AS counted ON true`;
  return `
  SELECT object.revision, ${shape.counted ? 'counted.count, ' : ''}page.*
    FROM ${TENANT_OF_STATEMENT} ${REVISION} ${shape.counted ? count : ''} ${pageTexts(page, shape.measured)}`;
}

/**
 * The page of a search, newest first, and the count of all its pages, in one snapshot. $1: tenant, $2: object, from $3:
 * audiences, text, whether it is indexed, id after which the page begins, records to skip, records to read, most that are
 * counted.
 */
export const searchRecords = (measured = false): string => `
  SELECT object.revision, page.*, CASE WHEN $6::uuid IS NULL OR $9::int = 0 THEN found.counted
              ELSE (SELECT counted FROM search_records(tenant.id, $2, $3, $4, $5, NULL, 0, $9)) END AS count
    FROM ${TENANT_OF_STATEMENT} ${REVISION}
   CROSS JOIN LATERAL search_records(tenant.id, $2, $3, $4, $5, $6, $7::int + $8::int,
                                     CASE WHEN $6::uuid IS NULL THEN $9::int ELSE 0 END) AS found ${pageTexts(
                                       `
      SELECT ${COLUMNS} FROM custom_record
       WHERE tenant_id = $1::uuid AND tenant.id IS NOT NULL AND object_id = $2 AND deleted_at IS NULL
         AND id = ANY (found.ids[$7::int + 1:]) ORDER BY id DESC`,
                                       measured,
                                     )}`;

/**
 * The records of a page as two texts, as those of READ_RECORDS. Not measured, `isWhole` is null and there are no records
 * where they may have more than PAGE_BYTES; measured, it is false where some were left out, and then there are two at least.
 * @param records a query that selects COLUMNS
 */
function pageTexts(records: string, measured = false): string {
  const size = 'pg_column_size(data)';
  const texts = `
    LEFT JOIN LATERAL (SELECT string_agg(${HEAD}, ',') AS heads, string_agg(data::text, E',\\n') AS data, true AS "isWhole"
                         FROM (${records}) AS records
                       HAVING coalesce(sum(CASE WHEN ${size} < ${SHORTEST_COMPRESSED} THEN ${size} ELSE ${size}::bigint * ${MOST_COMPRESSION} END), 0)
                              < ${PAGE_BYTES}) AS page ON true`;
  const measuredTexts = `
    LEFT JOIN LATERAL (SELECT string_agg(head, ',') FILTER (WHERE fits) AS heads,
                              string_agg(data, E',\\n') FILTER (WHERE fits) AS data, coalesce(bool_and(fits), true) AS "isWhole"
                         FROM (SELECT head, data,
                                      coalesce(sum(octet_length(data)) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND 2 PRECEDING), 0)
                                      < ${PAGE_BYTES} AS fits
                                 FROM (SELECT ${HEAD} AS head, data::text FROM (${records}) AS records OFFSET 0) AS texts
                              ) AS measured) AS page ON true`;
  return measured ? measuredTexts : texts;
}

/** The records of a page, in its order, and the number of its last parameter. */
function pageOf(where: string, first: number, { by, descending, after, withValue }: ListShape) {
  const direction = descending ? 'DESC' : 'ASC';
  const beyond = descending ? '<' : '>';
  const last = first + (after === 'value' ? 2 : 1);
  const select = (condition: string, order: string, limit: string) =>
    `SELECT ${COLUMNS} FROM custom_record WHERE ${where}${condition} ORDER BY ${order} ${limit}`;
  const limit = after ? `LIMIT $${last}` : `LIMIT $${first} OFFSET $${first + 1}`;
  if (!by) {
    const position = after ? ` AND id ${beyond} $${first}` : '';
    return { page: select(position, `id ${direction}`, limit), last };
  }

  const { sql, sqlType, isNullable } = by;
  const byValue = `${sql} ${direction}, id ${direction}`;
  const byId = `id ${direction}`;
  if (after === 'id') return { page: select(` AND ${sql} IS NULL AND id ${beyond} $${first}`, byId, limit), last };
  const position = after ? ` AND (${sql}, id) ${beyond} ($${first}::${sqlType}, $${first + 1}::uuid)` : '';
  if (!isNullable) return { page: select(position, byValue, limit), last };
  if (withValue) return { page: select(` AND ${sql} IS NOT NULL${position}`, byValue, limit), last };
  // Two parts, each in the order of an index; the second is read only as far as the first does not fill the page.
  const upTo = after ? `LIMIT $${last}` : `LIMIT $${first}::bigint + $${first + 1}::bigint`;
  const parts = `
      SELECT * FROM ((${select(` AND ${sql} IS NOT NULL${position}`, byValue, upTo)})
           UNION ALL (${select(` AND ${sql} IS NULL`, byId, upTo)})) AS parts ${limit}`;
  return { page: parts, last };
}

/** $1: tenant, $2: object, $3: most that are counted. Reads an index alone. */
export const COUNT_RECORDS = `
  SELECT live.records
    FROM ${TENANT_OF_STATEMENT}
    LEFT JOIN LATERAL (SELECT count(*)::int AS records
                         FROM (SELECT 1 FROM custom_record
                                WHERE tenant_id = $1::uuid AND tenant.id IS NOT NULL AND object_id = $2
                                  AND deleted_at IS NULL LIMIT $3) AS counted) AS live ON true`;

/** What a statement lists. */
export interface ListRequest {
  readonly objectId: string;
  /** Their parameters begin with $3. */
  readonly conditions: readonly RowCondition[];
  readonly sort: Pick<RecordSort, 'name' | 'descending' | 'by'>;
  readonly page: ListPage;
  /** Whether only records with a value in the sorted field are read. */
  readonly withValue?: boolean;
}

/** A page of a list. */
export interface RecordList {
  /** Null when there is no such object. */
  readonly revision: number | null;
  readonly records: StoredRecord[];
  /** 0 when nothing was counted. */
  readonly counted: number;
  /** False when records were left out because those before them have too much text. */
  readonly isWhole: boolean;
}

/** Makes something of a page, before other calls of the tenant get its slot. */
type UseOfPage<T> = (page: RecordList) => T | Promise<T>;

type ListRow = RecordsRow & { readonly isWhole: boolean | null };

/** Lists records together with the revision of their definition: one statement a page, and so one snapshot. */
@Injectable()
export class RecordListRepository {
  constructor(private readonly database: Database) {}

  /** @param use what is made of the page @param database that of costly queries, or the usual one */
  list<T>(origin: TransactionOrigin, request: ListRequest, use: UseOfPage<T>, database = this.database): Promise<T> {
    const { objectId, conditions, sort, withValue } = request;
    const { after, offset, limit, counts, countLimit } = request.page;
    const hasValue = sort.by !== null && after !== undefined && after.value !== null;
    const shape: ListShape = {
      by: sort.by,
      descending: sort.descending,
      after: after ? (hasValue ? 'value' : 'id') : null,
      counted: counts,
      withValue,
    };
    const parameters = [
      objectId,
      ...conditions.flatMap(({ parameters }) => parameters),
      ...(hasValue ? [after.value] : []),
      ...(after ? [after.id, limit] : [limit, offset]),
      ...(counts ? [countLimit] : []),
    ];
    return this.page(database, origin, (measured) => listRecords(conditions, { ...shape, measured }), parameters, use);
  }

  /** The records that a search finds, newest first. */
  search<T>(
    database: Database,
    origin: TransactionOrigin,
    { objectId, audiences, searched }: TextSearch,
    page: ListPage,
    use: UseOfPage<T>,
  ): Promise<T> {
    const { after, offset, limit, counts, countLimit } = page;
    const parameters = [objectId, audiences, searched.text, searched.isIndexed, after?.id ?? null, offset, limit];
    return this.page(database, origin, searchRecords, [...parameters, counts ? countLimit : 0], use);
  }

  /** Records of an object, up to the most that are counted. */
  async count(tenantId: string, objectId: string, most: number): Promise<number> {
    const [row] = await this.database.read<{ records: number }>(tenantId, COUNT_RECORDS, [objectId, most]);
    return row?.records ?? 0;
  }

  private async page<T>(
    database: Database,
    origin: TransactionOrigin,
    statement: (measured: boolean) => string,
    parameters: readonly unknown[],
    use: UseOfPage<T>,
  ): Promise<T> {
    /** @returns null when the page has to be measured */
    const useRow = async ([row]: ListRow[]): Promise<{ result: T } | null> => {
      const { revision, count = 0, heads, data, isWhole } = row as ListRow;
      if (isWhole === null) return null;
      return { result: await use({ revision, counted: count, records: recordsOf(heads, data), isWhole }) };
    };
    const read = (measured: boolean) => database.read(origin, statement(measured), parameters, useRow);
    const used = (await read(false)) ?? (await read(true));
    if (!used) throw new Error('A page that was measured is not known to be whole');
    return used.result;
  }
}
