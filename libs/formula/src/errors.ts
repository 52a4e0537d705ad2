import { LIMITS } from './limits.js';
import type { FormulaError } from './types.js';

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

  /** In source order. */
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
    super(errors.map((error) => `${error.message} (at ${error.position})`).join('; '));
  }
}
