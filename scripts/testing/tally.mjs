/** Counts what passed and what failed, over checks and tests. */
export class Tally {
  /** @type {{ name: string, passed: number, failed: number, skipped: number, seconds: number }[]} */
  #rows = [];

  /**
   * @param {string} name
   * @param {{ passed: number, failed: number, skipped?: number }} counts
   * @param {number} seconds
   */
  add(name, { passed, failed, skipped = 0 }, seconds) {
    this.#rows.push({ name, passed, failed, skipped, seconds });
  }

  get passed() {
    return this.#rows.reduce((sum, { passed }) => sum + passed, 0);
  }

  get failed() {
    return this.#rows.reduce((sum, { failed }) => sum + failed, 0);
  }

  /** @returns {string[][]} a row for each part, for people */
  rows() {
    return this.#rows.map(({ name, passed, failed, skipped, seconds }) => [
      name,
      `${passed} passed`,
      `${failed} failed`,
      skipped > 0 ? `${skipped} skipped` : '',
      `${seconds.toFixed(1)} s`,
    ]);
  }

  /** @returns {string} the closing line, alone and plain: programs read it */
  closingLine() {
    return `${this.passed} passed, ${this.failed} failed`;
  }
}

/**
 * @typedef {object} JestReport the part of `jest --json` that is counted
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {number} numPendingTests
 * @property {number} numRuntimeErrorTestSuites files that did not run at all, such as one with a syntax error
 */

/**
 * @param {JestReport | undefined} report undefined when Jest wrote none
 * @param {number} exitCode of Jest
 * @returns {{ passed: number, failed: number, skipped: number }} at least one failure if Jest itself says that it failed
 */
export function countsOf(report, exitCode) {
  const passed = report?.numPassedTests ?? 0;
  const failed = (report?.numFailedTests ?? 0) + (report?.numRuntimeErrorTestSuites ?? 0);
  return {
    passed,
    failed: failed === 0 && exitCode !== 0 ? 1 : failed,
    skipped: report?.numPendingTests ?? 0,
  };
}
