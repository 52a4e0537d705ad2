import { RE2JS, RE2JSException } from 're2js';

/** Longest pattern of a regex rule, in UTF-16 units. */
export const LONGEST_PATTERN = 500;
/**
 * Maximum instructions of a compiled pattern, which limits the time per character. Repetitions are expanded, so a short
 * pattern can become a program of 45,000 instructions, which takes minutes to compile. A character class repeated 1,000 times is within the limit.
 */
const LARGEST_PROGRAM = 2500;
/** Number of compiled patterns kept; the oldest one is evicted first. */
const CACHE_SIZE = 1000;

interface Compiled {
  /** Null when the engine rejects the pattern, or the program is too large. */
  readonly program: RE2JS | null;
  readonly size: number;
}

const compiled = new Map<string, Compiled>();

/**
 * Compiles a pattern with the linear-time engine. Returns null when the engine rejects it (look-around, back references,
 * more than 1,000 repetitions, bad syntax), or when it is too long or has too many repetitions in total.
 */
export function compilePattern(pattern: string): RE2JS | null {
  return pattern.length > LONGEST_PATTERN ? null : cached(pattern).program;
}

/** Instructions of a pattern: the cost of compiling it, and of each character of a text it is matched against. */
export function compiledSize(pattern: string): number {
  return pattern.length > LONGEST_PATTERN ? 0 : cached(pattern).size;
}

function cached(pattern: string): Compiled {
  let known = compiled.get(pattern);
  if (known === undefined) {
    known = tryCompile(pattern);
    if (compiled.size >= CACHE_SIZE) compiled.delete(compiled.keys().next().value!);
    compiled.set(pattern, known);
  }
  return known;
}

function tryCompile(pattern: string): Compiled {
  try {
    const program = RE2JS.compile(pattern);
    const size = program.programSize();
    return { program: size > LARGEST_PROGRAM ? null : program, size };
  } catch (error) {
    if (error instanceof RE2JSException) return { program: null, size: pattern.length };
    throw error;
  }
}

/**
 * Total instructions of the patterns of one package; compiling one takes about 2 µs. Our choice: 2,000 fields with a
 * pattern of a hundred instructions.
 */
const PACKAGE_INSTRUCTIONS = 200_000;
/**
 * Steps (instructions times characters, up to 50 ns each) that the longest value of a field may take with one pattern: some 20 ms, in
 * which nobody else has a turn. A pattern of 125 instructions for the longest line.
 */
const PATTERN_STEPS = 500_000;
/** Steps that the longest record of one object may take, with turns of others in between. Typical ones take a thousandth of that. */
const RECORD_STEPS = 5_000_000;
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

  get mayCompile(): boolean {
    return this.instructions < PACKAGE_INSTRUCTIONS;
  }

  countCompiled(pattern: string): void {
    this.instructions += compiledSize(pattern);
  }

  /**
   * Counts a pattern for the records of the current object.
   * @param longest maximum code points of a value that is matched against the pattern
   */
  allowsRecords(pattern: string, longest: number): boolean {
    const steps = compiledSize(pattern) * longest;
    this.recordSteps += steps;
    return steps <= PATTERN_STEPS && this.recordSteps <= RECORD_STEPS;
  }

  /** Returns whether a default may be matched against its patterns. */
  allowsDefault(patterns: readonly string[], value: string): boolean {
    for (const pattern of patterns) this.defaultSteps += compiledSize(pattern) * value.length;
    return this.defaultSteps <= DEFAULT_STEPS;
  }
}
