import { columns } from '../platform/addresses.mjs';

/** Counts what passed and what failed, over checks and tests. */
export class Tally {
  /** @type {string[][]} */
  #rows = [];
  passed = 0;
  failed = 0;
  #whole;

  /** @param {Tally} [whole] also counts what is added to this one */
  constructor(whole) {
    this.#whole = whole;
  }

  /** @param {string} name @param {{ passed: number, failed: number, skipped?: number }} counts @param {number} begun by `performance.now()` */
  add(name, { passed, failed, skipped = 0 }, begun) {
    const seconds = `${((performance.now() - begun) / 1000).toFixed(1)} s`;
    this.#rows.push([name, `${passed} passed`, `${failed} failed`, skipped > 0 ? `${skipped} skipped` : '', seconds]);
    this.passed += passed;
    this.failed += failed;
    this.#whole?.add(name, { passed, failed, skipped }, begun);
  }

  /** @returns {string} a row for each part, for people; the closing line, alone and plain: programs read it */
  report() {
    return `\n${columns(this.#rows).join('\n')}\n\n${this.passed} passed, ${this.failed} failed\n`;
  }
}
