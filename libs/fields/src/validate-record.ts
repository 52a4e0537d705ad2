import type { FieldDefinition } from './field-definition.js';
import { type FieldProblem, pointerTo } from './problem.js';
import type { ParseOptions } from './types/field-type.js';
import { validateValue } from './validate-value.js';

export interface ValidatedRecord {
  /**
   * Canonical values by api name: on create of every writable field (its default or null when it is not given), on
   * update of the given fields. Meaningful only when there is no problem.
   */
  values: Record<string, unknown>;
  /** All problems, first in the order of the fields, then in the order of the input. */
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
    } else if (mode === 'create') {
      values.push([field.apiName, validateValue(field, field.default ?? null, options, problems)]);
    }
  }
  for (const name of Object.keys(input)) {
    if (names.has(name)) continue;
    problems.push({ pointer: pointerTo(name), code: 'UNKNOWN_FIELD', detail: 'The object has no such field' });
  }
  return { values: Object.fromEntries(values), problems };
}

function formulaProblem(field: FieldDefinition): FieldProblem {
  return {
    pointer: pointerTo(field.apiName),
    code: 'FORMULA_NOT_WRITABLE',
    detail: 'The field is computed and cannot be written',
  };
}
