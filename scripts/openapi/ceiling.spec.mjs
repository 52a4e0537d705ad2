import { describe, expect, it } from '@jest/globals';
import { compare } from './ceiling.mjs';

const finding = (/** @type {string} */ rule) => ({ rule, where: '#/info', message: 'is missing' });

describe('the ceiling of findings about OpenAPI documents', () => {
  it('tolerates as many findings of a rule as it says', () => {
    const { counts, exceeded } = compare([finding('a'), finding('a')], { a: 2, b: 1 });
    expect(counts).toEqual([
      ['a', 2, 2],
      ['b', 0, 1],
    ]);
    expect(exceeded).toEqual([]);
  });

  it('is exceeded by one more, and by a rule that it does not name', () => {
    expect(compare([finding('a'), finding('a'), finding('new')], { a: 1 }).exceeded).toEqual(['a', 'new']);
  });
});
