import { describe, expect, it } from '@jest/globals';
import { countsOf, Tally } from './tally.mjs';

const REPORT = { numPassedTests: 3, numFailedTests: 1, numPendingTests: 2, numRuntimeErrorTestSuites: 1 };

describe('what a Jest run counts for', () => {
  it('is its tests, and a failure for every file that did not run', () => {
    expect(countsOf(REPORT, 1)).toEqual({ passed: 3, failed: 2, skipped: 2 });
  });

  it('is a failure when Jest wrote no report, or failed without a failed test', () => {
    expect(countsOf(undefined, 1)).toEqual({ passed: 0, failed: 1, skipped: 0 });
    expect(countsOf({ ...REPORT, numFailedTests: 0, numRuntimeErrorTestSuites: 0 }, 1).failed).toBe(1);
  });
});

describe('the closing line', () => {
  it('adds everything up', () => {
    const tally = new Tally();
    tally.add('types', { passed: 1, failed: 0 }, 1);
    tally.add('tests', { passed: 10, failed: 2 }, 1);
    expect(tally.closingLine()).toBe('11 passed, 2 failed');
  });
});
