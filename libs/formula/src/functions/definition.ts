import type { ValueType } from '../ast.js';
import type { SqlOperand, SqlTarget } from '../sql-target.js';
import type { Evaluator, Operand } from '../values.js';

export interface Parameter {
  readonly name: string;
  readonly accepts: readonly ValueType[];
  /** All shared parameters of a call have the same type, which is also the type of the call. */
  readonly shared?: true;
  readonly optional?: true;
  /** Allowed for the last parameter only. */
  readonly repeats?: true;
}

/** Everything the language knows about a function. A new function is one file with one such definition. */
export interface FunctionDefinition {
  /** In upper case. */
  readonly name: string;
  readonly parameters: readonly Parameter[];
  /** The type of the result, or `shared`: the one type of the shared parameters. */
  readonly result: ValueType | 'shared';
  /** Returns whether the result may be null, given whether each argument may. */
  nullable(args: readonly boolean[]): boolean;
  /** Returns whether the value depends on the clock or the tenant's zone, given the arguments' types. */
  readsClock?(types: readonly ValueType[]): boolean;
  /**
   * The closure of a call. An argument of type `any` is already read as the parameter's type if the parameter
   * accepts one type only, and stays `any` if it accepts several. `type` is the call's type.
   */
  compile(args: readonly Operand[], type: ValueType): Evaluator;
  /** SQL that computes the same value; every argument, NULL included, has its SQL type. `type` is the call's type. */
  emit(args: readonly SqlOperand[], type: ValueType, target: SqlTarget): string;
  readonly doc: { readonly summary: string; readonly examples: readonly string[] };
}

/** The types of values that have a text form. */
export const ANYTHING: readonly ValueType[] = ['text', 'number', 'boolean', 'date', 'datetime', 'multi_select'];
/** The types of values that an expression can be. */
export const SCALARS: readonly ValueType[] = ['number', 'text', 'boolean', 'date', 'datetime'];
/** The types of values that have an order. */
export const ORDERED: readonly ValueType[] = ['number', 'text', 'date', 'datetime'];

/** `ROUND(x, n?)`, `CONCAT(x, …)`. */
export function signature({ name, parameters }: FunctionDefinition): string {
  const shown = parameters.map((parameter) => {
    if (parameter.repeats) return `${parameter.name}, …`;
    return parameter.optional ? `${parameter.name}?` : parameter.name;
  });
  return `${name}(${shown.join(', ')})`;
}

export function arity({ parameters }: FunctionDefinition): { min: number; max: number } {
  return {
    min: parameters.filter((parameter) => !parameter.optional).length,
    max: parameters.some((parameter) => parameter.repeats) ? Number.POSITIVE_INFINITY : parameters.length,
  };
}

export function parameterAt({ parameters }: FunctionDefinition, index: number): Parameter {
  return parameters[Math.min(index, parameters.length - 1)]!;
}

/** The closure of a function of one argument that returns null for null. */
export function strict<T, R extends string | number | boolean | null>(
  argument: Operand,
  apply: (value: T) => R,
): Evaluator {
  const { evaluate } = argument;
  return (row) => {
    const value = evaluate(row);
    return value === null ? null : apply(value as T);
  };
}
