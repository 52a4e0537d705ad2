import { setImmediate } from 'node:timers/promises';
import { PlatformError } from '@crm/contracts';
import type { StoredRecord } from '../reading/record.js';
import type { RecordList } from './record-list.repository.js';

/**
 * Most text in one response, in UTF-16 code units: two hundred records with long texts could exhaust the memory of a
 * process.
 */
export const PAGE_TEXT_LIMIT = 4_000_000;

/** Characters of JSON that take about a millisecond to write. */
export const LONG_TEXT = 100_000;

/**
 * Serializes a page. Only text that the caller sees counts against the limit. A long page is written in parts: between them
 * the process does what else there is to do.
 * @throws INVALID_QUERY when the records have more text than fits in one response; a single record is always returned
 */
export async function presentPage(
  { records, isWhole }: Pick<RecordList, 'records' | 'isWhole'>,
  present: (record: StoredRecord) => string,
): Promise<string[]> {
  const rows: string[] = [];
  let [text, rested] = [0, 0];
  for (const record of records) {
    const json = present(record);
    text += json.length;
    rows.push(json);
    if (text > rested + LONG_TEXT) {
      rested = text;
      await setImmediate();
    }
    if (text > PAGE_TEXT_LIMIT && rows.length > 1) break;
  }
  if (!isWhole || (text > PAGE_TEXT_LIMIT && rows.length > 1)) {
    throw tooLong();
  }
  return rows;
}

/** @param parameter that decides how much is answered */
export const tooLong = (parameter: 'size' | 'groupBy' = 'size'): PlatformError =>
  new PlatformError('INVALID_QUERY', `${parameter}: these records are too long for one answer; ask for fewer`);
