/**
 * Control characters and those that change the writing direction: a package must not move the reader's cursor or disguise
 * a line as another one (CVE-2021-42574). Noncharacters and lone surrogates are not allowed in XML.
 */
const UNSAFE = /[\p{Cc}\ufffe\uffff\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]|\p{Cs}/gu;

/** Makes a text of a package safe to show on one line: unsafe characters become `\uXXXX`. */
export function printable(text: string): string {
  return text.replace(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A value as multi-line JSON, safe to show like {@link printable}. */
export function printableJson(value: unknown): string {
  // Outside texts, line breaks are the only such characters in JSON.
  return JSON.stringify(value, null, 2).split('\n').map(printable).join('\n');
}

/** Characters that take two columns: East Asian scripts in their wide forms and pictographs. */
const WIDE =
  /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|[\uff01-\uff60]|\p{Emoji_Presentation}/u;
const NO_WIDTH = /\p{Mn}|\p{Me}|\u200d|\ufe0f/u;

/** The number of columns that a printable text takes in a terminal. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) width += NO_WIDTH.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}
