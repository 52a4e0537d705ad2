import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { StoredRecord } from '../reading/record.js';
import { LONG_TEXT, PAGE_TEXT_LIMIT, presentPage } from './list-page.js';

const records = Array.from({ length: 201 }, (_, index) => ({ id: `r${index}` }) as unknown as StoredRecord);
const present = (text: string) => (record: StoredRecord) => record.id + text;

describe('a page of records', () => {
  it('has them in order', async () => {
    expect(await presentPage({ records, isWhole: true }, present(''))).toEqual(records.map(({ id }) => id));
  });

  it.each([
    ['the caller sees too much text', { records, isWhole: true }, PAGE_TEXT_LIMIT / 40],
    ['too much was read', { records: records.slice(0, 2), isWhole: false }, 0],
  ])('is refused when %s', async (_when, found, length) => {
    await expect(presentPage(found, present('x'.repeat(length)))).rejects.toThrow(
      expect.objectContaining({ code: 'INVALID_QUERY' }),
    );
  });

  it('has a single record of any length', async () => {
    const found = { records: records.slice(0, 1), isWhole: true };
    expect(await presentPage(found, present('x'.repeat(PAGE_TEXT_LIMIT)))).toHaveLength(1);
  });

  it('that is long lets others go on between its parts', async () => {
    let parts = 0;
    const page = presentPage({ records, isWhole: true }, present('x'.repeat(LONG_TEXT / 50)));
    const isDone = page.then(() => true);
    while (!(await Promise.race([isDone, setImmediate(false)]))) parts += 1;
    expect(parts).toBeGreaterThanOrEqual(3);
  });
});
