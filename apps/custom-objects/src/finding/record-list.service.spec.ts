import { idPosition, type ListPage } from '@crm/http';
import { describe, expect, it } from '@jest/globals';
import type { StoredRecord } from '../reading/record.js';
import { PAGE_TEXT_LIMIT, readPage } from './record-list.service.js';

const ALL = Array.from({ length: 230 }, (_, index) => ({ id: `r${String(999 - index)}` }) as unknown as StoredRecord);

/** A table of 230 records, newest first. */
const portions: number[] = [];
const read = async ({ after, offset, limit }: ListPage): Promise<StoredRecord[]> => {
  portions.push(limit);
  const start = after ? ALL.findIndex(({ id }) => id === after.id) + 1 : offset;
  return ALL.slice(start, start + limit);
};
const page = (limit: number, offset = 0) => ({ limit, offset, size: limit - 1, page: 1 }) as unknown as ListPage;
const present = (text: string) => (record: StoredRecord) => record.id + text;

describe('a page of records', () => {
  it.each([
    [26, 0, 26],
    [201, 0, 201],
    [201, 100, 130],
    [201, 230, 0],
  ])('with limit %d and offset %d has %d records, in order and without repetition', async (limit, offset, expected) => {
    const { rows, end } = await readPage(page(limit, offset), read, present(''), idPosition);
    expect(rows).toEqual(ALL.slice(offset, offset + expected).map(({ id }) => id));
    if (expected === limit) expect(end.id).toBe(rows.at(-2));
  });

  it('is read in portions of 50 records', async () => {
    portions.length = 0;
    await readPage(page(201), read, present(''), idPosition);
    expect(Math.max(...portions)).toBe(50);
  });

  it('is refused when it has too much text, but a single record never is', async () => {
    const long = present('x'.repeat(PAGE_TEXT_LIMIT / 40));
    await expect(readPage(page(201), read, long, idPosition)).rejects.toMatchObject({ code: 'INVALID_QUERY' });
    portions.length = 0;
    const { rows } = await readPage(page(2), read, present('x'.repeat(PAGE_TEXT_LIMIT)), idPosition);
    expect(rows).toHaveLength(2);
  });
});
