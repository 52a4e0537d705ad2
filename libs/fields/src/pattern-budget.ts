import { compiledSize } from './pattern.js';

/**
 * Total instructions of the patterns of one package; compiling one takes about 2 µs. Our choice: 2,000 fields with a
 * pattern of a hundred instructions.
 */
const PACKAGE_INSTRUCTIONS = 200_000;
/**
 * Steps (instructions times characters, about 5 ns each) that the longest record of one object may take. Our choice:
 * half a second for a record designed to be slow; a typical one takes a thousandth of that.
 */
const RECORD_STEPS = 100_000_000;
/** Steps for the defaults of one package, which are checked when it is certified. */
const DEFAULT_STEPS = 2_000_000;

/**
 * Limits the time that the patterns of a package take in the process that checks it or writes its records. A pattern takes
 * linear time, but a package may have thousands of them.
 */
export class PatternBudget {
  private instructions = 0;
  private recordSteps = 0;
  private defaultSteps = 0;

  /** Resets the steps per record for the next object. */
  beginObject(): void {
    this.recordSteps = 0;
  }

  /** Whether one more pattern can be compiled. */
  get mayCompile(): boolean {
    return this.instructions < PACKAGE_INSTRUCTIONS;
  }

  /** Counts a pattern that was compiled. */
  countCompiled(pattern: string): void {
    this.instructions += compiledSize(pattern);
  }

  /**
   * Counts a pattern for the records of the current object.
   * @param longest maximum code points of a value that is matched against the pattern
   * @returns whether records may take that long
   */
  allowsRecords(pattern: string, longest: number): boolean {
    this.recordSteps += compiledSize(pattern) * longest;
    return this.recordSteps <= RECORD_STEPS;
  }

  /** Whether a default may be matched against its patterns. */
  allowsDefault(patterns: readonly string[], value: string): boolean {
    for (const pattern of patterns) this.defaultSteps += compiledSize(pattern) * value.length;
    return this.defaultSteps <= DEFAULT_STEPS;
  }
}
