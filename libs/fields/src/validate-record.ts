import { atOnce, type Steps } from '@crm/formula';
import type { FieldDefinition, ValidationRule } from './field-definition.js';
import { DEFINITION_PROBLEMS, type FieldProblem, pointerTo, VALUE_PROBLEMS } from './problem.js';
import { rules } from './rules.js';
import { isUniqueKeyTooLong, uniqueKey } from './stored-forms.js';
import type { ParseOptions } from './types/field-type.js';
import { fieldTypes } from './types/index.js';

/**
 * Validates one value of a field against its type and rules. Null is a value that is not set.
 * Adds problems to `problems`, with pointers relative to the record.
 * @returns the canonical value; null when it is not set or has a problem
 */
export function validateValue(
  field: FieldDefinition,
  input: unknown,
  options: ParseOptions,
  problems: FieldProblem[],
): unknown {
  const known = problems.length;
  const pointer = pointerTo(field.apiName);
  const value = parseValue(field, input, options, pointer, problems);
  if (problems.length > known) return null;
  if (field.required && isBlank(value)) {
    problems.push({ pointer, code: 'REQUIRED', detail: 'Must have a value' });
    return null;
  }
  if (value === null) return null;
  for (const rule of field.validationRules ?? []) {
    // The time of a pattern is bounded only for values of a length that the field allows.
    if (rule.type === 'regex' && isTooLong(field.validationRules!, value)) continue;
    checkRule(rule, value, pointer, problems);
  }
  const key = field.is_unique ? uniqueKey(field, value) : null;
  if (key !== null && isUniqueKeyTooLong(key)) {
    problems.push({ pointer, code: 'UNIQUE_VALUE_TOO_LONG', detail: 'Too long for a value that must be unique' });
  }
  return problems.length > known ? null : value;
}

function parseValue(
  field: FieldDefinition,
  input: unknown,
  options: ParseOptions,
  pointer: string,
  problems: FieldProblem[],
): unknown {
  if (input === null || input === undefined) return null;
  const type = fieldTypes.get(field.type);
  if (!type) throw new TypeError(`Field ${field.apiName} has the unknown type ${String(field.type)}`);
  const parsed = type.parse(input, field, options);
  if (parsed.ok) return parsed.value;
  for (const problem of parsed.problems) problems.push({ ...problem, pointer: pointer + problem.pointer });
  return null;
}

/** An empty text does not satisfy a required field. */
function isBlank(value: unknown): boolean {
  return value === null || value === '';
}

function isTooLong(declared: readonly ValidationRule[], value: unknown): boolean {
  return declared.some(({ type, value: limit }) => type === 'maxLength' && !rules.get(type)!.passes(value, limit));
}

function checkRule(declared: ValidationRule, value: unknown, pointer: string, problems: FieldProblem[]): void {
  const rule = rules.get(declared.type);
  if (!rule) throw new TypeError(`Unknown validation rule ${String(declared.type)}`);
  if (rule.passes(value, declared.value)) return;
  problems.push({
    pointer,
    code: rule.code,
    detail: declared.message || rule.detail(declared.value),
    params: rule.params(value, declared.value),
  });
}

/** What an answer says of one record: a body of nothing but mistakes takes no longer than another. */
const MAX_PROBLEMS = 50;

export interface ValidatedRecord {
  /**
   * Canonical values by api name: on create of every writable field (its default or null when it is not given), on
   * update of the given fields. Meaningful only when there is no problem.
   */
  values: Record<string, unknown>;
  /** The first problems, as many as an answer names; in the order of the fields, then in that of the input. */
  problems: FieldProblem[];
}

/**
 * Validates the values to write. Who may write which field is decided elsewhere (see accessPlan).
 * @param fields definitions in which checkDefinition finds no problem
 * @param input the body: only its own properties count
 * @param mode on `create`, defaults are applied and required fields must be present; on `update`, only given fields count
 * @throws TypeError for a definition with an unknown type or rule
 */
export function validateRecord(
  fields: readonly FieldDefinition[],
  input: Readonly<Record<string, unknown>>,
  mode: 'create' | 'update',
  options: ParseOptions = {},
): ValidatedRecord {
  return atOnce(recordValidation(fields, input, mode, options));
}

/** {@link validateRecord}, a field a step: patterns may take milliseconds for each. */
export function* recordValidation(
  fields: readonly FieldDefinition[],
  input: Readonly<Record<string, unknown>>,
  mode: 'create' | 'update',
  options: ParseOptions = {},
): Steps<ValidatedRecord> {
  const problems: FieldProblem[] = [];
  const values: [string, unknown][] = [];
  const names = new Set<string>();
  for (const field of fields) {
    names.add(field.apiName);
    const given = Object.hasOwn(input, field.apiName) && input[field.apiName] !== undefined;
    if (field.type === 'formula') {
      if (given) problems.push(formulaProblem(field));
    } else if (given) {
      values.push([field.apiName, validateValue(field, input[field.apiName], options, problems)]);
      if (field.validationRules !== undefined) yield;
    } else if (mode === 'create') {
      values.push([field.apiName, validateValue(field, field.default ?? null, options, problems)]);
    }
  }
  for (const name of Object.keys(input)) {
    if (names.has(name)) continue;
    if (problems.length >= MAX_PROBLEMS) break;
    problems.push({ pointer: pointerTo(name), code: 'UNKNOWN_FIELD', detail: 'Unknown field' });
  }
  return { values: Object.fromEntries(values), problems: problems.slice(0, MAX_PROBLEMS) };
}

function formulaProblem(field: FieldDefinition): FieldProblem {
  return {
    pointer: pointerTo(field.apiName),
    code: 'FORMULA_NOT_WRITABLE',
    detail: "Formulas are computed and can't be written",
  };
}

const DETAILS: Readonly<Record<string, string | undefined>> = {
  ...VALUE_PROBLEMS,
  ...DEFINITION_PROBLEMS,
  ...Object.fromEntries([...fieldTypes].map(([name, { invalid }]) => [`INVALID_${name.toUpperCase()}`, invalid])),
};

/** The problem for someone who may not read the field: without its options, its limits and its author's message. */
export function withoutLimits({ pointer, code }: FieldProblem): FieldProblem {
  return { pointer, code, detail: DETAILS[code] ?? 'Invalid value' };
}
