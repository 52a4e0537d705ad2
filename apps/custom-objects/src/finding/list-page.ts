import { setImmediate } from 'node:timers/promises';
import { PlatformError } from '@crm/contracts';
import type { StoredRecord } from '../reading/record.js';

/**
 * Most text in one response, in UTF-16 code units: two hundred records with long texts could exhaust the memory of a
 * process.
 */
export const PAGE_TEXT_LIMIT = 4_000_000;

/** Characters of JSON that take about a millisecond to write. */
export const LONG_TEXT = 100_000;

/** The JSON of the records of a page. */
export interface PageText {
  readonly rows: string[];
  /** In UTF-16 code units. */
  length: number;
}

/**
 * Serializes records of a page, after those that it has. Only text that the caller sees counts against the limit. A long page is written
 * in parts: between them the process does what else there is to do.
 * @throws INVALID_QUERY when the records have more text than fits in one response; a single record is always returned
 */
export async function presentPage(
  page: PageText,
  records: readonly StoredRecord[],
  present: (record: StoredRecord) => string,
): Promise<void> {
  let rested = page.length;
  for (const record of records) {
    const json = present(record);
    page.length += json.length;
    page.rows.push(json);
    if (page.length > PAGE_TEXT_LIMIT && page.rows.length > 1) throw tooLong();
    if (page.length > rested + LONG_TEXT) {
      rested = page.length;
      await setImmediate();
    }
  }
}

/** @param parameter that decides how much is answered */
export const tooLong = (parameter: 'size' | 'groupBy' = 'size'): PlatformError =>
  new PlatformError('INVALID_QUERY', `${parameter}: the response would be too large; request fewer records`);
