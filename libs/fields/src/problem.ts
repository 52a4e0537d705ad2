import type { FieldProblemCode } from './problem-codes.js';

export type ProblemParams = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** One thing that is wrong with a record or a definition. It never carries the value itself. */
export interface FieldProblem {
  /** JSON pointer (RFC 6901) from where the check began: the record, the list of fields, or a single value. */
  pointer: string;
  code: FieldProblemCode;
  /** A sentence for humans; a rule's own message where it has one. */
  detail: string;
  /** The bounds that were broken, for texts in other languages. */
  params?: ProblemParams;
}

/** A JSON pointer of these segments. */
export function pointerTo(...segments: readonly (string | number)[]): string {
  return segments.map((segment) => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
