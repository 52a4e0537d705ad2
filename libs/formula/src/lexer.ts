import type { FormulaErrorCode } from './ast.js';
import type { ErrorList } from './errors.js';
import { isCleanText } from './text.js';

export type TokenKind = 'number' | 'text' | 'name' | 'operator' | '(' | ')' | ',' | 'end';

export interface Token {
  readonly kind: TokenKind;
  /** The operator or the name as written; empty for others. */
  readonly text: string;
  readonly value?: number | string;
  readonly position: number;
  readonly length: number;
  /** The lexer reported an error here or just before: the parser reports none for this token. */
  readonly tainted: boolean;
}

const OPERATORS = new Set(['+', '-', '*', '/', '%', '==', '!=', '<', '<=', '>', '>=', '&&', '||', '!']);
/** Operators of other languages, and the operator that is meant. */
const MISTAKEN_OPERATORS = new Map([
  ['===', '=='],
  ['!==', '!='],
  ['<>', '!='],
  ['=<', '<='],
  ['=>', '>='],
  ['=', '=='],
  ['&', '&&'],
  ['|', '||'],
]);
const OPERATOR_CHARACTERS = new Set('+-*/%=!<>&|');
const SIMPLE_ESCAPES = new Map([
  ['\\', '\\'],
  ['"', '"'],
  ["'", "'"],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

const isDigit = (character: string | undefined) => character !== undefined && character >= '0' && character <= '9';
const isNameStart = (character: string | undefined) => character !== undefined && /^[A-Za-z_]$/.test(character);
const isNamePart = (character: string | undefined) => isNameStart(character) || isDigit(character);

/** Splits a source, given as code points, into tokens. Mistakes go to `errors`; the tokens always end with `end`. */
export function tokenize(characters: readonly string[], errors: ErrorList): Token[] {
  return new Lexer(characters, errors).run();
}

class Lexer {
  private readonly tokens: Token[] = [];
  private at = 0;
  private tainted = false;

  constructor(
    private readonly characters: readonly string[],
    private readonly errors: ErrorList,
  ) {}

  run(): Token[] {
    while (this.at < this.characters.length) this.next();
    this.push('end', '', this.at);
    return this.tokens;
  }

  private next(): void {
    const character = this.characters[this.at]!;
    if (character === ' ' || character === '\t' || character === '\r' || character === '\n') {
      this.at++;
    } else if (isDigit(character) || (character === '.' && isDigit(this.characters[this.at + 1]))) {
      this.number();
    } else if (isNameStart(character)) {
      this.name();
    } else if (character === '"' || character === "'") {
      this.text(character);
    } else if (character === '(' || character === ')' || character === ',') {
      this.at++;
      this.push(character, '', this.at - 1);
    } else if (OPERATOR_CHARACTERS.has(character)) {
      this.operator();
    } else {
      this.report('UNEXPECTED_CHARACTER', `${describe(character)} is not part of the formula language`, this.at, 1);
      this.at++;
    }
  }

  private number(): void {
    const start = this.at;
    const digits = () => {
      const first = this.at;
      while (isDigit(this.characters[this.at])) this.at++;
      return this.at > first;
    };
    let valid = digits();
    if (this.characters[this.at] === '.') {
      this.at++;
      valid = digits() && valid;
    }
    if (this.characters[this.at] === 'e') {
      this.at++;
      if (this.characters[this.at] === '+' || this.characters[this.at] === '-') this.at++;
      valid = digits() && valid;
    }
    // Characters attached to the number (0x1, 1.2.3, 12abc) are part of the mistake.
    while (isNamePart(this.characters[this.at]) || this.characters[this.at] === '.') {
      this.at++;
      valid = false;
    }
    const source = this.characters.slice(start, this.at).join('');
    const value = Number(source);
    if (!valid) {
      const message = `"${source}" isn't a number. Write it like 0.5, 12, or 1e6`;
      this.report('INVALID_NUMBER', message, start, this.at - start, numberSuggestion(source));
    } else if (!Number.isFinite(value)) {
      this.report('INVALID_NUMBER', `${source} is too large for a number`, start, this.at - start);
    }
    this.push('number', '', start, Number.isFinite(value) ? value : 0);
  }

  private name(): void {
    const start = this.at;
    while (isNamePart(this.characters[this.at])) this.at++;
    this.push('name', this.characters.slice(start, this.at).join(''), start);
  }

  private text(quote: string): void {
    const start = this.at++;
    let value = '';
    while (this.at < this.characters.length && this.characters[this.at] !== quote) {
      const character = this.characters[this.at]!;
      if (character === '\\') {
        value += this.escape();
      } else {
        value += character;
        this.at++;
      }
    }
    if (this.at < this.characters.length) this.at++;
    else this.report('UNTERMINATED_TEXT', `The string isn't closed with ${quote}`, start, this.at - start);
    // Both the source and the value are checked: an escape cannot complete a lone surrogate of the source.
    if (!isCleanText(value) || !isCleanText(this.characters.slice(start, this.at).join(''))) {
      const message = "A string can't contain U+0000, U+10FFFF, or half of a surrogate pair";
      this.report('INVALID_TEXT', message, start, this.at - start);
    }
    this.push('text', '', start, value);
  }

  private escape(): string {
    const start = this.at++;
    const character = this.characters[this.at];
    if (character === undefined) return '';
    this.at++;
    const simple = SIMPLE_ESCAPES.get(character);
    if (simple !== undefined) return simple;
    if (character === 'u') {
      const digits = this.characters.slice(this.at, this.at + 4).join('');
      if (/^[0-9A-Fa-f]{4}$/.test(digits)) {
        this.at += 4;
        return String.fromCharCode(Number.parseInt(digits, 16));
      }
    }
    const message = `\\${character} is not an escape: use \\\\ \\" \\' \\n \\r \\t or \\u and four hexadecimal digits`;
    this.report('INVALID_ESCAPE', message, start, this.at - start);
    return '';
  }

  private operator(): void {
    const start = this.at;
    for (let length = 3; length >= 1; length--) {
      const text = this.characters.slice(start, start + length).join('');
      const meant = MISTAKEN_OPERATORS.get(text);
      if (text.length !== length || (!OPERATORS.has(text) && meant === undefined)) continue;
      this.at += length;
      if (meant !== undefined) {
        const message = `"${text}" is not an operator; did you mean "${meant}"?`;
        this.report('UNEXPECTED_CHARACTER', message, start, length, meant);
      }
      this.push('operator', meant ?? text, start);
      return;
    }
  }

  private push(kind: TokenKind, text: string, position: number, value?: number | string): void {
    const { tainted } = this;
    this.tokens.push({ kind, text, value, position, length: this.at - position, tainted });
    this.tainted = false;
  }

  private report(code: FormulaErrorCode, message: string, position: number, length: number, suggestion?: string): void {
    this.errors.add({ code, message, position, length, ...(suggestion === undefined ? {} : { suggestion }) });
    this.tainted = true;
  }
}

function describe(character: string): string {
  const codePoint = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
  return /^[\p{L}\p{N}\p{P}\p{S}]$/u.test(character) ? `"${character}"` : `The character U+${codePoint}`;
}

/** `.5` means 0.5, `1.` means 1, `1E5` means 1e5, `0x1F` means 31. */
function numberSuggestion(source: string): string | undefined {
  if (/^\.[0-9]+$/.test(source)) return `0${source}`;
  if (/^[0-9]+\.$/.test(source)) return source.slice(0, -1);
  if (/^[0-9]+(\.[0-9]+)?E[0-9]+$/.test(source)) return source.toLowerCase();
  if (/^0[xX][0-9A-Fa-f]{1,12}$/.test(source)) return String(Number(source));
  return undefined;
}
