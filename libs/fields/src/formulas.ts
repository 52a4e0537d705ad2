import { type CompiledFormulaSet, compileFormulaSet, type ValueType } from '@crm/formula';
import type { FieldDefinition } from './field-definition.js';
import { fieldTypes } from './types/index.js';

/** Types of the fields as formulas see them, without formula fields, whose types depend on each other. */
export function formulaFieldTypes(fields: readonly FieldDefinition[]): Map<string, ValueType> {
  const types = new Map<string, ValueType>();
  for (const field of fields) {
    const type = fieldTypes.get(field.type)?.formulaType;
    if (type) types.set(field.apiName, type);
  }
  return types;
}

/** The expressions of the formula fields by api name. */
export function formulaSources(fields: readonly FieldDefinition[]): Map<string, string> {
  return new Map(
    fields.filter((field) => field.type === 'formula').map((field) => [field.apiName, field.expression ?? '']),
  );
}

/** All formula fields compiled together. Throws FormulaCompileError when one has errors. */
export function compileFieldFormulas(fields: readonly FieldDefinition[]): CompiledFormulaSet {
  return compileFormulaSet(formulaSources(fields), formulaFieldTypes(fields));
}
