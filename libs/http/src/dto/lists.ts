import { hash } from 'node:crypto';
import { canonicalJson, isBase64url, PlatformError } from '@crm/contracts';
import { EnumField, IntegerField, TextField } from './fields.js';
import { FORMATS } from './rules.js';
import { type JsonSchema, type JsonType, resolvePart } from './schema.js';

/** The end of a page: the value that the list is sorted by, and the id that orders equal values. */
export interface Position {
  /** Null when the list is sorted by id alone or the value is unset. */
  readonly value: string | number | null;
  readonly id: string;
}

/** Types of sort values. A cursor is untrusted, and its content must not make SQL fail. */
export type CursorValueType = 'none' | 'text' | 'number' | 'boolean' | 'date' | 'date-time' | 'uuid';

/** Prevents the accidental use of a cursor elsewhere; it needs no secret, as row-level security decides what is visible. */
export interface CursorBinding {
  readonly tenantId: string;
  /** Name of the list, with the object or other resource in the path. */
  readonly list: string;
  /** Order of the list, e.g. `-createdAt`; default: by id. */
  readonly sort?: string;
  /** A JSON value of everything that decides which rows the list has. */
  readonly filter?: unknown;
  /** Type of the value sorted by; default `none`. */
  readonly value?: CursorValueType;
  readonly id?: 'uuid' | 'text';
}

export function writeCursor(binding: CursorBinding, { value, id }: Position): string {
  return Buffer.from(JSON.stringify([fingerprint(binding), value, id])).toString('base64url');
}

/** @throws INVALID_QUERY when the text is not a cursor or belongs to another tenant, list, order or filter */
export function readCursor(binding: CursorBinding, cursor: string): Position {
  const [bound, value, id] = decode(cursor);
  const { value: valueType = 'none', id: idType = 'uuid' } = binding;
  const fits = value === null || FITS[valueType](value);
  if (bound !== fingerprint(binding) || !fits || !FITS[idType](id)) throw invalid();
  return { value: value as Position['value'], id: id as string };
}

function fingerprint({ tenantId, list, sort, filter }: CursorBinding): string {
  const parts = canonicalJson([tenantId, list, sort ?? null, filter ?? null]);
  return hash('sha256', parts, 'base64url').slice(0, 16);
}

const isText = (part: unknown): part is string => typeof part === 'string' && !part.includes('\0');
const hasFormat =
  (format: keyof typeof FORMATS) =>
  (part: unknown): boolean =>
    isText(part) && FORMATS[format].test(part);

const FITS: Readonly<Record<CursorValueType, (part: unknown) => boolean>> = {
  none: () => false,
  text: isText,
  // A number beyond a double's range is parsed as infinite.
  number: Number.isFinite,
  boolean: (part) => typeof part === 'boolean',
  date: hasFormat('date'),
  // Postgres reads offsets up to 15:59, RFC 3339 has more.
  'date-time': (part) => hasFormat('date-time')(part) && /(?:z|[+-](?:0|1[0-5]))/i.test(String(part).slice(19)),
  uuid: hasFormat('uuid'),
};

/** Returns whether a part of a position is a value of the type. */
export const fitsCursor = (type: CursorValueType, part: unknown): boolean => FITS[type](part);

function decode(cursor: string): readonly unknown[] {
  if (!isBase64url(cursor)) throw invalid();
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    return Array.isArray(parts) ? parts : [];
  } catch (error) {
    throw invalid(error);
  }
}

const invalid = (cause?: unknown): PlatformError =>
  new PlatformError('INVALID_QUERY', 'cursor: this cursor belongs to a different list, filter, or sort', { cause });

export const DEFAULT_PAGE_SIZE = 25;
export const MAX_PAGE_SIZE = 200;
const COUNTS = ['exact', 'estimated', 'none'] as const;
/** Counting stops here unless the request has `count=exact`. */
export const COUNT_LIMIT = 10_000;
/** Last row reachable by page number; later ones need a cursor, because skipping rows costs as much as reading them. */
export const MAX_OFFSET = 100_000;
/** Enough for a position with a long text; servers accept about 16 KB of request line and headers together. */
export const MAX_CURSOR_LENGTH = 8_000;

/** Query parameters of every list; a list with more of them extends this class. */
export class ListQuery {
  @IntegerField({ optional: true, minimum: 1, maximum: 1_000_000, description: 'Page number, from 1', example: 1 })
  page?: number;

  @IntegerField({ optional: true, minimum: 1, maximum: MAX_PAGE_SIZE, description: 'Rows per page; 25 by default' })
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
      "`estimated` (default) counts up to 10,000; `exact` counts all; `none` counts nothing. Pages by `cursor` aren't counted unless you send `count`",
  })
  count?: (typeof COUNTS)[number];
}

export interface ListPage {
  /** From 1; ignored when `after` is set. */
  readonly page: number;
  readonly size: number;
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

/** @throws INVALID_QUERY for a cursor of another list and for a page beyond 100,000 rows */
export function parsePage(query: ListQuery, binding: CursorBinding): ListPage {
  const { page = 1, size = DEFAULT_PAGE_SIZE, cursor } = query;
  const after = cursor === undefined ? undefined : readCursor(binding, cursor);
  const offset = after ? 0 : (page - 1) * size;
  if (offset > MAX_OFFSET) {
    throw new PlatformError('INVALID_QUERY', `page: covers the first ${MAX_OFFSET} rows. Use cursor to read on`);
  }
  // Anyone who follows a cursor has the total of the first page.
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

/** @param counted rows of the whole list up to the page's `countLimit`; ignored when nothing is counted */
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

export function mapList<Row, Shown>(list: ListAnswer<Row>, show: (row: Row) => Shown): ListAnswer<Shown> {
  return { ...list, data: list.data.map(show) };
}

/** Position in a list that is sorted by id alone. */
export const idPosition = ({ id }: { readonly id: string }): Position => ({ value: null, id });

type Coercion = (value: unknown) => unknown;

const NUMBER = /^-?\d+(\.\d+)?$/;

const coercions = new WeakMap<JsonSchema, ReadonlyMap<string, Coercion>>();

/** A value of another type stays text, so that validation reports it; a list parameter may occur once or repeatedly. */
export function coerceQuery(schema: JsonSchema, query: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const byName = coercionsOf(schema);
  const values: Record<string, unknown> = Object.create(null);
  for (const name of Object.keys(query)) {
    const coerce = byName.get(name);
    values[name] = coerce ? coerce(query[name]) : query[name];
  }
  return values;
}

function coercionsOf(schema: JsonSchema): ReadonlyMap<string, Coercion> {
  let known = coercions.get(schema);
  if (!known) {
    known = new Map(
      Object.entries(schema.properties ?? {}).flatMap(([name, part]) => {
        const coerce = coercionOf(resolvePart(part));
        return coerce ? [[name, coerce] as const] : [];
      }),
    );
    coercions.set(schema, known);
  }
  return known;
}

/** @returns undefined where a value stays as it is */
function coercionOf(schema: JsonSchema): Coercion | undefined {
  const types: JsonType[] = schema.type === undefined ? [] : [schema.type].flat();
  if (types.includes('array')) {
    const ofItem = schema.items && coercionOf(resolvePart(schema.items));
    return (value) => (ofItem ? [value].flat().map(ofItem) : [value].flat());
  }
  const isNumeric = types.includes('integer') || types.includes('number');
  const isBoolean = types.includes('boolean');
  if (!isNumeric && !isBoolean) return undefined;
  return (value) => {
    if (typeof value !== 'string') return value;
    if (isNumeric && NUMBER.test(value)) return Number(value);
    if (isBoolean && (value === 'true' || value === 'false')) return value === 'true';
    return value;
  };
}
