/**
 * Control characters, and those that change the direction of what follows: a package must not move the cursor of
 * whoever reads the report, nor make a line look like another one (CVE-2021-42574). The last two are no characters, and
 * XML has no place for them.
 */
const UNSAFE = /[\p{Cc}\ufffe\uffff\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]|\p{Cs}/gu;

/** A text of a package as it may be shown in one line: unsafe characters as `\uXXXX`. */
export function printable(text: string): string {
  return text.replace(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A value as JSON over several lines, printable as {@link printable}. */
export function printableJson(value: unknown): string {
  // Outside of its texts JSON has no such character but the line breaks.
  return JSON.stringify(value, null, 2).split('\n').map(printable).join('\n');
}

/** Characters that take two columns: East Asian scripts in their wide forms and pictographs. */
const WIDE =
  /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|[\uff01-\uff60]|\p{Emoji_Presentation}/u;
const NO_WIDTH = /\p{Mn}|\p{Me}|\u200d|\ufe0f/u;

/** The columns that a printable text takes in a terminal. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) width += NO_WIDTH.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}
