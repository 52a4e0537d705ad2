import { parseSync } from '@swc/core';

/**
 * @typedef {object} Mutant
 * @property {number} start bytes from the begin of the source
 * @property {number} end
 * @property {string} replacement
 * @property {string} kind
 */

/** What each operator is replaced by: the neighbour that a wrong hand would have typed. */
const OPERATORS = /** @type {Readonly<Record<string, string>>} */ ({
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '&&': '||',
  '||': '&&',
  '??': '&&',
});

/**
 * The places of a TypeScript source where one small change makes another program: operators, conditions, literals and
 * returned values. Types, messages and documentation are left alone.
 * @param {string} source
 * @returns {Mutant[]} in the order of the source; positions count UTF-8 bytes
 */
export function mutantsOf(source) {
  const bytes = Buffer.from(source);
  const module = parseSync(source, { syntax: 'typescript', target: 'es2022' });
  // Spans count from where the parser stands in all it has read; what stands before the first statement is comment.
  const offset = module.span.start - leadingTrivia(source);
  /** @type {Mutant[]} */
  const mutants = [];
  const text = (/** @type {{ span: { start: number, end: number } }} */ node) =>
    bytes.subarray(node.span.start - offset, node.span.end - offset).toString();
  const add = (/** @type {any} */ node, /** @type {string} */ replacement, /** @type {string} */ kind) =>
    mutants.push({ start: node.span.start - offset, end: node.span.end - offset, replacement, kind });

  /** @param {any} node */
  const walk = (node) => {
    if (Array.isArray(node)) return node.forEach(walk);
    if (node === null || typeof node !== 'object') return undefined;
    if (
      typeof node.type === 'string' &&
      /^Ts(?!As|NonNull|Const|Satisfies)|^ImportDecl|^Export(All|Named)/.test(node.type)
    )
      return undefined;
    switch (node.type) {
      case 'BinaryExpression':
        if (OPERATORS[node.operator]) {
          const between = { span: { start: node.left.span.end, end: node.right.span.start } };
          const written = text(between);
          if (written.split(node.operator).length === 2) {
            add(
              between,
              written.replace(node.operator, () => OPERATORS[node.operator] ?? ''),
              `${node.operator} to ${OPERATORS[node.operator]}`,
            );
          }
        }
        break;
      case 'IfStatement':
      case 'ConditionalExpression':
        add(node.test, 'true', 'condition to true');
        add(node.test, 'false', 'condition to false');
        break;
      case 'UnaryExpression':
        if (node.operator === '!') add(node, `(${text(node.argument)})`, 'negation removed');
        break;
      case 'BooleanLiteral':
        add(node, String(!node.value), 'boolean literal');
        break;
      case 'NumericLiteral':
        add(node, `(${text(node)} + 1)`, 'number literal');
        break;
      case 'ReturnStatement':
        if (node.argument && node.argument.type !== 'NullLiteral')
          add(node.argument, 'null as never', 'returned value');
        break;
      default:
    }
    // Messages are prose: no test should hold them word by word.
    for (const [key, value] of Object.entries(node)) if (key !== 'span' && key !== 'typeAnnotation') walk(value);
    return undefined;
  };
  walk(module.body);
  return mutants.sort((a, b) => a.start - b.start || a.end - b.end);
}

/** Bytes of the comments and white space before the first statement, which the module's span leaves out. */
function leadingTrivia(/** @type {string} */ source) {
  const trivia = /^(?:\s+|\/\/[^\n]*\n|\/\*[\s\S]*?\*\/)*/.exec(source)?.[0] ?? '';
  return Buffer.byteLength(trivia);
}
