import { escapePointer } from '@crm/contracts';

/** What a problem tells who may not read the field. The `INVALID_…` of a type is in its definition. */
export const VALUE_PROBLEMS = {
  REQUIRED: 'The field requires a value',
  UNKNOWN_FIELD: 'Unknown field',
  FORMULA_NOT_WRITABLE: "Formulas are computed and can't be written",
  WRONG_TYPE: 'Wrong JSON type for this field',
  INVALID_CHARACTER: 'The text contains U+0000, U+10FFFF, or half of a surrogate pair',
  LINE_BREAK: 'The field accepts a single line',
  TOO_SHORT: "Shorter than the field's minimum length",
  TOO_LONG: "Longer than the field's maximum length",
  TOO_MANY_VALUES: 'More entries than the field allows',
  OUT_OF_RANGE: 'Outside the range of numbers that can be stored',
  BELOW_MIN: "Below the field's minimum",
  ABOVE_MAX: "Above the field's maximum",
  PHONE_COUNTRY_MISSING: 'The phone number has no country code and the workspace has no country',
  NOT_AN_OPTION: "Not one of the field's options",
  PATTERN_MISMATCH: "Doesn't match the field's pattern",
  UNIQUE_VALUE_TOO_LONG: 'Too long for a unique field',
} as const;

export const DEFINITION_PROBLEMS = {
  FIELDS_TOO_MANY: 'The object has too many fields',
  TYPE_UNKNOWN: 'Unknown field type',
  OPTIONS_REQUIRED: 'This field type requires options',
  OPTIONS_NOT_ALLOWED: 'This field type has no options',
  OPTIONS_TOO_MANY: 'The field has too many options',
  OPTION_INVALID: 'An option must be a string, or a value and a label, of 1 to 255 characters',
  OPTION_DUPLICATE: 'Two options have the same value',
  REFERENCE_TARGET_REQUIRED: 'A reference requires a target',
  REFERENCE_TARGET_INVALID: 'A target must be lead, contact, company, opportunity or custom:<apiName>',
  REFERENCE_TARGET_NOT_ALLOWED: 'target is only for reference fields',
  ON_DELETE_NOT_ALLOWED: 'onDelete is only for reference fields',
  ON_DELETE_INVALID: "A required reference can't use set_null. Use restrict or cascade",
  INDEXED_NOT_ALLOWED: "This field type can't be indexed",
  INDEXED_TOO_MANY: 'The object has too many indexed fields of this kind',
  RULE_UNKNOWN: 'Unknown validation rule',
  RULE_NOT_ALLOWED: "The rule doesn't apply to this field type",
  RULE_VALUE_INVALID: 'Not a valid value for this rule',
  RULE_PATTERN_INVALID: "The pattern isn't supported (RE2 syntax: no look-around or backreferences)",
  RULE_CONFLICT: 'No value can satisfy all rules of the field',
  DEFAULT_INVALID: "The default isn't a valid value for the field",
  DEFAULT_NOT_ALLOWED: "A formula can't have a default",
  REQUIRED_NOT_ALLOWED: "A formula can't be required",
  UNIQUE_NOT_ALLOWED: "This field type can't be unique",
  EXPRESSION_REQUIRED: 'A formula requires an expression',
  EXPRESSIONS_TOO_LONG: "The object's formulas are too long to compute with each record",
  EXPRESSION_NOT_ALLOWED: 'expression is only for formula fields',
  EXPOSES_NOT_ALLOWED: 'exposes is only for formula fields',
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
