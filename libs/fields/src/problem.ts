import { escapePointer } from '@crm/contracts';

/** What a problem tells who may not read the field. The `INVALID_…` of a type is in its definition. */
export const VALUE_PROBLEMS = {
  REQUIRED: 'The field needs a value',
  UNKNOWN_FIELD: 'The object has no such field',
  FORMULA_NOT_WRITABLE: 'A formula is computed and cannot be written',
  WRONG_TYPE: 'The JSON type is not the one of the field',
  INVALID_CHARACTER: 'The text contains U+0000, U+10FFFF or half of a surrogate pair',
  LINE_BREAK: 'The field accepts a single line',
  TOO_SHORT: 'The text has fewer characters than the field requires',
  TOO_LONG: 'The text has more characters than the field allows',
  TOO_MANY_VALUES: 'The list is longer than the field allows',
  OUT_OF_RANGE: 'The number is outside the range that the platform stores',
  BELOW_MIN: 'The number is below the minimum of the field',
  ABOVE_MAX: 'The number is above the maximum of the field',
  PHONE_COUNTRY_MISSING: 'The phone number has no country code and the workspace has no country',
  NOT_AN_OPTION: 'The value is not one of the options of the field',
  PATTERN_MISMATCH: 'The text does not match the pattern of the field',
  UNIQUE_VALUE_TOO_LONG: 'The value is too long for a unique field',
} as const;

export const DEFINITION_PROBLEMS = {
  FIELDS_TOO_MANY: 'The object has more fields than the platform works with',
  TYPE_UNKNOWN: 'The platform has no such field type',
  OPTIONS_REQUIRED: 'The field type needs options',
  OPTIONS_NOT_ALLOWED: 'The field type has no options',
  OPTIONS_TOO_MANY: 'The field has more options than a person can look through',
  OPTION_INVALID: 'An option must be a text, or a value and a label, of 1 to 255 characters',
  OPTION_DUPLICATE: 'Two options have the same value',
  REFERENCE_TARGET_REQUIRED: 'A reference needs a target',
  REFERENCE_TARGET_INVALID: 'A target must be lead, contact, company, opportunity or custom:<apiName>',
  REFERENCE_TARGET_NOT_ALLOWED: 'Only a reference can have a target',
  ON_DELETE_NOT_ALLOWED: 'Only a reference can say what happens on deletion',
  ON_DELETE_INVALID: 'A required reference cannot be unset on deletion: use restrict or cascade',
  INDEXED_NOT_ALLOWED: 'Lists are not filtered or sorted by an index of the field type',
  INDEXED_TOO_MANY: 'The object has more indexed fields of this kind than a record has columns',
  RULE_UNKNOWN: 'The platform has no such validation rule',
  RULE_NOT_ALLOWED: 'The rule does not apply to the field type',
  RULE_VALUE_INVALID: 'The rule does not accept the value',
  RULE_PATTERN_INVALID: 'The linear-time engine does not support the pattern',
  RULE_CONFLICT: 'No value can satisfy all rules of the field',
  DEFAULT_INVALID: 'The default is not a valid value of the field',
  DEFAULT_NOT_ALLOWED: 'A formula cannot have a default',
  REQUIRED_NOT_ALLOWED: 'A formula cannot be required',
  UNIQUE_NOT_ALLOWED: 'The field type does not support unique values',
  EXPRESSION_REQUIRED: 'A formula needs an expression',
  EXPRESSIONS_TOO_LONG: 'The formulas of the object are too long to be computed with each record',
  EXPRESSION_NOT_ALLOWED: 'Only a formula can have an expression',
  EXPOSES_NOT_ALLOWED: 'Only a formula can expose what it reads',
} as const;

export type ValueProblemCode = keyof typeof VALUE_PROBLEMS | `INVALID_${string}`;
export type DefinitionProblemCode = keyof typeof DEFINITION_PROBLEMS;
export type FieldProblemCode = ValueProblemCode | DefinitionProblemCode;

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

export function pointerTo(...segments: readonly (string | number)[]): string {
  return segments.map((segment) => `/${escapePointer(String(segment))}`).join('');
}
