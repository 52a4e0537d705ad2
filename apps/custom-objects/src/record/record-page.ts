import { PlatformError } from '@crm/contracts';
import type { ListPage, Position } from '@crm/http';
import type { RecordView, StoredRecord } from './record.js';

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
  readonly views: RecordView[];
  /** Position of the last record of the page, without the one more. */
  readonly end: Position;
}

/**
 * Reads and presents a page portion by portion. Only what the caller sees counts against the limit, so that texts they
 * cannot read change nothing.
 * @param read the records of a page, in the order of the list
 * @returns as many as `page.limit` says, or fewer when there are no more
 * @throws INVALID_QUERY when the records have more text than fits in one answer; a single record is always returned
 */
export async function readPage(
  page: ListPage,
  read: (portion: ListPage) => Promise<StoredRecord[]>,
  present: (record: StoredRecord) => RecordView,
  positionOf: (record: StoredRecord) => Position,
): Promise<ReadPage> {
  const views: RecordView[] = [];
  let end: Position = { value: null, id: '' };
  let text = 0;
  let next = page;
  while (views.length < page.limit) {
    const limit = Math.min(PORTION, page.limit - views.length);
    const records = await read({ ...next, limit });
    for (const record of records) {
      const view = present(record);
      views.push(view);
      text += textLength(view);
      if (views.length === page.size) end = positionOf(record);
    }
    if (text > PAGE_TEXT_LIMIT && views.length > 2) {
      throw new PlatformError('INVALID_QUERY', 'size: these records are too long for one answer; ask for fewer');
    }
    const last = records.at(-1);
    if (records.length < limit || last === undefined) break;
    next = { ...page, offset: 0, after: positionOf(last) };
  }
  return { views, end };
}

function textLength(view: RecordView): number {
  let length = 0;
  for (const name in view) {
    const value = view[name];
    if (typeof value === 'string') length += value.length;
  }
  return length;
}
