/**
 * @typedef {object} Counts
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 */

/**
 * @typedef {object} JestResults the part of Jest's results that is counted
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {number} numPendingTests
 * @property {number} numRuntimeErrorTestSuites files that did not run at all, such as one with a syntax error
 */

/**
 * A reporter for Jest: sends the counts of the run to the process that started Jest (jest.mjs). A Jest that somebody
 * started by hand has nobody to send them to.
 */
export default class CountsReporter {
  /**
   * Jest calls this at the end of a run, also when a test failed.
   * @param {unknown} _contexts
   * @param {JestResults} results
   */
  onRunComplete(_contexts, results) {
    process.send?.({ counts: countsOf(results) });
  }
}

/**
 * @param {JestResults} results
 * @returns {Counts} a file that did not run counts as a failed test
 */
export const countsOf = ({ numPassedTests, numFailedTests, numPendingTests, numRuntimeErrorTestSuites }) => ({
  passed: numPassedTests,
  failed: numFailedTests + numRuntimeErrorTestSuites,
  skipped: numPendingTests,
});

/**
 * @param {Counts | undefined} counts what the reporter sent; undefined when Jest ended before
 * @param {number} exitCode of Jest
 * @returns {Counts} at least one failure if Jest itself says that it failed
 */
export function withExitCode(counts = { passed: 0, failed: 0, skipped: 0 }, exitCode) {
  return counts.failed === 0 && exitCode !== 0 ? { ...counts, failed: 1 } : counts;
}
