import type { Node } from './ast.js';
import { isComparisonLevel, PRIMARY_LEVEL, precedenceOf, UNARY_LEVEL } from './precedence.js';

/**
 * The source of a tree, with only the parentheses that its shape needs. Parsing it returns the same tree
 * (with other positions), unless spaces and escapes make the printed form longer than a source may be.
 * Throws a TypeError for a tree with errors.
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
      const level = precedenceOf(tree.operator);
      // Comparisons do not chain, so their left operand needs a higher level too; the others associate to the left.
      const left = printAt(tree.left, isComparisonLevel(level) ? level + 1 : level);
      return `${left} ${tree.operator} ${printAt(tree.right, level + 1)}`;
    }
    case 'call':
      return `${tree.name}(${tree.args.map(printFormula).join(', ')})`;
    case 'error':
      throw new TypeError('A tree with errors has no source to print');
  }
}

function printAt(node: Node, level: number): string {
  return levelOf(node) < level ? `(${printFormula(node)})` : printFormula(node);
}

function levelOf(node: Node): number {
  if (node.kind === 'binary') return precedenceOf(node.operator);
  return node.kind === 'unary' ? UNARY_LEVEL : PRIMARY_LEVEL;
}

function printNumber(value: number): string {
  const plain = String(value).replace('e+', 'e');
  const exponent = value.toExponential().replace('e+', 'e');
  // 0.001 is easier to read than 1e-3; an exponent is used only where it is clearly shorter.
  return exponent.length + 2 < plain.length ? exponent : plain;
}

/** Uses the quotes that need fewer escapes, so that a printed formula is not longer than its source. */
function printText(value: string): string {
  const quote = value.split('"').length > value.split("'").length ? "'" : '"';
  return quote + value.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`) + quote;
}
