import { describe, expect, it } from '@jest/globals';
import { countsOf } from './jest.mjs';
import { Tally } from './tally.mjs';

describe('the closing line', () => {
  it('adds everything up', () => {
    const tally = new Tally();
    tally.add('types', { passed: 1, failed: 0 }, 0);
    tally.add('tests', { passed: 10, failed: 2 }, 0);
    expect(tally.report()).toMatch(/\n11 passed, 2 failed\n$/);
  });
});

describe('what a run of Jest counts for', () => {
  const results = { numPassedTests: 3, numFailedTests: 1, numPendingTests: 2, numRuntimeErrorTestSuites: 1 };

  it('is its tests, and a failure for every file that did not run', () => {
    expect(countsOf(results, 1)).toEqual({ passed: 3, failed: 2, skipped: 2 });
  });

  it('is a failure when Jest reported nothing, or failed without a failed test', () => {
    expect(countsOf({}, 1)).toEqual({ passed: 0, failed: 1, skipped: 0 });
    expect(countsOf({ numPassedTests: 3 }, 1).failed).toBe(1);
    expect(countsOf({ numPassedTests: 3 }, 0).failed).toBe(0);
  });
});
