import { EnumField, IntegerField, TextField } from './fields.js';

export const DEFAULT_PAGE_SIZE = 25;
export const MAX_PAGE_SIZE = 200;
/** Counting stops here unless `count=exact` is asked for. */
export const COUNT_LIMIT = 10_000;

/** Query parameters that every list takes; a list with more of them extends this class. */
export class ListQuery {
  @IntegerField({ optional: true, minimum: 1, maximum: 1_000_000, description: 'Page, from 1', example: 1 })
  page?: number;

  @IntegerField({ optional: true, minimum: 1, maximum: MAX_PAGE_SIZE, description: 'Rows in a page, 25 by default' })
  size?: number;

  @TextField({ optional: true, maxLength: 1024, description: 'Where the page before ended; instead of `page`' })
  cursor?: string;

  @EnumField(['exact'], { optional: true, description: 'Count beyond 10,000' })
  count?: string;
}

/** The page a list query asks for, with the defaults filled in. */
export function parsePage(query: Pick<ListQuery, 'page' | 'size'>): { page: number; size: number } {
  return { page: query.page ?? 1, size: query.size ?? DEFAULT_PAGE_SIZE };
}

export interface ListAnswer<Row> {
  readonly data: readonly Row[];
  readonly page: number;
  readonly size: number;
  readonly total: number;
  readonly totalIsExact: boolean;
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
}

/**
 * The answer of a list.
 * @param about what is known of the whole; the total is exact unless said otherwise, `hasMore` follows from it
 */
export function listAnswer<Row>(
  data: readonly Row[],
  about: {
    readonly page: number;
    readonly size: number;
    readonly total: number;
    readonly totalIsExact?: boolean;
    readonly hasMore?: boolean;
    readonly nextCursor?: string | null;
  },
): ListAnswer<Row> {
  const { page, size, total, totalIsExact = true, nextCursor = null } = about;
  return { data, page, size, total, totalIsExact, hasMore: about.hasMore ?? page * size < total, nextCursor };
}
