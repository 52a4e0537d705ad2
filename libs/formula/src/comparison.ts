import type { EqualityOperator, RelationalOperator, ValueType } from './ast.js';
import { compareText } from './text.js';
import {
  coerced,
  compareNumbers,
  type Evaluator,
  type Operand,
  type Row,
  SURELY_DIFFERENT,
  type Value,
} from './values.js';

/** Compares two non-null values of one type: negative, 0 or positive; null when they have no order. */
type Compare = (left: Value, right: Value) => number | null;

type NumberEvaluator = (row: Row) => number | null;

/** The result of each operator for less, equal and greater. */
const HOLDS: Readonly<Record<string, readonly [boolean, boolean, boolean]>> = {
  '==': [false, true, false],
  '!=': [true, false, true],
  '<': [true, false, false],
  '<=': [true, true, false],
  '>': [false, false, true],
  '>=': [false, true, true],
};

const subtract: Compare = (left, right) => (left as number) - (right as number);

/** The comparison of one type. MIN and MAX use it for every type except number, which they compare as float64. */
export function comparisonOf(type: ValueType): Compare {
  switch (type) {
    case 'number':
      return (left, right) => compareNumbers(left as number, right as number);
    case 'text':
      return (left, right) => compareText(left as string, right as string);
    case 'date':
    case 'datetime':
      return subtract;
    default:
      return compareAny;
  }
}

/** Compares two values whose types are known only at run time; null when the types differ. */
function compareAny(left: Value, right: Value): number | null {
  if (typeof left === 'number' && typeof right === 'number') return compareNumbers(left, right);
  if (typeof left === 'string' && typeof right === 'string') return compareText(left, right);
  return left === right ? 0 : null;
}

/** A comparison of two operands. Equality always has an answer; an order with null is null. */
export function compileComparison(
  operator: EqualityOperator | RelationalOperator,
  left: Operand,
  right: Operand,
): Evaluator {
  const [a, b, type] = alignTypes(left, right);
  if (type !== 'any' && type !== 'number' && (operator === '==' || operator === '!=')) {
    // Values of these types are equal when their internal forms are; null equals null.
    const { constant } = right;
    if (constant !== undefined && right.type === type) {
      return operator === '==' ? (row) => a(row) === constant : (row) => a(row) !== constant;
    }
    return operator === '==' ? (row) => a(row) === b(row) : (row) => a(row) !== b(row);
  }
  if (type === 'number' && typeof right.constant === 'number') {
    return compareWithNumber(operator, a as NumberEvaluator, right.constant);
  }
  if (type === 'number') return compareNumberOperands(operator, a as NumberEvaluator, b as NumberEvaluator);
  if (type === 'date' || type === 'datetime')
    return orderedInstants(operator, a as NumberEvaluator, b as NumberEvaluator);
  switch (operator) {
    // Only values whose types are known at compile time get here; for them too null equals null.
    case '==':
      return (row) => compareAny(a(row), b(row)) === 0;
    case '!=':
      return (row) => compareAny(a(row), b(row)) !== 0;
    default:
      return ordered(operator, comparisonOf(type), a, b);
  }
}

/** Days or milliseconds; equality is handled before. */
function orderedInstants(operator: string, a: NumberEvaluator, b: NumberEvaluator): Evaluator {
  const [less, same, greater] = HOLDS[operator]!;
  return (row) => {
    const x = a(row);
    if (x === null) return null;
    const y = b(row);
    if (y === null) return null;
    return x < y ? less : x === y ? same : greater;
  };
}

function compareWithNumber(operator: string, a: NumberEvaluator, y: number): Evaluator {
  const [less, same, greater] = HOLDS[operator]!;
  const withNull = operator === '==' ? false : operator === '!=' ? true : null;
  const size = Math.abs(y);
  return (row) => {
    const x = a(row);
    if (x === null) return withNull;
    const difference = x - y;
    const order =
      Math.abs(difference) > SURELY_DIFFERENT * Math.max(Math.abs(x), size) ? difference : compareNumbers(x, y);
    return order < 0 ? less : order === 0 ? same : greater;
  };
}

function compareNumberOperands(operator: string, a: NumberEvaluator, b: NumberEvaluator): Evaluator {
  const [less, same, greater] = HOLDS[operator]!;
  const total = operator === '==' || operator === '!=';
  return (row) => {
    const x = a(row);
    const y = b(row);
    if (x === null || y === null) return total ? (x === y) === (operator === '==') : null;
    const difference = x - y;
    const widest = Math.max(Math.abs(x), Math.abs(y));
    // Only numbers that are nearly equal are compared as decimals.
    const order = Math.abs(difference) > SURELY_DIFFERENT * widest ? difference : compareNumbers(x, y);
    return order < 0 ? less : order === 0 ? same : greater;
  };
}

function ordered(operator: RelationalOperator, compare: Compare, left: Evaluator, right: Evaluator): Evaluator {
  const [less, same, greater] = HOLDS[operator]!;
  return (row) => {
    const a = left(row);
    if (a === null) return null;
    const b = right(row);
    if (b === null || typeof a === 'boolean' || typeof b === 'boolean') return null;
    const order = compare(a, b);
    if (order === null) return null;
    return order < 0 ? less : order === 0 ? same : greater;
  };
}

/** Both operands as one type: `any` takes the other's type, a date next to a datetime is the first instant of its day. */
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
