import { describe, expect, it } from '@jest/globals';
import { copiesByStatement } from './batches.js';

describe('rows that each hold a copy of one text', () => {
  const rows = ['a', 'b', 'c', 'd', 'e'];

  it.each([
    ['all at once while they are short', 3_200_000, [['a', 'b', 'c', 'd', 'e']]],
    ['as many as sixteen megabytes hold', 8_000_000, [['a', 'b'], ['c', 'd'], ['e']]],
    ['one by one when each is longer', 20_000_000, [['a'], ['b'], ['c'], ['d'], ['e']]],
    ['all at once when there is no text', 0, [['a', 'b', 'c', 'd', 'e']]],
  ])('are written %s', (_name, bytes, parts) => {
    expect(copiesByStatement(rows, bytes)).toEqual(parts);
  });

  it('need no statement when there are no rows', () => {
    expect(copiesByStatement([], 1)).toEqual([]);
  });
});
