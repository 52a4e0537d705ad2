import { LIMITS } from './errors.js';

/**
 * U+0000, which Postgres cannot store, lone surrogates, which UTF-8 cannot encode, and U+10FFFF, a noncharacter, which indexes of
 * records keep for records without a value.
 */
const UNSTORABLE = /[\0\u{10FFFF}\p{Cs}]/u;

export function isCleanText(text: string): boolean {
  return !UNSTORABLE.test(text);
}

export function codePointLength(text: string): number {
  let length = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0xd800 || unit > 0xdbff || index + 1 >= text.length) continue;
    const next = text.charCodeAt(index + 1);
    if (next >= 0xdc00 && next <= 0xdfff) {
      length--;
      index++;
    }
  }
  return length;
}

/** A text result, or null when it is longer than the limit: results are never truncated. */
export function bounded(text: string): string | null {
  if (text.length <= LIMITS.textCharacters) return text;
  if (text.length > LIMITS.textCharacters * 2) return null;
  return codePointLength(text) <= LIMITS.textCharacters ? text : null;
}

/** Compares by code point. JavaScript's `<` compares UTF-16 units, which puts U+FFFD after an emoji. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const shorter = Math.min(a.length, b.length);
  for (let index = 0; index < shorter; index++) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right) return codePointOrder(left) - codePointOrder(right);
  }
  return a.length - b.length;
}

/** Moves surrogates, which represent code points above U+FFFF, after all other units. */
function codePointOrder(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
