import { Database, TENANT_OF_STATEMENT, type TenantTransaction } from '@crm/database';
import type { ListPage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import type { StoredRecord } from '../reading/record.js';
import { COLUMNS, inTexts, REVISION, type RecordsRow, recordsOf } from '../reading/record.repository.js';
import type { RecordSort, SortExpression } from './record-sort.js';

/** A condition on a record row: SQL and its own parameters, numbered from the first one that was free. */
export interface RowCondition {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  /** The field by which records are selected, when no index has it: each record is looked at. */
  readonly unindexedField?: string;
}

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
  SELECT object.revision, ${shape.counted ? 'counted.count, ' : ''}page.heads, page.data
    FROM ${TENANT_OF_STATEMENT} ${REVISION} ${shape.counted ? count : ''} ${inTexts(page)}`;
}

/** The records of a page, in its order, and the number of its last parameter. */
function pageOf(where: string, first: number, { by, descending, after }: ListShape) {
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
  // Two parts, each in the order of an index; the second is read only as far as the first does not fill the page.
  const upTo = after ? `LIMIT $${last}` : `LIMIT $${first}::bigint + $${first + 1}::bigint`;
  const parts = `
      SELECT * FROM ((${select(` AND ${sql} IS NOT NULL${position}`, byValue, upTo)})
           UNION ALL (${select(` AND ${sql} IS NULL`, byId, upTo)})) AS parts ${limit}`;
  return { page: parts, last };
}

/** What a statement lists. */
export interface ListRequest {
  readonly objectId: string;
  /** Their parameters begin with $3. */
  readonly conditions: readonly RowCondition[];
  readonly sort: Pick<RecordSort, 'name' | 'descending' | 'by'>;
  readonly page: ListPage;
  /** Whether to count the matches of all pages, up to `page.countLimit`. */
  readonly counts: boolean;
}

/** A part of a list. */
export interface RecordList {
  /** Null when there is no such object. */
  readonly revision: number | null;
  readonly records: StoredRecord[];
  /** 0 when nothing was counted. */
  readonly counted: number;
}

/** Lists records, in one statement per page. */
@Injectable()
export class RecordListRepository {
  constructor(private readonly database: Database) {}

  /**
   * Lists records together with the revision of their definition, in one snapshot.
   * @param tx runs outside a transaction when absent
   */
  async list(tenantId: string, request: ListRequest, tx?: TenantTransaction): Promise<RecordList> {
    const { objectId, conditions, sort, counts } = request;
    const { after, offset, limit, countLimit } = request.page;
    const hasValue = sort.by !== null && after !== undefined && after.value !== null;
    const statement = listRecords(conditions, {
      by: sort.by,
      descending: sort.descending,
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
}
