import type { BinaryOperator } from './ast.js';

/** How tightly binary operators bind; those of one level group to the left. */
const LEVELS: Readonly<Record<BinaryOperator, number>> = {
  '||': 1,
  '&&': 2,
  '==': 3,
  '!=': 3,
  '<': 4,
  '<=': 4,
  '>': 4,
  '>=': 4,
  '+': 5,
  '-': 5,
  '*': 6,
  '/': 6,
  '%': 6,
};
/** The loosest level: that of a whole expression. */
export const LOOSEST_LEVEL = 1;
/** Unary operators bind tighter than all binary ones. */
export const UNARY_LEVEL = 7;
/** Literals, names, calls and what stands in parentheses. */
export const PRIMARY_LEVEL = 8;

/** The level of a binary operator. */
export function precedenceOf(operator: BinaryOperator): number {
  return LEVELS[operator];
}

/** Whether operators of this level do not chain: `a < b < c` is an error. */
export function isComparisonLevel(level: number): boolean {
  return level === 3 || level === 4;
}

/** Whether a text is a binary operator. */
export function isBinaryOperator(text: string): text is BinaryOperator {
  return Object.hasOwn(LEVELS, text);
}
