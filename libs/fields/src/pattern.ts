import { RE2JS, RE2JSException } from 're2js';

/** Longest pattern of a regex rule, in UTF-16 units. It bounds the compiled program and with it the time per character. */
export const LONGEST_PATTERN = 500;
/** Compiled patterns kept; the oldest one goes first. */
const CACHE_SIZE = 1000;

const compiled = new Map<string, RE2JS | null>();

/**
 * A pattern compiled by the linear-time engine, or null when the engine does not take it (look-around, back
 * references, more than 1,000 repetitions, bad syntax) or it is too long.
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
    return RE2JS.compile(pattern);
  } catch (error) {
    if (error instanceof RE2JSException) return null;
    throw error;
  }
}
