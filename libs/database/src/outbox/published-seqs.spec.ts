import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PublishedSeqs } from './outbox.js';

describe('the published sequence numbers', () => {
  it('begin with none, and everything is ahead', () => {
    const { gaps, upTo, hasGaps } = PublishedSeqs.NONE;
    expect([gaps, upTo, hasGaps]).toEqual([{ after: [0], before: ['9223372036854775807'] }, 0, false]);
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
    expect(published.filledUpTo(10, [2, 7, 15]).toString()).toBe('{[0,1],[3,6],[8,10],[12,12]}');
    expect(published.filledUpTo(4, [1]).toString()).toBe('{[0,0],[2,4],[12,12]}');
    expect(published.filledUpTo(12, []).toString()).toBe('{[0,12]}');
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
        expect(published.last).toBe(Math.max(0, ...all));
      }),
    );
  });
});
