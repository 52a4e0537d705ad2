import type { ArithmeticOperator } from './ast.js';
import { coerced, type Evaluator, EXACT_INTEGERS, type Operand, type Row, remainder } from './values.js';

type NumberEvaluator = (row: Row) => number | null;

/**
 * The closure of an operator on two numbers: null when an operand is null or the result is not finite. Operands are
 * never -0, so a sum is not -0 either; a product or quotient can be, and `+ 0` turns it into 0. Each operator has its own
 * closures, with variants for a literal right operand: in a shared body every call would go to a different target, which
 * V8 cannot inline. The repetition is deliberate.
 */
export function arithmetic(operator: ArithmeticOperator, left: Operand, right: Operand): Evaluator {
  const a = coerced(left, 'number') as NumberEvaluator;
  const { constant } = right;
  if (typeof constant === 'number') return withConstant(operator, a, constant);
  const b = coerced(right, 'number') as NumberEvaluator;
  switch (operator) {
    case '+':
      return (row) => {
        const x = a(row);
        if (x === null) return null;
        const y = b(row);
        if (y === null) return null;
        const result = x + y;
        return result - result === 0 ? result : null;
      };
    case '-':
      return (row) => {
        const x = a(row);
        if (x === null) return null;
        const y = b(row);
        if (y === null) return null;
        const result = x - y;
        return result - result === 0 ? result : null;
      };
    case '*':
      return (row) => {
        const x = a(row);
        if (x === null) return null;
        const y = b(row);
        if (y === null) return null;
        const result = x * y;
        return result - result === 0 ? result + 0 : null;
      };
    case '/':
      return (row) => {
        const x = a(row);
        if (x === null) return null;
        const y = b(row);
        if (y === null) return null;
        // A division by zero is not finite, so this covers it.
        const result = x / y;
        return result - result === 0 ? result + 0 : null;
      };
    case '%':
      return (row) => {
        const x = a(row);
        if (x === null) return null;
        const y = b(row);
        return y === null ? null : remainder(x, y);
      };
  }
}

function withConstant(operator: ArithmeticOperator, a: NumberEvaluator, y: number): Evaluator {
  switch (operator) {
    case '+':
      return (row) => {
        const x = a(row);
        if (x === null) return null;
        const result = x + y;
        return result - result === 0 ? result : null;
      };
    case '-':
      return (row) => {
        const x = a(row);
        if (x === null) return null;
        const result = x - y;
        return result - result === 0 ? result : null;
      };
    case '*':
      return (row) => {
        const x = a(row);
        if (x === null) return null;
        const result = x * y;
        return result - result === 0 ? result + 0 : null;
      };
    case '/':
      return (row) => {
        const x = a(row);
        if (x === null) return null;
        const result = x / y;
        return result - result === 0 ? result + 0 : null;
      };
    case '%':
      return remainderBy(a, y);
  }
}

function remainderBy(a: NumberEvaluator, y: number): Evaluator {
  if (y === 0 || !Number.isInteger(y) || Math.abs(y) >= EXACT_INTEGERS) {
    return (row) => {
      const x = a(row);
      return x === null ? null : remainder(x, y);
    };
  }
  return (row) => {
    const x = a(row);
    if (x === null) return null;
    // An integer of this size equals its 15-digit decimal.
    if (x < EXACT_INTEGERS && x > -EXACT_INTEGERS && Math.trunc(x) === x) return (x % y) + 0;
    return remainder(x, y);
  };
}
