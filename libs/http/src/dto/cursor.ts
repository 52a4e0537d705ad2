import { createHash } from 'node:crypto';
import { canonicalJson, PlatformError } from '@crm/contracts';
import { FORMATS } from './formats.js';

/** Where a page ended: the value that the list is sorted by, and what decides between equal values. */
export interface Position {
  /** Null where the list is sorted by id alone, and where the value is unset. */
  readonly value: string | number | null;
  readonly id: string;
}

/** What a value sorted by can be. A cursor comes from outside, and SQL must not fail over what it holds. */
export type CursorValueType = 'none' | 'text' | 'number' | 'date' | 'date-time' | 'uuid';

/**
 * What a cursor belongs to. It names a position only, and row-level security decides what is behind it, so binding it
 * needs no secret: it keeps a cursor from being taken into another tenant, list or order by mistake.
 */
export interface CursorBinding {
  readonly tenantId: string;
  /** Name of the list, with the object or whatever else the path names. */
  readonly list: string;
  /** Order of the list, e.g. `-createdAt`; by id when left out. */
  readonly sort?: string;
  /** A JSON value of everything that decides which rows the list has. */
  readonly filter?: unknown;
  /** Type of the value sorted by; `none` when left out. */
  readonly value?: CursorValueType;
  /** `uuid` when left out. */
  readonly id?: 'uuid' | 'text';
}

export function writeCursor(binding: CursorBinding, { value, id }: Position): string {
  return Buffer.from(JSON.stringify([fingerprint(binding), value, id])).toString('base64url');
}

/** @throws INVALID_QUERY when the text is no cursor or belongs to another tenant, list, order or filter */
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
  // A number beyond a double's range is read as infinite.
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
