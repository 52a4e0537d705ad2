import type { EvaluationContext, FieldTypes, FormulaError, JsonValue, ValueType } from './types.js';

export type * from './types.js';

/** A node of the syntax tree. */
export interface Node {
  readonly kind: string;
  readonly position: number;
  readonly length: number;
}
export declare function parseFormula(source: string): { tree?: Node; errors: FormulaError[] };
export interface CheckOptions {
  /** Names that are not in `fields` have type `any` (workflow conditions, webhook filters). */
  untypedNames?: boolean;
  /** The type the whole formula must have, e.g. `boolean` for a condition. */
  expected?: ValueType;
}
export interface CheckedFormula {
  ok: boolean;
  resultType: ValueType;
  nullable: boolean;
  dependencies: string[];
  errors: FormulaError[];
  tree?: Node;
}
export declare function checkFormula(source: string, fields: FieldTypes, options?: CheckOptions): CheckedFormula;
export interface CompiledFormula {
  readonly resultType: ValueType;
  readonly dependencies: readonly string[];
  /** True when the value depends on the clock or the tenant's zone and not on the record alone. */
  readonly readsClock: boolean;
  evaluate(record: Readonly<Record<string, unknown>>, context: EvaluationContext): JsonValue;
}
/** Throws FormulaCompileError (with `errors`) when the source does not pass the check. */
export declare function compileFormula(source: string, fields: FieldTypes, options?: CheckOptions): CompiledFormula;
export declare function orderFormulas(
  dependencies: ReadonlyMap<string, readonly string[]>,
): { order: string[]; cycle?: undefined } | { order?: undefined; cycle: string[] };
export declare function printFormula(tree: Node): string;

/** All formulas of one object, checked together: each may read the others. */
export interface CheckedFormulaSet {
  ok: boolean;
  /** Dependencies first; empty when there is a cycle. */
  order: string[];
  formulas: Map<string, CheckedFormula>;
}
export declare function checkFormulaSet(
  sources: ReadonlyMap<string, string>,
  fields: FieldTypes,
  options?: CheckOptions,
): CheckedFormulaSet;
export interface CompiledFormulaSet {
  readonly order: readonly string[];
  readonly formulas: ReadonlyMap<string, CompiledFormula>;
  readonly readsClock: boolean;
  /** Values of all formulas (or of those named, with what they read) as own properties by name. */
  evaluateAll(
    record: Readonly<Record<string, unknown>>,
    context: EvaluationContext,
    names?: ReadonlySet<string>,
  ): Record<string, JsonValue>;
}
/** Throws FormulaCompileError when a formula of the set does not pass. */
export declare function compileFormulaSet(
  sources: ReadonlyMap<string, string>,
  fields: FieldTypes,
  options?: CheckOptions,
): CompiledFormulaSet;
