import { describe, expect, it } from '@jest/globals';
import type { Node } from './ast.js';
import { parseFormula } from './parser.js';

/** The binary operators, highest precedence first, from the language's table of precedence. */
const LEVELS = [['*', '/', '%'], ['+', '-'], ['<', '<=', '>', '>='], ['==', '!='], ['&&'], ['||']];
const COMPARISONS = new Set(['<', '<=', '>', '>=', '==', '!=']);
const PAIRS = LEVELS.flatMap((firsts, first) =>
  LEVELS.flatMap((seconds, second) => firsts.flatMap((a) => seconds.map((b) => [a, b, first, second] as const))),
);

/** A tree with all its parentheses. */
function shape(node: Node | undefined): string {
  if (node?.kind === 'field') return node.name;
  if (node?.kind === 'unary') return `(${node.operator}${shape(node.operand)})`;
  if (node?.kind === 'binary') return `(${shape(node.left)} ${node.operator} ${shape(node.right)})`;
  return String(node?.kind);
}

describe('precedence of', () => {
  it.each(PAIRS)('x %s y %s z', (a, b, first, second) => {
    const { tree, errors } = parseFormula(`x ${a} y ${b} z`);
    expect(shape(tree)).toBe(second < first ? `(x ${a} (y ${b} z))` : `((x ${a} y) ${b} z)`);
    const chained = first === second && COMPARISONS.has(a);
    expect(errors.map(({ code }) => code)).toEqual(chained ? ['CHAINED_COMPARISON'] : []);
  });

  it.each(LEVELS.flat())('unary operators bind tighter than %s', (operator) => {
    expect(shape(parseFormula(`-x ${operator} -y`).tree)).toBe(`((-x) ${operator} (-y))`);
    expect(shape(parseFormula(`NOT x ${operator} !y`).tree)).toBe(`((!x) ${operator} (!y))`);
  });
});
