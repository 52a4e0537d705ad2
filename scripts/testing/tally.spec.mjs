import { describe, expect, it } from '@jest/globals';
import { Tally } from './tally.mjs';

describe('the closing line', () => {
  it('adds everything up', () => {
    const tally = new Tally();
    tally.add('types', { passed: 1, failed: 0 }, 1);
    tally.add('tests', { passed: 10, failed: 2 }, 1);
    expect(tally.closingLine()).toBe('11 passed, 2 failed');
  });
});
