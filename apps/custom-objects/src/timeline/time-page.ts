import { type CursorBinding, readCursor, writeCursor } from '@crm/http';
import type { PageQuery } from './note.dto.js';
import type { TimePosition } from './note.repository.js';

const DEFAULT_SIZE = 25;
/** Most text of one page, in UTF-16 code units: values before and after may be long. What is left follows on the next page. */
const LONGEST_PAGE = 1_000_000;

/** Before the first page. */
const END_OF_TIME: TimePosition = { at: 'infinity', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };

/** A page of what happened, newest first. */
export interface TimePage {
  readonly binding: CursorBinding;
  readonly size: number;
  /** One more than the page has, to know whether there are more. */
  readonly limit: number;
  readonly after: TimePosition;
}

/** @throws INVALID_QUERY */
export function positionAfter(
  list: Pick<CursorBinding, 'tenantId' | 'list' | 'filter'>,
  { size = DEFAULT_SIZE, cursor }: PageQuery,
): TimePage {
  const binding: CursorBinding = { ...list, value: 'date-time' };
  const read = cursor === undefined ? undefined : readCursor(binding, cursor);
  const after = read && read.value !== null ? { at: String(read.value), id: read.id } : END_OF_TIME;
  return { binding, size, limit: size + 1, after };
}

/** @param rows sorted, with one more than the page if there are more */
export function pageOf<Row extends { readonly at: Date; readonly id: string }, Shown>(
  { binding, size }: TimePage,
  rows: readonly Row[],
  show: (row: Row) => Shown,
): { data: Shown[]; nextCursor: string | null } {
  const data: Shown[] = [];
  let text = 0;
  for (const row of rows.slice(0, size)) {
    const shown = show(row);
    text += JSON.stringify(shown).length;
    if (text > LONGEST_PAGE && data.length > 0) break;
    data.push(shown);
  }
  const last = data.length < rows.length ? rows[data.length - 1] : undefined;
  return { data, nextCursor: last ? writeCursor(binding, { value: last.at.toISOString(), id: last.id }) : null };
}

/** Orders the changes of a record among what has ids: after everything else of the same moment, those besides the versions first. */
export const idOfChange = ({ version, isBesides }: { readonly version: number; readonly isBesides: boolean }): string =>
  `${isBesides ? BESIDES : VERSION}${version.toString(16).padStart(12, '0')}`;

const VERSION = '00000000-0000-0000-0000-';
const BESIDES = '00000000-0000-0000-0001-';
const LAST_VERSION = 2_147_483_647;

/** Returns the versions of changes at the moment of an id before which those come that follow it. */
export function changesAfter(id: string): { readonly version: number; readonly besides: number } {
  const version = Math.min(Number.parseInt(id.slice(-12), 16), LAST_VERSION);
  if (id.startsWith(VERSION)) return { version, besides: 0 };
  return { version: LAST_VERSION, besides: id.startsWith(BESIDES) ? version : LAST_VERSION };
}
