import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { StoredRecord } from '../reading/record.js';
import { LONG_TEXT, PAGE_TEXT_LIMIT, type PageText, presentPage } from './list-page.js';

const records = Array.from({ length: 201 }, (_, index) => ({ id: `r${index}` }) as unknown as StoredRecord);
const present = (text: string) => (record: StoredRecord) => record.id + text;

const written = async (some: readonly StoredRecord[], text: string, page: PageText = { rows: [], length: 0 }) => {
  await presentPage(page, some, present(text));
  return page.rows;
};

describe('a page of records', () => {
  it('has them in order', async () => {
    expect(await written(records, '')).toEqual(records.map(({ id }) => id));
  });

  it('is refused when the caller sees too much text, also in several parts', async () => {
    const refused = expect.objectContaining({ code: 'INVALID_QUERY' });
    await expect(written(records, 'x'.repeat(PAGE_TEXT_LIMIT / 40))).rejects.toThrow(refused);
    const page = { rows: ['x'], length: PAGE_TEXT_LIMIT };
    await expect(written(records.slice(0, 1), 'x', page)).rejects.toThrow(refused);
  });

  it('has a single record of any length', async () => {
    expect(await written(records.slice(0, 1), 'x'.repeat(PAGE_TEXT_LIMIT))).toHaveLength(1);
  });

  it('that is long lets others go on between its parts', async () => {
    let parts = 0;
    const page = written(records, 'x'.repeat(LONG_TEXT / 50));
    const isDone = page.then(() => true);
    while (!(await Promise.race([isDone, setImmediate(false)]))) parts += 1;
    expect(parts).toBeGreaterThanOrEqual(3);
  });
});
