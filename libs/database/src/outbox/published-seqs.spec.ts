import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PublishedSeqs, splitAtBlock } from './published-seqs.js';

describe('the published sequence numbers', () => {
  it('begin with none, and everything is ahead', () => {
    const { gaps, innerGaps } = PublishedSeqs.NONE;
    expect([gaps, innerGaps]).toEqual([
      { after: [0], before: ['9223372036854775807'] },
      { after: [], before: [] },
    ]);
  });

  it('join what is adjacent and keep what lies between', () => {
    const published = PublishedSeqs.NONE.plus([1, 2, 5, 6, 9]);
    expect(published.toString()).toBe('{[0,2],[5,6],[9,9]}');
    expect(published.gaps).toEqual({ after: [2, 6, 9], before: [5, 9, '9223372036854775807'] });
    expect(published.plus([3, 4, 7, 8]).toString()).toBe('{[0,9]}');
  });

  it('are read as Postgres prints them', () => {
    expect(PublishedSeqs.parse('{[0,3),[5,7),[9,10)}').toString()).toBe('{[0,2],[5,6],[9,9]}');
    expect(PublishedSeqs.parse('{(,3)}').toString()).toBe('{[0,2]}');
    expect(PublishedSeqs.parse('{}').toString()).toBe('{[0,0]}');
  });

  it('are filled but for exceptions', () => {
    const published = PublishedSeqs.NONE.plus([4, 12]);
    const { innerGaps } = published;
    expect(innerGaps).toEqual({ after: [0, 4], before: [4, 12] });
    expect(published.filled(innerGaps, [7, 2, 15]).toString()).toBe('{[0,1],[3,6],[8,12]}');
    expect(published.filled(innerGaps, [1, 2, 3]).toString()).toBe('{[0,0],[4,12]}');
    expect(published.filled(innerGaps, []).innerGaps.after).toEqual([]);
    expect(published.plus([13]).filled(innerGaps, []).toString()).toBe('{[0,13]}');
  });

  it('leave open what follows the last of a node of a cluster, whose numbers begin at a multiple of 2^48', () => {
    const [second, third] = [2 ** 48, 2 * 2 ** 48];
    const published = PublishedSeqs.NONE.plus([2, second + 1, second + 3, third + 5]);
    const { innerGaps } = published;
    expect(innerGaps).toEqual({
      after: [0, second - 1, second + 1, third - 1],
      before: [2, second + 1, second + 3, third + 5],
    });
    const filled = published.filled(innerGaps, [third + 2]);
    expect(filled.toString()).toBe(
      `{[0,2],[${second},${second + 3}],[${third},${third + 1}],[${third + 3},${third + 5}]}`,
    );
    expect(splitAtBlock(filled.gaps, 1)).toEqual({
      inside: { after: [second + 3], before: [third] },
      outside: {
        after: [2, third + 1, third + 5],
        before: [second, third + 3, '9223372036854775807'],
      },
    });
    expect(splitAtBlock(filled.gaps, 2).inside).toEqual({
      after: [third + 1, third + 5],
      before: [third + 3, 3 * 2 ** 48],
    });
  });

  it('are the set of the numbers that were added', () => {
    const numbers = fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 40 });
    fc.assert(
      fc.property(numbers, numbers, (first, second) => {
        const published = PublishedSeqs.NONE.plus(first).plus(second);
        const { after, before } = published.gaps;
        const isWaiting = (seq: number) => after.some((from, index) => seq > from && seq < Number(before[index]));
        const all = new Set([...first, ...second]);
        for (let seq = 1; seq <= 61; seq += 1) expect(isWaiting(seq)).toBe(!all.has(seq));
      }),
    );
  });
});
