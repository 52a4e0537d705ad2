import { comparisonOf } from '../comparison.js';
import type { SqlOperand } from '../sql-target.js';
import type { ValueType } from '../types.js';
import type { Evaluator, Operand, Row, Value } from '../values.js';

/**
 * The smallest (`sign` 1) or greatest (`sign` -1) non-null argument; null when there is none. Numbers compare as
 * float64. When no argument has a declared type, the type of the first value decides and values of other types are skipped.
 */
export function extreme(args: readonly Operand[], type: ValueType, sign: 1 | -1): Evaluator {
  const evaluators = args.map((argument) => argument.evaluate);
  if (type === 'number') return extremeNumber(args, sign);
  const compare = comparisonOf(type);
  const order = (a: Value, b: Value) => {
    if (typeof a === 'number' && typeof b === 'number') return a - b;
    return compare(a, b) ?? 0;
  };
  return (row) => {
    let best: Value = null;
    for (const evaluate of evaluators) {
      const value = evaluate(row);
      // Booleans have no order; only an undeclared name can hold one here.
      if (value === null || typeof value === 'boolean') continue;
      if (best === null || sign * order(value, best) < 0) best = value;
    }
    return best;
  };
}

function extremeNumber(args: readonly Operand[], sign: 1 | -1): Evaluator {
  const evaluators = args.map((argument) => argument.evaluate as (row: Row) => number | null);
  const count = evaluators.length;
  return (row) => {
    let best: number | null = null;
    for (let index = 0; index < count; index++) {
      const value = evaluators[index]!(row);
      if (value !== null && (best === null || (sign === 1 ? value < best : value > best))) best = value;
    }
    return best;
  };
}

/** Postgres's own functions skip nulls too and compare float8 as it is. */
export function emitExtreme(args: readonly SqlOperand[], name: 'least' | 'greatest'): string {
  return `${name}(${args.map(({ sql, type }) => (type === 'text' ? `${sql} COLLATE "C"` : sql)).join(', ')})`;
}
