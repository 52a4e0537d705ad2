import type { ListPage } from '@crm/http';
import { describe, expect, it } from '@jest/globals';
import { ListTotals } from './list-total.service.js';

const OBJECT = { tenantId: 'tenant', objectId: 'object' };
const PAGE: ListPage = {
  size: 25,
  after: undefined,
  offset: 0,
  limit: 26,
  counts: true,
  countLimit: 10_001,
} as ListPage;

describe('the default totals of lists', () => {
  /** An object of so many records, and what is read of it: most that are counted with a page, and the counts. */
  const objectOf = (size: number) => {
    const totals = new ListTotals();
    const reads: string[] = [];
    const read = async ({ limit, counts, countLimit }: ListPage) => {
      reads.push(`${limit === 0 ? 'count' : 'page'}${counts ? ` ${countLimit}` : ''}`);
      const records = Array.from({ length: Math.min(limit, size) }, () => ({}));
      return { records, counted: counts ? Math.min(size, countLimit ?? size) : 0 };
    };
    const list = async () => {
      reads.length = 0;
      const { counted } = await totals.read(OBJECT, [], PAGE, read);
      return { counted, reads: [...reads] };
    };
    return { list, change: () => totals.forget(OBJECT) };
  };

  it('of few records are counted with each page', async () => {
    const { list } = objectOf(500);
    for (const _ of [1, 2]) expect(await list()).toEqual({ counted: 500, reads: ['page 501'] });
  });

  it('of many records are counted by themselves, once for all pages until a change', async () => {
    const { list, change } = objectOf(700);
    expect(await list()).toEqual({ counted: 700, reads: ['page 501', 'count 10001'] });
    expect(await list()).toEqual({ counted: 700, reads: ['page'] });
    change();
    // That there were many is known: they are not counted with the page too.
    const { counted, reads } = await list();
    expect([counted, reads.sort()]).toEqual([700, ['count 10001', 'page']]);
  });
});
