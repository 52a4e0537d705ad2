import type { CompiledFormulaSet, ValueType } from '@crm/formula';
import type { FieldDefinition, FieldOption, FieldTypeName, RuleTypeName } from './field-definition.js';

export * from './field-definition.js';

/** UPPER_SNAKE code of a problem, see problem-codes.ts. */
export type FieldProblemCode = string;
export interface FieldProblem {
  /** JSON pointer into the record (or into the list of fields, for definitions). */
  pointer: string;
  code: FieldProblemCode;
  detail: string;
  params?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
}
export type SlotKind = 'text' | 'number' | 'time';
export interface ParseOptions {
  /** ISO 3166-1 alpha-2, for phone numbers without a country code. */
  defaultCountry?: string;
}
export type ParseResult = { ok: true; value: unknown } | { ok: false; problems: FieldProblem[] };
export interface FieldType {
  readonly name: FieldTypeName;
  readonly slotKind: SlotKind | null;
  /** Null for `formula`: its type follows from its expression. */
  readonly formulaType: ValueType | null;
  readonly allowedRules: readonly RuleTypeName[];
  /** Non-null JSON input to its canonical form. */
  parse(input: unknown, field: FieldDefinition, options: ParseOptions): ParseResult;
  /** Canonical stored value to its JSON form. */
  present(value: unknown): unknown;
}
export declare const fieldTypes: ReadonlyMap<FieldTypeName, FieldType>;

export interface ValidatedRecord {
  /** Canonical values by api name: on create every writable field (null when unset), on update the given ones. */
  values: Record<string, unknown>;
  /** Empty when the input is good. */
  problems: FieldProblem[];
}
export declare function validateRecord(
  fields: readonly FieldDefinition[],
  input: Readonly<Record<string, unknown>>,
  mode: 'create' | 'update',
  options?: ParseOptions,
): ValidatedRecord;
/** Pointers are into the list: `/0/options`. */
export declare function checkDefinition(fields: readonly FieldDefinition[]): FieldProblem[];
export declare function normaliseOptions(options: FieldDefinition['options']): FieldOption[];

export interface AccessPlan {
  readonly readable: ReadonlySet<string>;
  readonly writable: ReadonlySet<string>;
}
export declare function accessPlan(fields: readonly FieldDefinition[], roles: readonly string[]): AccessPlan;

/** The key under which a unique field's value is kept: equal keys are the same value. Null for an unset field. */
export declare function uniqueKey(field: FieldDefinition, value: unknown): string | null;
/** Text folded for search: lower case, without accents, runs of white space as one space, trimmed. */
export declare function foldForSearch(text: string): string;
/** The searchable text of a field's value, or null when the type is not searched. Not folded. */
export declare function searchText(field: FieldDefinition, value: unknown): string | null;
/** What a value puts into its typed column; text longer than the column's prefix is cut and `exact` is false. */
export declare function slotValue(
  field: FieldDefinition,
  value: unknown,
): { kind: SlotKind; value: string | number | Date; exact: boolean } | null;
/** Types of the fields as formulas see them, formula fields left out. */
export declare function formulaFieldTypes(fields: readonly FieldDefinition[]): Map<string, ValueType>;
/** All formula fields compiled together. Throws FormulaCompileError when one does not pass the check. */
export declare function compileFieldFormulas(fields: readonly FieldDefinition[]): CompiledFormulaSet;
