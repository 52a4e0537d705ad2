/** What can be said of a JSON text without parsing it, or without walking what it parses to. */

/** Values in one body, members and elements included. More of them block every other call while they are looked at. */
export const MAX_VALUES = 100_000;
/** A text has no more values than every other character. */
const SHORT_ENOUGH = 2 * MAX_VALUES;

/** Deeper bodies have no use and would exhaust the stack of recursive code. */
export const MAX_DEPTH = 64;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const SPACE = 0x20;

const opens = (code: number): boolean => code === 0x5b || code === 0x7b;
const closes = (code: number): boolean => code === 0x5d || code === 0x7d;

/** Whether a JSON text has more than MAX_VALUES values. Parsing them costs many times as much as counting them. */
export const hasTooManyValues = (text: string): boolean =>
  text.length >= SHORT_ENOUGH && countValues(text) > MAX_VALUES;

/** How many values a JSON text has; of a text that is not JSON any number. */
export function countValues(text: string): number {
  let values = 1;
  let previous = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code <= SPACE) continue;
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COMMA || opens(code)) values += 1;
    // An empty list or object: there was no value after its beginning.
    else if (closes(code) && opens(previous)) values -= 1;
    previous = code;
  }
  return values;
}

/** @returns where the closing quote of the string is that begins at `start` */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at += 1;
  }
  return text.length;
}

/**
 * A number that could be beyond a double, 1.8e308: with an exponent of three digits or with very many digits before it. It
 * may also match in a string, which only costs a walk.
 */
const MAY_BE_ENDLESS = /(?:^|[\s,:[])-?(?:\d[\d.]*[eE]\+?\d{3}|\d{200})/;

/**
 * Whether a value that was parsed from this JSON text could hold what `refuseBadText` refuses. U+0000 is an escape in JSON,
 * and so is half a character in every text that was UTF-8.
 */
export const mayHoldBadText = (text: string): boolean =>
  text.includes('\\u') || !text.isWellFormed() || mayBeTooDeep(text) || MAY_BE_ENDLESS.test(text);

function mayBeTooDeep(text: string): boolean {
  let left = MAX_DEPTH;
  for (const bracket of ['[', '{']) {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      if (left === 0) return true;
      left -= 1;
    }
  }
  return false;
}

declare global {
  interface String {
    /** ES2024, which the library of the compiler's target does not have yet. */
    isWellFormed(): boolean;
  }
}
