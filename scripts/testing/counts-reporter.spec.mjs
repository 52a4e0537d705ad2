import { describe, expect, it } from '@jest/globals';
import { countsOf, withExitCode } from './counts-reporter.mjs';

const RESULTS = { numPassedTests: 3, numFailedTests: 1, numPendingTests: 2, numRuntimeErrorTestSuites: 1 };

describe('what a Jest run counts for', () => {
  it('is its tests, and a failure for every file that did not run', () => {
    expect(withExitCode(countsOf(RESULTS), 1)).toEqual({ passed: 3, failed: 2, skipped: 2 });
  });

  it('is a failure when Jest reported nothing, or failed without a failed test', () => {
    expect(withExitCode(undefined, 1)).toEqual({ passed: 0, failed: 1, skipped: 0 });
    const passed = countsOf({ ...RESULTS, numFailedTests: 0, numRuntimeErrorTestSuites: 0 });
    expect(withExitCode(passed, 1).failed).toBe(1);
    expect(withExitCode(passed, 0).failed).toBe(0);
  });
});
