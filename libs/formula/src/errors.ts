import type { FormulaError } from './ast.js';

/** Bounds of the formula language. Characters are code points. */
export const LIMITS = {
  sourceCharacters: 4000,
  /** Literals, fields, operators and calls of one formula. */
  nodes: 500,
  /** Depth of open parentheses, calls and unary operators. */
  depth: 50,
  /** Steps from a formula to a formula it reads, along the longest chain. */
  chainDepth: 10,
  /** Nodes of one SQL expression: the formula and all formulas it reads, counted once for each read. */
  sqlNodes: 4000,
  /** Characters of a text result; a longer one is null. */
  textCharacters: 4000,
  /** Errors reported for one formula, so that random text does not report thousands. */
  reportedErrors: 25,
} as const;

/** Collects the errors of one formula up to the limit, one per position and code. */
export class ErrorList {
  readonly errors: FormulaError[] = [];

  /** Discards errors added from now on. */
  get isFull(): boolean {
    return this.errors.length >= LIMITS.reportedErrors;
  }

  add(error: FormulaError): void {
    if (this.isFull) return;
    if (this.errors.some((known) => known.code === error.code && known.position === error.position)) return;
    this.errors.push(error);
  }

  sorted(): FormulaError[] {
    return [...this.errors].sort((a, b) => a.position - b.position);
  }
}

/** Thrown when a formula that passed the check is too large for one SQL expression. */
export class FormulaSqlError extends Error {
  override readonly name = 'FormulaSqlError';
}

/** Thrown when a formula that does not pass the check is compiled. */
export class FormulaCompileError extends Error {
  override readonly name = 'FormulaCompileError';

  constructor(readonly errors: readonly FormulaError[]) {
    super(errors.map((error) => `${error.message} (column ${error.position + 1})`).join('; '));
  }
}
