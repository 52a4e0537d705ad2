import type { EqualityOperator, RelationalOperator } from './ast.js';
import { compareNumbers } from './decimal.js';
import { compareText } from './text.js';
import type { ValueType } from './types.js';
import { coerced, type Evaluator, type Operand, type Value } from './values.js';

/** Compares two non-null values of one type: negative, 0, positive; null when they have no order. */
type Compare = (left: Value, right: Value) => number | null;

const subtract: Compare = (left, right) => (left as number) - (right as number);

/** The comparison of one type. MIN and MAX use it for all types but number, which they compare as float64. */
export function comparisonOf(type: ValueType): Compare {
  switch (type) {
    case 'number':
      return (left, right) => compareNumbers(left as number, right as number);
    case 'text':
      return (left, right) => compareText(left as string, right as string);
    case 'date':
    case 'datetime':
      return subtract;
    case 'any':
      return compareAny;
    default:
      return (left, right) => (left === right ? 0 : null);
  }
}

/** Two values whose types are known only now; of different types they do not compare. */
function compareAny(left: Value, right: Value): number | null {
  if (typeof left === 'number' && typeof right === 'number') return compareNumbers(left, right);
  if (typeof left === 'string' && typeof right === 'string') return compareText(left, right);
  return left === right ? 0 : null;
}

/** A comparison of two operands. Equality is total, an order with null is null. */
export function compileComparison(
  operator: EqualityOperator | RelationalOperator,
  left: Operand,
  right: Operand,
): Evaluator {
  const [a, b, type] = alignTypes(left, right);
  const compare = comparisonOf(type);
  switch (operator) {
    case '==':
      return (row) => equal(compare, a(row), b(row));
    case '!=':
      return (row) => !equal(compare, a(row), b(row));
    default:
      return ordered(operator, compare, a, b);
  }
}

function equal(compare: Compare, left: Value, right: Value): boolean {
  if (left === null || right === null) return left === right;
  return compare(left, right) === 0;
}

function ordered(operator: RelationalOperator, compare: Compare, left: Evaluator, right: Evaluator): Evaluator {
  const holds = {
    '<': (order: number) => order < 0,
    '<=': (order: number) => order <= 0,
    '>': (order: number) => order > 0,
    '>=': (order: number) => order >= 0,
  }[operator];
  return (row) => {
    const a = left(row);
    if (a === null) return null;
    const b = right(row);
    if (b === null || typeof a === 'boolean' || typeof b === 'boolean') return null;
    const order = compare(a, b);
    return order === null ? null : holds(order);
  };
}

/** Both sides as one type: `any` takes the other side's type, a date next to a datetime is its first instant. */
function alignTypes(left: Operand, right: Operand): [Evaluator, Evaluator, ValueType] {
  if (left.type === 'date' && right.type === 'datetime') return [startOfDay(left), right.evaluate, 'datetime'];
  if (left.type === 'datetime' && right.type === 'date') return [left.evaluate, startOfDay(right), 'datetime'];
  const type = left.type === 'any' || left.type === 'null' ? right.type : left.type;
  return [coerced(left, type), coerced(right, type), type];
}

function startOfDay({ evaluate }: Operand): Evaluator {
  return (row) => {
    const day = evaluate(row);
    return day === null ? null : row.zone.startOfDay(day as number);
  };
}
