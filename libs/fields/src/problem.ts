import { escapePointer } from '@crm/contracts';
import { DEFINITION_PROBLEMS, type FieldProblemCode, VALUE_PROBLEMS } from './problem-codes.js';

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

const DETAILS: Readonly<Record<FieldProblemCode, string>> = { ...VALUE_PROBLEMS, ...DEFINITION_PROBLEMS };

/** The problem for someone who may not read the field: without its options, its limits and its author's message. */
export function withoutLimits({ pointer, code }: FieldProblem): FieldProblem {
  return { pointer, code, detail: DETAILS[code] };
}

/** The JSON pointer made of these segments. */
export function pointerTo(...segments: readonly (string | number)[]): string {
  return segments.map((segment) => `/${escapePointer(String(segment))}`).join('');
}
