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

const compiled = new Map<string, RE2JS | null>();

/**
 * A pattern compiled by the linear-time engine, or null when the engine does not take it (look-around, back
 * references, more than 1,000 repetitions, bad syntax), it is too long, or its repetitions together are too many.
 */
export function compilePattern(pattern: string): RE2JS | null {
  if (pattern.length > LONGEST_PATTERN) return null;
  let program = compiled.get(pattern);
  if (program === undefined) {
    program = tryCompile(pattern);
    if (compiled.size >= CACHE_SIZE) compiled.delete(compiled.keys().next().value!);
    compiled.set(pattern, program);
  }
  return program;
}

function tryCompile(pattern: string): RE2JS | null {
  try {
    const program = RE2JS.compile(pattern);
    return program.programSize() > LARGEST_PROGRAM ? null : program;
  } catch (error) {
    if (error instanceof RE2JSException) return null;
    throw error;
  }
}
