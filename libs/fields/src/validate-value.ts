import type { FieldDefinition, ValidationRule } from './field-definition.js';
import { type FieldProblem, pointerTo } from './problem.js';
import { rules } from './rules/index.js';
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
    problems.push({ pointer, code: 'UNIQUE_VALUE_TOO_LONG', detail: 'Is too long for a value that must be unique' });
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
