import { codePointLength, isCleanText, type ValueType } from '@crm/formula';
import type { FieldProblem, ProblemParams, ValueProblemCode } from '../problem.js';

export const RULE_TYPE_NAMES = ['min', 'max', 'minLength', 'maxLength', 'regex'] as const;
export type RuleTypeName = (typeof RULE_TYPE_NAMES)[number];

export interface FieldOption {
  value: string;
  label: string;
  /** False for one that only records have that had it before. */
  active?: boolean;
}

/** The choices of a field; a plain text is both value and label. */
export type FieldOptions = readonly (string | FieldOption)[];

export type SlotKind = 'text' | 'number' | 'time';

/** How many fields of an object can have a typed column. */
export const SLOT_COUNTS: Readonly<Record<SlotKind, number>> = { text: 24, number: 8, time: 8 };

export interface ParseOptions {
  /** ISO 3166-1 alpha-2, for phone numbers without a country code. */
  defaultCountry?: string;
}

/** The canonical value, or its problems, with pointers relative to the value. */
export type ParseResult = { ok: true; value: unknown } | { ok: false; problems: FieldProblem[] };

/** Everything that the services know about a field type. */
export interface FieldType {
  /** What its values are, in the documentation. */
  readonly summary: string;
  /**
   * Canonical values, in the documentation and in tests, which count as different; of a type with options, of a field with
   * these. None for a type that is never written.
   */
  readonly examples: readonly unknown[];
  /** What `INVALID_` and its name, the problem of a value without the form of the type, tells who may not read the field. */
  readonly invalid?: string;
  /** JSON Schema of a canonical value. */
  readonly schema: Readonly<{
    type: 'string' | 'number' | 'integer' | 'boolean' | 'array';
    format?: 'date' | 'date-time' | 'uuid';
  }>;
  /** Null when values are not filtered and sorted by a typed column. */
  readonly slotKind: SlotKind | null;
  /** The type in formulas; null for `formula`, whose type follows from its expression. */
  readonly formulaType: ValueType | null;
  readonly allowedRules: readonly RuleTypeName[];
  /** Maximum length of a canonical text in code points, or the largest magnitude of a number. */
  readonly bound?: number;
  /** Fields can change between types of one storage; to a lower `bound`, values may stay that cannot be written again. */
  readonly storage?: string;
  readonly hasOptions?: true;
  /** True when texts are usually long, so that a column for filters is of little use. */
  readonly isLong?: true;
  /** True when `is_unique` makes sense. */
  readonly mayBeUnique: boolean;
  /** Converts non-null JSON input to its canonical form. Parsing a canonical value returns it unchanged. */
  parse(input: unknown, field: { readonly options?: FieldOptions }, options: ParseOptions): ParseResult;
  /** The typed column's form of a canonical non-null value, before a long text is truncated. */
  toSlot(value: unknown): string | number | Date;
  /** A text that is equal for values that count as the same, for `is_unique`. */
  toUniqueKey(value: unknown): string;
  /** The text by which a full-text search finds the value; null when it is not searched. */
  toSearchText(value: unknown): string | null;
}

/** What most types have in common: the canonical form is the stored one. */
export const PLAIN = {
  allowedRules: [],
  mayBeUnique: true,
  toSlot: (value: unknown) => value as string,
  toUniqueKey: (value: unknown) => value as string,
  toSearchText: (): string | null => null,
} satisfies Partial<FieldType>;

export const TEXT_RULES: readonly RuleTypeName[] = ['minLength', 'maxLength', 'regex'];
export const NUMBER_RULES: readonly RuleTypeName[] = ['min', 'max'];

export function accept(value: unknown): ParseResult {
  return { ok: true, value };
}

export function refuse(code: ValueProblemCode, detail: string, params?: ProblemParams): ParseResult {
  return { ok: false, problems: [{ pointer: '', code, detail, ...(params ? { params } : {}) }] };
}

/** Line breaks of Unicode (UAX 14: LF, VT, FF, CR, NEL, LS, PS). */
const LINE_BREAK = /[\n\v\f\r\u0085\u2028\u2029]/;

/**
 * Checks what every text must satisfy: a JSON string of storable characters, not longer than the limit (code points), and
 * on one line if `singleLine` is set.
 */
export function refusedText(
  input: unknown,
  { limit, singleLine }: { limit: number; singleLine: boolean },
): ParseResult | null {
  if (typeof input !== 'string') return refuse('WRONG_TYPE', 'Must be a string', { expected: 'string' });
  // Counting takes linear time, so a text that is far too long is not counted.
  if (input.length > limit && (input.length > limit * 2 || codePointLength(input) > limit)) {
    return refuse('TOO_LONG', `Must be ${limit} characters or fewer`, { limit });
  }
  if (!isCleanText(input)) {
    return refuse('INVALID_CHARACTER', 'Must not contain U+0000, U+10FFFF, or half of a surrogate pair');
  }
  if (singleLine && LINE_BREAK.test(input)) return refuse('LINE_BREAK', 'Must be a single line');
  return null;
}
