import type { Node } from './ast.js';

const LEVELS: Readonly<Record<string, number>> = {
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
const UNARY_LEVEL = 7;
const PRIMARY_LEVEL = 8;

/**
 * The source of a tree, with only the parentheses that its shape needs. Parsing it gives the same tree (other
 * positions). Throws a TypeError for a tree that came with errors.
 */
export function printFormula(tree: Node): string {
  switch (tree.kind) {
    case 'number':
      return printNumber(tree.value);
    case 'text':
      return printText(tree.value);
    case 'boolean':
      return tree.value ? 'TRUE' : 'FALSE';
    case 'null':
      return 'NULL';
    case 'field':
      return tree.name;
    case 'unary':
      return tree.operator + printAt(tree.operand, UNARY_LEVEL);
    case 'binary': {
      const level = LEVELS[tree.operator]!;
      // Comparisons do not chain, so their left side needs a tighter level too; the others group to the left.
      const left = printAt(tree.left, level === 3 || level === 4 ? level + 1 : level);
      return `${left} ${tree.operator} ${printAt(tree.right, level + 1)}`;
    }
    case 'call':
      return `${tree.name}(${tree.args.map(printFormula).join(', ')})`;
    case 'error':
      throw new TypeError('A tree with errors has no source to print');
  }
}

function printAt(node: Node, level: number): string {
  const own = node.kind === 'binary' ? LEVELS[node.operator]! : node.kind === 'unary' ? UNARY_LEVEL : PRIMARY_LEVEL;
  return own < level ? `(${printFormula(node)})` : printFormula(node);
}

function printNumber(value: number): string {
  const plain = String(value).replace('e+', 'e');
  const exponent = value.toExponential().replace('e+', 'e');
  // 0.001 reads better than 1e-3; the exponent is for what it makes clearly shorter.
  return exponent.length + 2 < plain.length ? exponent : plain;
}

/** In the quotes that need fewer escapes, so that a printed formula is not longer than a written one. */
function printText(value: string): string {
  const quote = value.split('"').length > value.split("'").length ? "'" : '"';
  return quote + value.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`) + quote;
}
