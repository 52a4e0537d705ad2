import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { arbitraryFormula } from '../test/arbitraries.js';
import { runs } from '../test/runs.js';
import type { Node } from './ast.js';
import { parseFormula } from './parser.js';

/** The binary operators, highest precedence first, from the language's table of precedence. */
const LEVELS = [['*', '/', '%'], ['+', '-'], ['<', '<=', '>', '>='], ['==', '!='], ['&&'], ['||']];
const COMPARISONS = new Set(['<', '<=', '>', '>=', '==', '!=']);
const PAIRS = LEVELS.flatMap((firsts, first) =>
  LEVELS.flatMap((seconds, second) => firsts.flatMap((a) => seconds.map((b) => [a, b, first, second] as const))),
);

/** A tree with all its parentheses, which is a source again. */
function shape(node: Node | undefined): string {
  switch (node?.kind) {
    case 'number':
      return String(node.value).replace('e+', 'e');
    case 'text':
      return `"${node.value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
    case 'boolean':
      return String(node.value);
    case 'field':
      return node.name;
    case 'unary':
      return `(${node.operator}${shape(node.operand)})`;
    case 'binary':
      return `(${shape(node.left)} ${node.operator} ${shape(node.right)})`;
    case 'call':
      return `${node.name}(${node.args.map(shape).join(', ')})`;
    default:
      return String(node?.kind);
  }
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

it('a formula with all its parentheses parses to the same tree', () => {
  fc.assert(
    fc.property(arbitraryFormula, (source) => {
      const { tree, errors } = parseFormula(source);
      expect(errors).toEqual([]);
      const again = parseFormula(shape(tree));
      expect(again.errors).toEqual([]);
      expect(shape(again.tree)).toBe(shape(tree));
    }),
    runs(125),
  );
});
