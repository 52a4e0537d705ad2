import {
  type BinaryOperator,
  type FormulaError,
  type FormulaErrorCode,
  isBinaryOperator,
  isComparisonLevel,
  LOOSEST_LEVEL,
  type Node,
  precedenceOf,
} from './ast.js';
import { ErrorList, LIMITS } from './errors.js';
import { type Token, tokenize } from './lexer.js';

export interface ParsedFormula {
  /** Absent only when nothing could be parsed. With errors, the part that could be. */
  tree?: Node;
  errors: FormulaError[];
}

const KEYWORD_OPERATORS = new Map([
  ['AND', '&&'],
  ['OR', '||'],
  ['NOT', '!'],
]);
export const KEYWORD_LITERALS: ReadonlySet<string> = new Set(['TRUE', 'FALSE', 'NULL']);

/** Parses a formula. Never throws: all mistakes in the source are in `errors`, with positions in code points. */
export function parseFormula(source: string): ParsedFormula {
  // A code point has at most two UTF-16 units, so a source longer than twice the limit need not be counted.
  const characters = source.length > LIMITS.sourceCharacters * 2 ? undefined : [...source];
  if (characters === undefined || characters.length > LIMITS.sourceCharacters) {
    const message = `A formula can have up to ${LIMITS.sourceCharacters} characters`;
    return { errors: [{ code: 'TOO_LONG', message, position: LIMITS.sourceCharacters, length: 0 }] };
  }
  const errors = new ErrorList();
  const tree = new Parser(tokenize(characters, errors), errors).run();
  return { ...(tree ? { tree } : {}), errors: errors.sorted() };
}

/** Aborts a parse that is too deep or too large; the error is already reported. */
class ParseAbort extends Error {}

class Parser {
  private at = 0;
  private nodes = 0;
  private depth = 0;

  constructor(
    private readonly tokens: readonly Token[],
    private readonly errors: ErrorList,
  ) {}

  run(): Node | undefined {
    if (this.token.kind === 'end') {
      if (!this.token.tainted) this.report('EMPTY', 'The formula is empty', this.token);
      return undefined;
    }
    try {
      const tree = this.expression(LOOSEST_LEVEL);
      this.skipTo();
      return tree;
    } catch (error) {
      if (error instanceof ParseAbort) return undefined;
      throw error;
    }
  }

  private get token(): Token {
    return this.tokens[this.at]!;
  }

  /** Precedence climbing: reads operators that bind at least as tightly as `level`. */
  private expression(level: number): Node {
    let left = this.unary();
    let compared: number | undefined;
    for (;;) {
      const token = this.token;
      const operator = this.binaryOperator(token);
      const precedence = operator === undefined ? 0 : precedenceOf(operator);
      if (operator === undefined || precedence < level) return left;
      if (compared === precedence) this.reportChain(token);
      compared = isComparisonLevel(precedence) ? precedence : undefined;
      this.at++;
      this.count(token);
      const right = this.expression(precedence + 1);
      left = {
        kind: 'binary',
        operator,
        operatorPosition: token.position,
        operatorLength: token.length,
        left,
        right,
        position: left.position,
        length: right.position + right.length - left.position,
      };
    }
  }

  private binaryOperator(token: Token): BinaryOperator | undefined {
    const text = token.kind === 'name' ? KEYWORD_OPERATORS.get(token.text.toUpperCase()) : token.text;
    if ((token.kind !== 'operator' && token.kind !== 'name') || text === undefined) return undefined;
    return isBinaryOperator(text) ? text : undefined;
  }

  private unary(): Node {
    const token = this.token;
    const operator = token.kind === 'name' ? KEYWORD_OPERATORS.get(token.text.toUpperCase()) : token.text;
    if ((token.kind === 'operator' || token.kind === 'name') && (operator === '-' || operator === '!')) {
      this.at++;
      this.count(token);
      const operand = this.nested(token, () => this.unary());
      const length = operand.position + operand.length - token.position;
      return { kind: 'unary', operator, operand, position: token.position, length };
    }
    return this.primary();
  }

  private primary(): Node {
    const token = this.token;
    const { position, length } = token;
    switch (token.kind) {
      case 'number':
        this.at++;
        this.count(token);
        return { kind: 'number', value: token.value as number, position, length };
      case 'text':
        this.at++;
        this.count(token);
        return { kind: 'text', value: token.value as string, position, length };
      case 'name':
        return this.named(token);
      case '(':
        return this.parenthesised(token);
      default:
        return this.missingOperand(token);
    }
  }

  private named(token: Token): Node {
    const { position, length } = token;
    const upper = token.text.toUpperCase();
    if (KEYWORD_OPERATORS.has(upper)) return this.missingOperand(token);
    this.at++;
    this.count(token);
    if (KEYWORD_LITERALS.has(upper)) {
      if (upper === 'NULL') return { kind: 'null', position, length };
      return { kind: 'boolean', value: upper === 'TRUE', position, length };
    }
    if (this.token.kind !== '(') return { kind: 'field', name: token.text, position, length };
    const open = this.token;
    const args = this.nested(open, () => this.args());
    this.close(open);
    const end = this.tokens[this.at - 1]!;
    return {
      kind: 'call',
      name: upper,
      nameLength: length,
      args,
      position,
      length: end.position + end.length - position,
    };
  }

  /** Reads `( a, b` up to, not including, the closing parenthesis. */
  private args(): Node[] {
    this.at++;
    const args: Node[] = [];
    if (this.token.kind === ')') return args;
    for (;;) {
      args.push(this.expression(LOOSEST_LEVEL));
      this.skipTo(',', ')');
      if (this.token.kind !== ',') return args;
      this.at++;
    }
  }

  private parenthesised(open: Token): Node {
    const inner = this.nested(open, () => {
      this.at++;
      const node = this.expression(LOOSEST_LEVEL);
      this.skipTo(',', ')');
      while (this.token.kind === ',') {
        this.reportUnexpected(this.token);
        this.at++;
        if (this.tokens[this.at]?.kind !== ')') this.expression(LOOSEST_LEVEL);
        this.skipTo(',', ')');
      }
      return node;
    });
    this.close(open);
    return inner;
  }

  private close(open: Token): void {
    if (this.token.kind === ')') this.at++;
    else this.report('UNEXPECTED_END', "This parenthesis isn't closed", open);
  }

  /** Skips to a delimiter, or the end: reports the first other token only. */
  private skipTo(...delimiters: Token['kind'][]): void {
    let reported = false;
    while (this.token.kind !== 'end' && !delimiters.includes(this.token.kind)) {
      if (!reported) this.reportUnexpected(this.token);
      reported = true;
      // Parsing the rest as expressions finds more mistakes and keeps nested parentheses together.
      this.resume();
    }
  }

  /** Continues at the current token: as an operator's right operand, as an expression, or after it. */
  private resume(): void {
    const kind = this.token.kind;
    if (kind === ')' || kind === ',' || this.binaryOperator(this.token) !== undefined) this.at++;
    if (this.token.kind === 'number' || this.token.kind === 'text' || this.token.kind === '(')
      this.expression(LOOSEST_LEVEL);
    else if (this.token.kind === 'name' && !KEYWORD_OPERATORS.has(this.token.text.toUpperCase()))
      this.expression(LOOSEST_LEVEL);
    else if (this.token.kind === 'operator' || this.token.kind === 'name') this.at++;
  }

  private nested<T>(token: Token, read: () => T): T {
    if (this.depth === LIMITS.depth) {
      const message = `More than ${LIMITS.depth} parentheses, calls and unary operators are open here`;
      this.report('TOO_DEEP', message, token);
      throw new ParseAbort();
    }
    this.depth++;
    const result = read();
    this.depth--;
    return result;
  }

  private count(token: Token): void {
    if (++this.nodes <= LIMITS.nodes) return;
    const message = `A formula can have up to ${LIMITS.nodes} literals, fields, operators, and calls`;
    this.report('TOO_MANY_NODES', message, token);
    // A longer chain is a deeper tree, and walking it would overflow the stack.
    throw new ParseAbort();
  }

  private missingOperand(token: Token): Node {
    if (token.kind === 'operator' && token.text === '+') return this.afterPlus();
    if (!token.tainted) {
      if (token.kind === 'end') this.report('UNEXPECTED_END', 'The formula ends where a value is expected', token);
      else this.report('UNEXPECTED_TOKEN', `A value is expected before ${describe(token)}`, token);
    }
    return { kind: 'error', position: token.position, length: 0 };
  }

  /** The operand after a run of misplaced "+". A loop skips them, because one call for each could overflow the stack. */
  private afterPlus(): Node {
    while (this.token.kind === 'operator' && this.token.text === '+') {
      const { token } = this;
      if (!token.tainted) this.report('UNEXPECTED_TOKEN', 'Unary "+" isn\'t supported. Leave it out', token);
      this.at++;
    }
    return this.unary();
  }

  private reportUnexpected(token: Token): void {
    if (token.tainted) return;
    this.report('UNEXPECTED_TOKEN', `${describe(token)} isn't expected here`, token);
  }

  private reportChain(token: Token): void {
    const message = `Comparisons can't be chained. Put parentheses around the part before "${token.text}"`;
    this.report('CHAINED_COMPARISON', message, token);
  }

  private report(code: FormulaErrorCode, message: string, { position, length }: Token): void {
    this.errors.add({ code, message, position, length });
  }
}

function describe(token: Token): string {
  if (token.kind === 'number') return 'the number';
  if (token.kind === 'text') return 'the text';
  return `"${token.text || token.kind}"`;
}
