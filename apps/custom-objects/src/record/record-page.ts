import { PlatformError } from '@crm/contracts';
import type { ListPage, Position } from '@crm/http';
import type { StoredRecord } from './record.js';

/** Records read at once: what is in memory before the amount of text is known. */
const PORTION = 50;

/**
 * The most text in one answer, in UTF-16 code units. A record can have several long texts, so two hundred of them could
 * fill the memory of a process.
 */
export const PAGE_TEXT_LIMIT = 4_000_000;

/** What was read of a list. */
export interface ReadPage {
  /** One more than the page has when there are more. */
  readonly rows: string[];
  /** Position of the last record of the page, without the one more. */
  readonly end: Position;
}

/**
 * Reads and presents a page portion by portion. Only what the caller sees counts against the limit, so that texts they
 * cannot read change nothing.
 * @param read the records of a page, in the order of the list
 * @param present returns the JSON of a record
 * @returns as many as `page.limit` says, or fewer when there are no more
 * @throws INVALID_QUERY when the records have more text than fits in one answer; a single record is always returned
 */
export async function readPage(
  page: ListPage,
  read: (portion: ListPage) => Promise<StoredRecord[]>,
  present: (record: StoredRecord) => string,
  positionOf: (record: StoredRecord) => Position,
): Promise<ReadPage> {
  const rows: string[] = [];
  let end: Position = { value: null, id: '' };
  let text = 0;
  let next = page;
  while (rows.length < page.limit) {
    const limit = Math.min(PORTION, page.limit - rows.length);
    const records = await read({ ...next, limit });
    for (const record of records) {
      const json = present(record);
      rows.push(json);
      text += json.length;
      if (rows.length === page.size) end = positionOf(record);
    }
    if (text > PAGE_TEXT_LIMIT && rows.length > 2) {
      throw new PlatformError('INVALID_QUERY', 'size: these records are too long for one answer; ask for fewer');
    }
    const last = records.at(-1);
    if (records.length < limit || last === undefined) break;
    next = { ...page, offset: 0, after: positionOf(last) };
  }
  return { rows, end };
}
