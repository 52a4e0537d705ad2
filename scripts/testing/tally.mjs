/** Counts what passed and what failed, over checks and tests. */
export class Tally {
  /** @type {{ name: string, passed: number, failed: number, skipped: number, seconds: number }[]} */
  #rows = [];

  /** @param {string} name @param {{ passed: number, failed: number, skipped?: number }} counts @param {number} seconds */
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
