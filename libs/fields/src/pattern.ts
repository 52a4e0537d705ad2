import { RE2JS, RE2JSException } from 're2js';

/** Longest pattern of a regex rule, in UTF-16 units. */
export const LONGEST_PATTERN = 500;
/**
 * Maximum instructions of a compiled pattern, which limits the time per character. Repetitions are expanded, so a short
 * pattern can become a program of 45,000 instructions, which takes minutes for a text of 100,000 characters; one of this
 * size takes a second. A character class repeated 1,000 times is within the limit.
 */
const LARGEST_PROGRAM = 2500;
/** Number of compiled patterns kept; the oldest one is evicted first. */
const CACHE_SIZE = 1000;

interface Compiled {
  /** Null when the engine rejects the pattern, or the program is too large. */
  readonly program: RE2JS | null;
  /** Number of compiled instructions. */
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
