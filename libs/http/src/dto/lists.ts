import { PlatformError } from '@crm/contracts';
import { type CursorBinding, type Position, readCursor, writeCursor } from './cursor.js';
import { EnumField, IntegerField, TextField } from './fields.js';

export const DEFAULT_PAGE_SIZE = 25;
export const MAX_PAGE_SIZE = 200;
/** How many rows of the whole list are counted; by default as `estimated`. */
export const COUNTS = ['exact', 'estimated', 'none'] as const;
/** Counting stops here unless the request has `count=exact`. */
export const COUNT_LIMIT = 10_000;
/** Last row reachable by page number; later ones need a cursor, because skipping rows costs as much as reading them. */
export const MAX_OFFSET = 100_000;
/** Enough for a position with a long text; servers accept about 16 KB of request line and headers together. */
export const MAX_CURSOR_LENGTH = 8_000;

/** Query parameters of every list; a list with more of them extends this class. */
export class ListQuery {
  @IntegerField({ optional: true, minimum: 1, maximum: 1_000_000, description: 'Page, from 1', example: 1 })
  page?: number;

  @IntegerField({ optional: true, minimum: 1, maximum: MAX_PAGE_SIZE, description: 'Rows per page, 25 by default' })
  size?: number;

  @TextField({
    optional: true,
    minLength: 1,
    maxLength: MAX_CURSOR_LENGTH,
    description: '`nextCursor` of the previous page; takes precedence over `page`',
  })
  cursor?: string;

  @EnumField(COUNTS, {
    optional: true,
    description:
      '`estimated`, the default, counts up to 10,000; `exact` counts all; `none` counts nothing. Pages by `cursor` are not counted unless `count` is given',
  })
  count?: (typeof COUNTS)[number];
}

/** The requested page. */
export interface ListPage {
  /** From 1; ignored when `after` is set. */
  readonly page: number;
  readonly size: number;
  /** The end of the previous page. */
  readonly after?: Position;
  /** Rows to skip; 0 when `after` is set. */
  readonly offset: number;
  /** Rows to read: one more than the page size, to detect whether there are more. */
  readonly limit: number;
  /** False when the answer says nothing about the length of the whole list. */
  readonly counts: boolean;
  /** Rows to count at most; null for all of them; 0 when nothing is counted. */
  readonly countLimit: number | null;
  readonly binding: CursorBinding;
}

/**
 * The page that a list query requests, with defaults filled in.
 * @param binding what a cursor of this list is bound to
 * @throws INVALID_QUERY for a cursor of another list and for a page beyond 100,000 rows
 */
export function parsePage(query: ListQuery, binding: CursorBinding): ListPage {
  const { page = 1, size = DEFAULT_PAGE_SIZE, cursor } = query;
  const after = cursor === undefined ? undefined : readCursor(binding, cursor);
  const offset = after ? 0 : (page - 1) * size;
  if (offset > MAX_OFFSET) {
    throw new PlatformError('INVALID_QUERY', `page: reaches ${MAX_OFFSET} rows; go on with cursor`);
  }
  // Whoever follows a cursor has the total of the first page.
  const count = query.count ?? (after ? 'none' : 'estimated');
  const counts = count !== 'none';
  return {
    page,
    size,
    offset,
    after,
    limit: size + 1,
    counts,
    countLimit: count === 'exact' ? null : counts ? COUNT_LIMIT + 1 : 0,
    binding,
  };
}

export interface ListAnswer<Row> {
  readonly data: readonly Row[];
  readonly page: number;
  readonly size: number;
  /** Null when the request asked for no count. */
  readonly total: number | null;
  readonly totalIsExact: boolean;
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
}

/**
 * The response of a list.
 * @param rows read with the page's `limit`
 * @param counted number of rows of the whole list, counted up to the page's `countLimit`; ignored when nothing is counted
 * @param positionOf the position of a row in the order of the list
 */
export function listAnswer<Row>(
  rows: readonly Row[],
  { page, size, counts, countLimit, binding }: ListPage,
  counted: number,
  positionOf: (row: Row) => Position,
): ListAnswer<Row> {
  const data = rows.slice(0, size);
  const last = data.at(-1);
  const hasMore = rows.length > size;
  const totalIsExact = counts && (countLimit === null || counted < countLimit);
  const total = counts && !totalIsExact ? COUNT_LIMIT : counted;
  return {
    data,
    page,
    size,
    total: counts ? total : null,
    totalIsExact,
    hasMore,
    nextCursor: hasMore && last !== undefined ? writeCursor(binding, positionOf(last)) : null,
  };
}

/** The same list with converted rows. */
export function mapList<Row, Shown>(list: ListAnswer<Row>, show: (row: Row) => Shown): ListAnswer<Shown> {
  return { ...list, data: list.data.map(show) };
}

/** Position in a list that is sorted by id alone. */
export const idPosition = ({ id }: { readonly id: string }): Position => ({ value: null, id });
