import { codePointLength, isCleanText, type ValueType } from '@crm/formula';
import type { FieldDefinition, FieldTypeName, RuleTypeName } from '../field-definition.js';
import type { FieldProblem, ProblemParams } from '../problem.js';
import type { ValueProblemCode } from '../problem-codes.js';

/** The kind of typed column in which values are filtered and sorted. */
export type SlotKind = 'text' | 'number' | 'time';

export interface ParseOptions {
  /** ISO 3166-1 alpha-2, for phone numbers without a country code. */
  defaultCountry?: string;
}

/** The canonical value, or what is wrong, with pointers that begin at the value. */
export type ParseResult = { ok: true; value: unknown } | { ok: false; problems: FieldProblem[] };

/** Everything the platform knows about a field type. A new type is one file with one of these. */
export interface FieldType {
  readonly name: FieldTypeName;
  /** Null when values are not filtered and sorted by a typed column. */
  readonly slotKind: SlotKind | null;
  /** The type formulas see; null for `formula`, whose type follows from its expression. */
  readonly formulaType: ValueType | null;
  readonly allowedRules: readonly RuleTypeName[];
  /** The longest canonical text in code points, or the largest number in size; none where neither counts. */
  readonly bound?: number;
  /** Whether `is_unique` makes sense. */
  readonly mayBeUnique: boolean;
  /** Non-null JSON input to its canonical form. Parsing a canonical value gives it back. */
  parse(input: unknown, field: FieldDefinition, options: ParseOptions): ParseResult;
  /** A canonical value in its JSON form, which `parse` takes. */
  present(value: unknown): unknown;
  /** A canonical non-null value as its typed column holds it, before a long text is cut. */
  toSlot(value: unknown): string | number | Date;
  /** The text under which two values count as the same, for `is_unique`. */
  toUniqueKey(value: unknown): string;
  /** The text by which a full-text search finds the value; null when it is not searched. */
  toSearchText(value: unknown): string | null;
}

export const TEXT_RULES: readonly RuleTypeName[] = ['minLength', 'maxLength', 'regex'];
export const NUMBER_RULES: readonly RuleTypeName[] = ['min', 'max'];

export function accept(value: unknown): ParseResult {
  return { ok: true, value };
}

export function refuse(code: ValueProblemCode, detail: string, params?: ProblemParams): ParseResult {
  return { ok: false, problems: [{ pointer: '', code, detail, ...(params ? { params } : {}) }] };
}

/** Whether a text that must be one line is not: the line ends of Unicode (UAX 14: LF, VT, FF, CR, NEL, LS, PS). */
const LINE_BREAK = /[\n\v\f\r\u0085\u2028\u2029]/;

/**
 * What every text must be: a JSON string of storable characters, not longer than the limit (code points), on one
 * line where asked.
 * @returns null when it is all that
 */
export function refusedText(
  input: unknown,
  { limit, singleLine }: { limit: number; singleLine: boolean },
): ParseResult | null {
  if (typeof input !== 'string') return refuse('WRONG_TYPE', 'Must be a text', { expected: 'string' });
  // Counting is linear, so what is far too long is not counted.
  if (input.length > limit && (input.length > limit * 2 || codePointLength(input) > limit)) {
    return refuse('TOO_LONG', `Must have at most ${limit} characters`, { limit });
  }
  if (!isCleanText(input)) {
    return refuse('INVALID_CHARACTER', 'Must not contain the character U+0000 or half of a surrogate pair');
  }
  if (singleLine && LINE_BREAK.test(input)) return refuse('LINE_BREAK', 'Must be a single line');
  return null;
}
