import { describe, expect, it } from '@jest/globals';
import { nearestName } from './suggestions.js';

describe('the suggested name', () => {
  it('is searched among the first 500 candidates', () => {
    const others = (count: number) => Array.from({ length: count }, (_, index) => `other_${index}`);
    expect(nearestName('amuont', [...others(499), 'amount'])).toBe('amount');
    expect(nearestName('amuont', [...others(500), 'amount'])).toBeUndefined();
  });

  it.each<[string, string, string[], string | undefined]>([
    ['a letter too many', 'amountt', ['amount'], 'amount'],
    ['a letter too few', 'amout', ['amount'], 'amount'],
    ['another letter', 'amoumt', ['amount'], 'amount'],
    ['two neighbours swapped', 'amuont', ['amount'], 'amount'],
    ['the first two swapped', 'maount', ['amount'], 'amount'],
    ['the last two swapped', 'amoutn', ['amount'], 'amount'],
    ['neighbours swapped count once: three letters may differ by one', 'xet', ['ext'], 'ext'],
    ['letters swapped over another count twice', 'txe', ['ext'], undefined],
    ['a swap and what stands before it', 'bca', ['cb'], undefined],
    ['three letters may differ by one', 'sum', ['sun'], 'sun'],
    ['three letters may not differ by two', 'sum', ['son'], undefined],
    ['five letters may differ by one', 'stage', ['stake'], 'stake'],
    ['five letters may not differ by two', 'stage', ['stoke'], undefined],
    ['six letters may differ by two', 'status', ['stakes'], 'stakes'],
    ['six letters may not differ by three', 'status', ['stoker'], undefined],
    ['by two of length', 'status', ['statuses'], 'statuses'],
    ['not by three of length', 'status', ['statically'], undefined],
    ['names of two letters differ by case only', 'ab', ['ac'], undefined],
    ['names of two letters: case', 'ab', ['ac', 'AB'], 'AB'],
    ['one letter', 'n', ['m', 'N'], 'N'],
    ['case goes before distance', 'Total', ['Totel', 'TOTAL'], 'TOTAL'],
    ['case does not count as distance', 'TOTALAMUONT', ['totalAmount'], 'totalAmount'],
    ['the nearer one, standing second', 'status', ['stakes', 'statue'], 'statue'],
    ['the nearer one, standing first', 'status', ['statue', 'stakes'], 'statue'],
    ['of two as near the first', 'status', ['statum', 'statua'], 'statum'],
    ['nothing is near', 'status', ['amount', 'closeDate'], undefined],
    ['no candidate', 'status', [], undefined],
    ['64 characters', `${'x'.repeat(63)}y`, ['x'.repeat(64)], 'x'.repeat(64)],
    ['65 characters', `${'x'.repeat(64)}y`, ['x'.repeat(64)], undefined],
    ['a candidate of 65 characters', 'x'.repeat(64), ['x'.repeat(65)], undefined],
    ['a candidate of 64 characters', 'x'.repeat(63), ['x'.repeat(64)], 'x'.repeat(64)],
  ])('%s: %s in %j', (_, name, candidates, nearest) => expect(nearestName(name, candidates)).toBe(nearest));
});
