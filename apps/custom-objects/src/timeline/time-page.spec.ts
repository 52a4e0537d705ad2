import { describe, expect, it } from '@jest/globals';
import { changesAfter, idOfChange, pageOf, positionAfter } from './time-page.js';

const idOf = (version: number, isBesides = false) => idOfChange({ version, isBesides });
const page = (query: { size?: number; cursor?: string } = {}) => positionAfter({ tenantId: 't', list: 'l' }, query);
const row = (second: number, text = '') => ({
  at: new Date(Date.UTC(2026, 0, 1, 0, 0, second)),
  id: idOf(second + 1),
  text,
});
const textOf = ({ text }: { text: string }): string => text;

describe('a page of what happened', () => {
  it('goes on after its last entry, and ends where there is no more', () => {
    const rows = [row(3, 'c'), row(2, 'b'), row(1, 'a')];
    const first = pageOf(page({ size: 2 }), rows, textOf);
    expect(first.data).toEqual(['c', 'b']);
    expect(page({ cursor: first.nextCursor as string }).after).toEqual({ at: row(2).at.toISOString(), id: row(2).id });
    expect(pageOf(page({ size: 3 }), rows, textOf).nextCursor).toBeNull();
  });

  it('ends earlier when its texts are long, and has one entry at least', () => {
    const long = 'x'.repeat(600_000);
    const { data, nextCursor } = pageOf(page(), [row(3, long), row(2, long), row(1)], textOf);
    expect([data.length, nextCursor]).toEqual([1, expect.any(String)]);
    expect(pageOf(page(), [row(3, long + long)], textOf)).toMatchObject({ data: [long + long], nextCursor: null });
  });
});

it('versions are in the order of their ids, and at a moment every other id comes before, changes besides them last', () => {
  const versions = [1, 2, 15, 16, 2_147_483_647];
  expect(versions.map((version) => changesAfter(idOf(version)))).toEqual(
    versions.map((version) => ({ version, besides: 0 })),
  );
  const ids = [...versions.map((version) => idOf(version)), ...versions.map((version) => idOf(version, true))];
  expect([...ids].sort()).toEqual(ids);
  expect(changesAfter(idOf(15, true))).toEqual({ version: 2_147_483_647, besides: 15 });
  const all = { version: 2_147_483_647, besides: 2_147_483_647 };
  expect(changesAfter('019ca8d0-5a40-7b1d-8f02-6c1e9b7d4a35')).toEqual(all);
  expect(changesAfter('ffffffff-ffff-ffff-ffff-ffffffffffff')).toEqual(all);
});
