import { Batches, Database, isCausedByOneTenant, TENANT_OF_STATEMENT, type TransactionOrigin } from '@crm/database';
import type { ListPage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { StoredRecord } from '../reading/record.js';
import { COLUMNS, HEAD, REVISION, type RecordsRow, recordsOf } from '../reading/record.repository.js';
import { Parameters, scalarParameter } from './field-column.js';
import { MAX_DRIVER_MATCHES, type RowCondition } from './filter-sql.js';
import { type RecordSort, type SortExpression, valuesAt } from './record-sort.js';
import type { TextSearch } from './search-text.js';

/** Bytes of JSON after which a statement returns one more record at most, so that a page of one knows whether more follow. */
const PAGE_BYTES = 16_000_000;
/** Shorter rows are not compressed. Postgres' algorithms make a text at most so many times shorter. */
const [SHORTEST_COMPRESSED, MOST_COMPRESSION] = [2_000, 256];
/** A page of more JSON, in UTF-16 units, shares no transaction: others would wait for it. */
const SHORT_PAGE = 100_000;
const KEPT_LENGTHS = 10_000;

export interface ListShape {
  readonly descending: boolean;
  /** The expression that precedes the id in the order; null to order by the id alone. */
  readonly by: Pick<SortExpression, 'sql' | 'sqlType' | 'unset'> | null;
  /**
   * The position of the page: after an id (in descending order also among records without a value), after a value and an id, or
   * null for the start with an offset. Its parameters follow those of the conditions.
   */
  readonly after: 'id' | 'value' | null;
  /** True when all matches are counted too, up to a limit that is the last parameter; null counts all. */
  readonly counted: boolean;
  /** The condition, by its number, whose records are found before anything else is done, if they are few: the planner would guess. */
  readonly driver?: number;
  /** True when the JSON of each record is measured, which a page with large records needs. */
  readonly measured?: boolean;
  /** True when values are left out, by the keys in the last parameter. */
  readonly trimmed?: boolean;
  /** In place of `by` and `after`: several values. */
  readonly keyed?: KeyedOrder;
}

/** An order by several values, and the position of the page in it. */
interface KeyedOrder {
  readonly orderBy: string;
  /** A condition, or empty. */
  readonly position: string;
  /** Those of the order and of the position; they follow those of the conditions. */
  readonly parameters: readonly unknown[];
}

const whereOf = (conditions: readonly RowCondition[]): string =>
  [
    'tenant_id = $1::uuid AND tenant.id IS NOT NULL AND object_id = $2 AND deleted_at IS NULL',
    ...conditions.map(({ sql }) => sql),
  ].join(' AND ');

/**
 * The table with its conditions; by that of the driver there are none when it has more than MAX_DRIVER_MATCHES, which `driver.tooMany` says.
 * @param order of the page: where the driver's index has it, no more is read than the page needs
 */
export function rowsOf(
  conditions: readonly RowCondition[],
  driver?: number,
  order = '',
): { rows: string; driven: string } {
  const first = driver === undefined ? undefined : conditions[driver];
  if (!first) return { rows: `custom_record WHERE ${whereOf(conditions)}`, driven: '' };
  const found = whereOf([{ ...first, sql: first.bySlot ?? first.sql }]);
  const others = conditions.filter((condition) => condition !== first).map(({ sql }) => sql);
  return {
    // Whatever the planner expects of the others.
    rows: `(SELECT * FROM custom_record WHERE NOT driver."tooMany" AND ${found} ${order} OFFSET 0) AS few WHERE ${others.join(' AND ') || 'true'}`,
    driven: `
    LEFT JOIN LATERAL (SELECT count(*) > ${MAX_DRIVER_MATCHES} AS "tooMany"
                         FROM (SELECT 1 FROM custom_record WHERE ${found} LIMIT ${MAX_DRIVER_MATCHES + 1}) AS found) AS driver ON true`,
  };
}

/** Number of the first parameter after those of the conditions. */
export const firstAfter = (conditions: readonly RowCondition[]): number =>
  3 + conditions.reduce((sum, { parameters }) => sum + parameters.length, 0);

/**
 * One row with the revision, the count and a page of records; records without a value come last. $1: tenant, $2:
 * object, from $3: the parameters of the conditions.
 */
export function listRecords(conditions: readonly RowCondition[], shape: ListShape): string {
  const { rows, driven } = rowsOf(conditions, shape.driver);
  const order = shape.by || shape.keyed ? '' : `ORDER BY id ${shape.descending ? 'DESC' : 'ASC'}`;
  const { page, last } = pageOf(rowsOf(conditions, shape.driver, order).rows, firstAfter(conditions), shape);
  const keys = `$${last + (shape.counted ? 2 : 1)}::text[]`;
  const count = `
    LEFT JOIN LATERAL (SELECT count(*)::int AS count
                         FROM (SELECT 1 FROM ${rows} LIMIT $${last + 1}) AS matching) AS counted ON true`;
  return `
  SELECT object.revision, ${driven && 'driver."tooMany", '}${shape.counted ? 'counted.count, ' : ''}page.*
    FROM ${TENANT_OF_STATEMENT} ${REVISION} ${driven} ${shape.counted ? count : ''} ${pageTexts(page, shape, keys)}`;
}

/**
 * The page of a search, newest first, and the count of all its pages, in one snapshot. $1: tenant, $2: object, from $3:
 * audiences, text, whether it is indexed, id after which the page begins, records to skip, records to read, most that are
 * counted, whether the JSON of each record is measured, keys of the values that are left out.
 */
export const SEARCH_PAGE = 'SELECT * FROM search_page($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)';

/**
 * The records of a page as two texts, as those of READ_RECORDS. Not measured, `isWhole` is null and there are no records
 * where they may have more than PAGE_BYTES; measured, it is false where some were left out, and then there are two at least.
 * @param page a query that selects COLUMNS
 * @param keys of the values that are left out before anything is measured, where there are such
 */
function pageTexts(page: string, { measured, trimmed }: ListShape, keys: string): string {
  const size = 'pg_column_size(data)';
  // Without OFFSET they would be left out for each use of the data.
  const records = trimmed
    ? `SELECT id, version, data - ${keys} AS data, "createdAt", "updatedAt" FROM (${page}) AS whole OFFSET 0`
    : page;
  // What was left out of is not compressed.
  const bytes = trimmed
    ? size
    : `CASE WHEN ${size} < ${SHORTEST_COMPRESSED} THEN ${size} ELSE ${size}::bigint * ${MOST_COMPRESSION} END`;
  const texts = `
    LEFT JOIN LATERAL (SELECT string_agg(${HEAD}, ',') AS heads, string_agg(data::text, E',\\n') AS data, true AS "isWhole"
                         FROM (${records}) AS records
                       HAVING coalesce(sum(${bytes}), 0)
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
function pageOf(rows: string, free: number, { by, descending, after, keyed }: ListShape) {
  const direction = descending ? 'DESC' : 'ASC';
  const beyond = descending ? '<' : '>';
  const first = free + (keyed?.parameters.length ?? 0);
  const last = first + (after === 'value' ? 2 : 1);
  const select = (condition: string, order: string, limit: string) =>
    `SELECT ${COLUMNS} FROM ${rows}${condition} ORDER BY ${order} ${limit}`;
  if (keyed) {
    return { page: select(keyed.position, keyed.orderBy, `LIMIT $${first} OFFSET $${first + 1}`), last: first + 1 };
  }
  const limit = after ? `LIMIT $${last}` : `LIMIT $${first} OFFSET $${first + 1}`;
  if (!by) {
    const position = after ? ` AND id ${beyond} $${first}` : '';
    return { page: select(position, `id ${direction}`, limit), last };
  }

  const { sql, sqlType, unset } = by;
  const byValue = `${sql} ${direction}, id ${direction}`;
  const isUnset = ` AND ${sql} = '${unset}'`;
  if (after === 'id') return { page: select(`${isUnset} AND id ${beyond} $${first}`, `id ${direction}`, limit), last };
  const position = after ? ` AND (${sql}, id) ${beyond} ($${first}::${sqlType}, $${first + 1}::uuid)` : '';
  // Said for the planner: the index of a slot has the objects alone whose slot it is.
  const following = ` AND ${sql} IS NOT NULL${position}`;
  if (!descending || unset === null) return { page: select(following, byValue, limit), last };
  // Read backwards the records without a value would come first: a part of their own, read only as far as the first does not fill the page.
  // Never both conditions: a scan would begin at this one, and read everything down to the position.
  const withValue = after ? following : ` AND ${sql} < '${unset}'`;
  const upTo = after ? `LIMIT $${last}` : `LIMIT $${first}::bigint + $${first + 1}::bigint`;
  const parts = `
      SELECT * FROM ((${select(withValue, byValue, upTo)})
           UNION ALL (${select(isUnset, `id ${direction}`, upTo)})) AS parts ${limit}`;
  return { page: parts, last };
}

/** @param first number of the first free parameter */
function keyedOrder(
  { keys = [], descending }: Pick<RecordSort, 'keys' | 'descending'>,
  after: ListPage['after'],
  first: number,
): KeyedOrder {
  const parameters = new Parameters(first);
  const columns = keys.map((key) => ({ ...key, column: key.column(parameters) }));
  const orderBy = columns.flatMap(({ descending, column: { sql, isUnset, unset } }) =>
    descending || unset === null
      ? [...(isUnset === null ? [] : [`(${isUnset})`]), `${sql} ${descending ? 'DESC' : 'ASC'}`]
      : `${sql} ASC`,
  );
  orderBy.push(`id ${descending ? 'DESC' : 'ASC'}`);
  let position = '';
  if (after) {
    const values = valuesAt(keys, after);
    position = columns.reduceRight(
      (rest, { descending, column }, index) => {
        const { sql, isUnset, unset } = column;
        const comesLast = descending || unset === null;
        const value = values[index] ?? (comesLast ? null : unset);
        if (value === null) return `((${isUnset}) AND ${rest})`;
        const wanted = scalarParameter(column, parameters.bind(value));
        const beyond = `${sql} ${descending ? '<' : '>'} ${wanted} OR (${sql} = ${wanted} AND ${rest})`;
        return comesLast && isUnset !== null ? `((${isUnset}) OR ${beyond})` : `(${beyond})`;
      },
      `id ${descending ? '<' : '>'} ${parameters.bind(after.id)}::uuid`,
    );
  }
  return { orderBy: orderBy.join(', '), position: position && ` AND ${position}`, parameters: parameters.values };
}

/** By an index alone. $1: tenant, $2: object, $3: the most that are counted. */
export const COUNT_RECORDS = `
  SELECT live.records
    FROM ${TENANT_OF_STATEMENT}
    LEFT JOIN LATERAL (SELECT count(*)::int AS records
                         FROM (SELECT 1 FROM custom_record WHERE ${whereOf([])} LIMIT $3) AS counted) AS live ON true`;

/** What a statement lists. */
export interface ListRequest {
  readonly objectId: string;
  /** Their parameters begin with $3. */
  readonly conditions: readonly RowCondition[];
  readonly sort: Pick<RecordSort, 'name' | 'descending' | 'by' | 'keys'>;
  readonly page: ListPage;
  /** The condition, by its number, of which MAX_DRIVER_MATCHES records match, or else there is no page. */
  readonly driver?: number;
  /** Keys of the values that the answer does not need. */
  readonly unneeded: readonly string[];
  /** True when an index has the first records of the page in order, so that it takes no longer than its JSON. */
  readonly isInOrder?: boolean;
}

/** A page of a list. */
export interface RecordList {
  /** Null when the object does not exist. */
  readonly revision: number | null;
  readonly records: StoredRecord[];
  /** 0 when nothing was counted. */
  readonly counted: number;
  /** False when records were left out because those before them have too much text. */
  readonly isWhole: boolean;
  /** True when more than MAX_DRIVER_MATCHES records match the driver. */
  readonly tooMany?: boolean;
}

/** Makes something of a page, before other calls of the tenant get its slot. */
type UseOfPage<T> = (page: RecordList) => T | Promise<T>;

/** A page that may share a transaction. */
interface ShortPage {
  readonly object: string;
  /** UTF-16 units of its JSON that are expected. */
  readonly length: number;
  readonly origin: TransactionOrigin;
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

type ListRow = RecordsRow & { readonly isWhole: boolean | null; readonly tooMany?: boolean };

/** Lists records together with the revision of their definition: one statement a page, and so one snapshot. */
@Injectable()
export class RecordListRepository {
  /** UTF-16 units of the JSON of a record, by object and what is left out, as its last page had them. */
  private readonly lengths = new LRUCache<string, number>({ max: KEPT_LENGTHS });
  private readonly short = new Batches<ShortPage, ListRow>({
    executeBatch: (pages) => this.readBatch(pages),
    executeOne: (page) => this.readOne(page),
    isCausedByOneCall: isCausedByOneTenant,
    groupOf: ({ object }) => object,
    weightOf: ({ length }) => length,
  });

  constructor(private readonly database: Database) {}

  /** @param use what is made of the page @param database that of costly queries, or the usual one */
  list<T>(origin: TransactionOrigin, request: ListRequest, use: UseOfPage<T>, database = this.database): Promise<T> {
    const { objectId, conditions, sort, driver, unneeded, isInOrder = false } = request;
    const trimmed = unneeded.length > 0;
    const { after, offset, limit, counts, countLimit } = request.page;
    const value = after?.value ?? (sort.descending ? null : sort.by?.unset);
    const hasValue = sort.by !== null && after !== undefined && value !== null;
    const keyed = sort.keys && keyedOrder(sort, after, firstAfter(conditions));
    const shape: ListShape = {
      by: sort.by,
      descending: sort.descending,
      after: after && !keyed ? (hasValue ? 'value' : 'id') : null,
      counted: counts,
      ...(driver !== undefined && { driver }),
      ...(keyed && { keyed }),
      ...(trimmed && { trimmed }),
    };
    const parameters = [
      objectId,
      ...conditions.flatMap(({ parameters }) => parameters),
      ...(keyed?.parameters ?? []),
      ...(hasValue ? [value] : []),
      ...(after && !keyed ? [after.id, limit] : [limit, offset]),
      ...(counts ? [countLimit] : []),
      ...(trimmed ? [unneeded] : []),
    ];
    const ofPage = (measured: boolean) => ({ sql: listRecords(conditions, { ...shape, measured }), parameters });
    const object = `${origin.tenantId}/${objectId}`;
    const answered = trimmed ? `${object} ${unneeded}` : object;
    const length = (this.lengths.get(answered) ?? Number.POSITIVE_INFINITY) * limit;
    const short = isInOrder && length <= SHORT_PAGE ? { object, length, origin, ...ofPage(false) } : undefined;
    const remember = (page: RecordList, units: number) => {
      if (page.records.length > 0) this.lengths.set(answered, units / page.records.length);
      return use(page);
    };
    return this.page(database, origin, ofPage, remember, short);
  }

  /** The records that a search finds, newest first. @param unneeded keys of the values that the answer does not need */
  search<T>(
    database: Database,
    origin: TransactionOrigin,
    { objectId, audiences, searched }: TextSearch,
    page: ListPage,
    unneeded: readonly string[],
    use: UseOfPage<T>,
  ): Promise<T> {
    const { after, offset, limit, counts, countLimit } = page;
    const parameters = [objectId, audiences, searched.text, searched.isIndexed, after?.id ?? null, offset, limit];
    const ofPage = (measured: boolean) => ({
      sql: SEARCH_PAGE,
      parameters: [...parameters, counts ? countLimit : 0, measured, unneeded],
    });
    return this.page(database, origin, ofPage, use);
  }

  /** Records of an object, up to the most that are counted. */
  async count(tenantId: string, objectId: string, most: number): Promise<number> {
    const [row] = await this.database.read<{ records: number }>(tenantId, COUNT_RECORDS, [objectId, most]);
    return row?.records ?? 0;
  }

  private async page<T>(
    database: Database,
    origin: TransactionOrigin,
    statement: (measured: boolean) => { sql: string; parameters: readonly unknown[] },
    use: (page: RecordList, units: number) => T | Promise<T>,
    short?: ShortPage,
  ): Promise<T> {
    /** @returns null when the page has to be measured */
    const useRow = async ([row]: ListRow[]): Promise<{ result: T } | null> => {
      const { revision, count = 0, heads, data, isWhole, tooMany = false } = row as ListRow;
      if (isWhole === null) return null;
      const page = { revision, counted: count, records: recordsOf(heads, data), isWhole, tooMany };
      return { result: await use(page, data?.length ?? 0) };
    };
    const read = (measured: boolean) => {
      const { sql, parameters } = statement(measured);
      return database.read(origin, sql, parameters, useRow);
    };
    const first = short ? useRow([await this.readShort(short)]) : read(false);
    const used = (await first) ?? (await read(true));
    if (!used) throw new Error('A page that was measured is not known to be whole');
    return used.result;
  }

  private async readShort(page: ShortPage): Promise<ListRow> {
    return this.short.run(await this.database.sharedTransactionKey(page.object), page);
  }

  private async readBatch(pages: readonly ShortPage[]): Promise<{ result: ListRow }[]> {
    const [only] = pages as [ShortPage];
    if (pages.length === 1) return [{ result: await this.readOne(only) }];
    const { answers } = await this.database.sharedTransaction(
      { kind: 'lists', tenantId: only.origin.tenantId },
      async (tx) => ({
        answers: pages.map(({ origin, sql, parameters }) =>
          tx.issueReturning<ListRow>(sql, [origin.tenantId, ...parameters], true),
        ),
      }),
    );
    return (await Promise.all(answers)).map(([row]) => ({ result: row as ListRow }));
  }

  private readOne({ origin, sql, parameters }: ShortPage): Promise<ListRow> {
    return this.database.read(origin, sql, parameters, ([row]: ListRow[]) => row as ListRow);
  }
}
