import { escapePointer } from '@crm/contracts';
import type { FieldProblemCode } from './problem-codes.js';

export type ProblemParams = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** A problem of a record or a definition. It never contains the value itself. */
export interface FieldProblem {
  /** JSON pointer (RFC 6901) relative to what was checked: the record, the list of fields, or a single value. */
  pointer: string;
  code: FieldProblemCode;
  /** A sentence for people; the rule's own message if it has one. */
  detail: string;
  /** The violated limits, for translations of the message. */
  params?: ProblemParams;
}

/** The JSON pointer made of these segments. */
export function pointerTo(...segments: readonly (string | number)[]): string {
  return segments.map((segment) => `/${escapePointer(String(segment))}`).join('');
}
