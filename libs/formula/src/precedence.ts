import type { BinaryOperator } from './ast.js';

/** Precedence of the binary operators; operators of one level associate to the left. */
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
/** The lowest level: a whole expression. */
export const LOOSEST_LEVEL = 1;
/** Unary operators bind more tightly than all binary ones. */
export const UNARY_LEVEL = 7;
/** Literals, names, calls and expressions in parentheses. */
export const PRIMARY_LEVEL = 8;

/** The level of a binary operator. */
export function precedenceOf(operator: BinaryOperator): number {
  return LEVELS[operator];
}

/** Whether operators of this level cannot be chained: `a < b < c` is an error. */
export function isComparisonLevel(level: number): boolean {
  return level === 3 || level === 4;
}

/** Whether a text is a binary operator. */
export function isBinaryOperator(text: string): text is BinaryOperator {
  return Object.hasOwn(LEVELS, text);
}
