import { createHash } from 'node:crypto';
import { canonicalJson, PlatformError } from '@crm/contracts';
import { FORMATS } from './formats.js';

/** The end of a page: the value that the list is sorted by, and the id that orders equal values. */
export interface Position {
  /** Null when the list is sorted by id alone or the value is unset. */
  readonly value: string | number | null;
  readonly id: string;
}

/** Types of sort values. A cursor is untrusted, and its content must not make SQL fail. */
export type CursorValueType = 'none' | 'text' | 'number' | 'date' | 'date-time' | 'uuid';

/**
 * What a cursor belongs to. A cursor only names a position, and row-level security decides which rows are visible, so the
 * binding needs no secret: it prevents the accidental use of a cursor in another tenant, list or order.
 */
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
  /** Default `uuid`. */
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
  return createHash('sha256').update(parts).digest('base64url').slice(0, 16);
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
  date: hasFormat('date'),
  'date-time': hasFormat('date-time'),
  uuid: hasFormat('uuid'),
};

function decode(cursor: string): readonly unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    return Array.isArray(parts) ? parts : [];
  } catch (error) {
    throw invalid(error);
  }
}

const invalid = (cause?: unknown): PlatformError =>
  new PlatformError('INVALID_QUERY', 'cursor: not a cursor of this list', { cause });
