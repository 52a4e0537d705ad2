import { RE2JS, RE2JSException } from 're2js';

/** Longest pattern of a regex rule, in UTF-16 units. */
export const LONGEST_PATTERN = 500;
/**
 * Instructions of a compiled pattern. They bound the time per character: repetitions are written out, so that a short
 * pattern can become a program of 45,000 instructions, which takes minutes for a text of 100,000 characters where one
 * of this size takes a second. A class repeated 1,000 times fits.
 */
const LARGEST_PROGRAM = 2500;
/** Compiled patterns kept; the oldest one goes first. */
const CACHE_SIZE = 1000;

interface Compiled {
  /** Null when the engine does not take the pattern, or the program is too large. */
  readonly program: RE2JS | null;
  /** Instructions that were made. */
  readonly size: number;
}

const compiled = new Map<string, Compiled>();

/**
 * A pattern compiled by the linear-time engine, or null when the engine does not take it (look-around, back
 * references, more than 1,000 repetitions, bad syntax), it is too long, or its repetitions together are too many.
 */
export function compilePattern(pattern: string): RE2JS | null {
  return pattern.length > LONGEST_PATTERN ? null : cached(pattern).program;
}

/** Instructions of a pattern: what compiling it costs, and each character of a text that it is tried on. */
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
