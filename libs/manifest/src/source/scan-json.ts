export class SyntaxProblem extends Error {
  override readonly name = 'SyntaxProblem';

  constructor(
    message: string,
    readonly start: number,
    readonly end: number,
  ) {
    super(message);
  }
}

export interface ScannedText {
  value: string;
  end: number;
}

/** Skips white space and returns the next offset. Throws SyntaxProblem at a comment. */
export function skipSpace(text: string, at: number): number {
  let next = at;
  for (
    let code = text.charCodeAt(next);
    code === 0x20 || (code >= 0x09 && code <= 0x0d);
    code = text.charCodeAt(next)
  ) {
    // Vertical tab and form feed are not white space in JSON.
    if (code === 0x0b || code === 0x0c) return next;
    next++;
  }
  if (text[next] === '/' && (text[next + 1] === '/' || text[next + 1] === '*')) {
    throw new SyntaxProblem('JSON has no comments.', next, next + 2);
  }
  return next;
}

const PLAIN_TEXT = /"[^"\\\p{Cc}]*"/uy;

/**
 * Scans the text that begins at the quote at `start`.
 * @throws SyntaxProblem for an unknown escape, a raw control character, and a text that is not closed
 */
export function scanText(text: string, start: number): ScannedText {
  PLAIN_TEXT.lastIndex = start;
  if (PLAIN_TEXT.test(text))
    return { value: text.slice(start + 1, PLAIN_TEXT.lastIndex - 1), end: PLAIN_TEXT.lastIndex };
  let at = start + 1;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code === 0x22) break;
    if (Number.isNaN(code) || code === 0x0a || code === 0x0d) {
      throw new SyntaxProblem('The text that starts here is not closed.', start, start + 1);
    }
    if (code < 0x20) {
      const written = `\\u${code.toString(16).padStart(4, '0')}`;
      throw new SyntaxProblem(`Write a control character in a text as ${written}.`, at, at + 1);
    }
    at += code === 0x5c ? escapeLength(text, at) : 1;
  }
  // Checked above: this is a valid JSON text.
  return { value: JSON.parse(text.slice(start, at + 1)), end: at + 1 };
}

const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

function escapeLength(text: string, at: number): number {
  ESCAPE.lastIndex = at;
  if (ESCAPE.test(text)) return ESCAPE.lastIndex - at;
  throw new SyntaxProblem('This is not a JSON escape; write a backslash as \\\\.', at, at + 2);
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const NUMBER_LIKE = /[+-]?[.\d][\w.+-]*/y;

/**
 * Scans the number at `start`; returns undefined when there is nothing like a number.
 * @throws SyntaxProblem for a number that JSON does not allow or that a double cannot hold
 */
export function scanNumber(text: string, start: number): { value: number; end: number } | undefined {
  NUMBER_LIKE.lastIndex = start;
  if (!NUMBER_LIKE.test(text)) return undefined;
  const end = NUMBER_LIKE.lastIndex;
  NUMBER.lastIndex = start;
  if (!NUMBER.test(text) || NUMBER.lastIndex !== end) {
    throw new SyntaxProblem('This is not a JSON number, such as 0.5, -3 or 1e6.', start, end);
  }
  const value = Number(text.slice(start, end));
  if (!Number.isFinite(value)) throw new SyntaxProblem('The number is too large.', start, end);
  return { value, end };
}

const WORD = /[\p{L}_$][\p{L}\p{N}_$]*/uy;
const LITERALS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** Scans `true`, `false` or `null`. @throws SyntaxProblem for anything else */
export function scanLiteral(text: string, start: number): { value: unknown; end: number } {
  WORD.lastIndex = start;
  if (!WORD.test(text)) throw new SyntaxProblem(unexpected(text[start] ?? ''), start, start + 1);
  const end = WORD.lastIndex;
  const word = text.slice(start, end);
  const value = LITERALS.get(word);
  if (value !== undefined) return { value, end };
  const hint = LITERALS.has(word.toLowerCase())
    ? `JSON writes ${word.toLowerCase()}.`
    : 'Texts must be in double quotes.';
  throw new SyntaxProblem(`"${word.slice(0, 40)}" is not a JSON value. ${hint}`, start, end);
}

function unexpected(character: string): string {
  if (character === "'" || character === '`' || character === '“' || character === '”') {
    return 'Texts and keys must be in straight double quotes.';
  }
  if (character === ',' || character === ']' || character === '}')
    return `A value is missing before this "${character}".`;
  return 'A value is expected here.';
}

/** A position as editors count it: lines and columns from 1, columns in UTF-16 units. */
export interface LineColumn {
  line: number;
  column: number;
}

/** Finds the lines of a text; a line ends with LF, CR LF or CR. */
export class LineIndex {
  private known: readonly number[] | undefined;

  constructor(private readonly text: string) {}

  /** The offset of the first character of each line; computed on demand, since a valid text does not need it. */
  private get starts(): readonly number[] {
    this.known ??= startsOf(this.text);
    return this.known;
  }

  /** The line and column of an offset, which may be the end of the text. */
  positionOf(offset: number): LineColumn {
    const { starts } = this;
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - starts[low]! + 1 };
  }

  /** The text of a line without its line break, or an empty string when the line does not exist. */
  lineText(line: number): string {
    const start = this.starts[line - 1];
    return start === undefined
      ? ''
      : this.text.slice(start, this.starts[line] ?? this.text.length).replace(/[\r\n]+$/, '');
  }
}

/** Scans code units instead of using a pattern: a text may have millions of lines. */
function startsOf(text: string): number[] {
  const starts = [0];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x0a || (code === 0x0d && text.charCodeAt(at + 1) !== 0x0a)) starts.push(at + 1);
  }
  return starts;
}
