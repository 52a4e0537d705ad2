import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import type { ValueType } from '../src/ast.js';
import { compileFormula } from '../src/compile.js';
import { LIMITS } from '../src/errors.js';
import { type FunctionDefinition, signature } from '../src/functions/definition.js';
import { functions } from '../src/functions/index.js';
import { NOON } from './evaluate.js';

/** A list of types as a table cell shows it. */
const typeNames = (types: readonly ValueType[]) => types.map((type) => type.replace('_', '-')).join(', ');

/** The fields of the examples, with the values that the shown results are computed from. */
const EXAMPLE: Readonly<Record<string, readonly [ValueType, unknown]>> = {
  active: ['boolean', true],
  amount: ['number', 1500],
  budget: ['number', 2000],
  closeDate: ['date', '2024-03-15'],
  code: ['text', 'ab-1'],
  createdOn: ['datetime', '2024-02-01T10:00:00Z'],
  email: ['text', 'Ada@example.com'],
  endDate: ['date', '2024-03-01'],
  firstName: ['text', 'Ada'],
  interests: ['multi_select', ['Chess', 'Golf']],
  lastName: ['text', 'Lovelace'],
  name: ['text', 'Ada Lovelace'],
  nickname: ['text', null],
  number: ['number', 7],
  startDate: ['date', '2024-02-01'],
  target: ['number', 2000],
  won: ['boolean', true],
};

/** Operators as the page lists them: highest precedence first. */
const OPERATORS: readonly (readonly [string, string])[] = [
  [
    '`-x` `!x` `NOT x`',
    'Apply to the operand that follows directly: `NOT a == b` is `(NOT a) == b`. `-` of null is null.',
  ],
  [
    '`*` `/` `%`',
    'Null for a null operand and for division by 0. `%` is the remainder of the 15-digit decimals and has the sign ' +
      'of the first operand: `-7 % 3` is -1.',
  ],
  ['`+` `-`', '`+` joins as CONCAT does when an operand is a text. Otherwise null for a null operand.'],
  [
    '`<` `<=` `>` `>=`',
    'Null for a null operand. Numbers compare as 15-digit decimals, texts by code point. Booleans have no order.',
  ],
  [
    '`==` `!=`',
    'Always true or false: null equals only null. `0.1 + 0.2 == 0.3` is true. A date next to a datetime is the first ' +
      "instant of that day in the workspace's time zone.",
  ],
  ['`&&` `AND`', 'Null counts as false.'],
  ['`||` `OR`', 'Null counts as false.'],
];

/** The reference page of the formula language, made from the functions' definitions. The results of examples are computed. */
function referencePage(): string {
  return `${[
    '# Formulas',
    'This page is generated from the definitions in `libs/formula/src/functions`.',
    'A formula computes a value from the fields of a record on every read. A missing value is null. Values are never ' +
      'converted implicitly: use `TEXT` and `NUMBER`. A numeric result that is not finite is null.',
    '## Values',
    table(
      ['Type', 'Literals'],
      [
        ['number', '`12`, `0.5`, `1e-3`'],
        ['text', '`"…"`, `\'…\'` with `\\\\ \\" \\\' \\n \\r \\t \\uXXXX`'],
        ['boolean', '`TRUE`, `FALSE`'],
        ['date', ''],
        ['datetime', ''],
        ['multi-select (only for CONTAINS, CONCAT, TEXT and LEN)', ''],
        ['any of these', '`NULL`'],
      ],
    ),
    'The [record API](../record-api.md#values) says of which type the values of a field are.',
    'A formula may read another formula of its object. Field names are case-sensitive; function names, `AND`, `OR`, ' +
      '`NOT`, `TRUE`, `FALSE` and `NULL` are not.',
    '## Operators',
    'Highest precedence first. Comparisons cannot be chained: write `a < b && b < c`.',
    table(['Operator', 'Rule'], OPERATORS),
    '## Functions',
    `The examples are computed on 2024-02-29 (UTC) for a record with ${exampleValues()}.`,
    ...[...functions.values()].flatMap(functionSection),
    '## Limits',
    table(
      ['Limit', 'Value'],
      [
        ['Characters of a formula', String(LIMITS.sourceCharacters)],
        ['Literals, fields, operators and calls', String(LIMITS.nodes)],
        ['Depth of open parentheses, calls and unary operators', String(LIMITS.depth)],
        ['Steps from a formula to a formula it reads, along the longest chain', String(LIMITS.chainDepth)],
        ['Characters of a text result; a longer one is null', String(LIMITS.textCharacters)],
      ],
    ),
    'Every mistake is found when the package is certified (check OBJ-003), with its place in the formula.',
  ].join('\n\n')}\n`;
}

function exampleValues(): string {
  const shown = Object.entries(EXAMPLE).map(([name, [, value]]) => `${name} \`${JSON.stringify(value)}\``);
  return shown.join(', ');
}

function functionSection(definition: FunctionDefinition): string[] {
  const { parameters, result, doc } = definition;
  const rows = parameters.map(({ name, accepts, shared, optional, repeats }) => [
    `\`${name}\``,
    typeNames(accepts) + (shared ? ' (all of the same type)' : ''),
    [optional ? 'optional' : '', repeats ? 'repeatable' : ''].filter(Boolean).join(', '),
  ]);
  const results = doc.examples.map((source) => [`\`${source}\``, `\`${resultOf(source)}\``]);
  return [
    `### ${signature(definition)}`,
    doc.summary,
    ...(rows.length > 0 ? [table(['Parameter', 'Accepts', ''], rows)] : []),
    `Returns: ${result === 'shared' ? 'the type of the arguments' : typeNames([result])}.`,
    table(['Example', 'Result'], results),
  ];
}

function resultOf(source: string): string {
  const entries = Object.entries(EXAMPLE);
  const types = Object.fromEntries(entries.map(([name, [type]]) => [name, type]));
  const record = Object.fromEntries(entries.map(([name, [, value]]) => [name, value]));
  return JSON.stringify(compileFormula(source, types).evaluate(record, { now: NOON, timeZone: 'UTC' }));
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

const FOLDER = path.resolve(import.meta.dirname, '../../../docs/reference');

it('the reference of formulas has every function, with computed examples (npm run docs -- formulas writes it)', async () => {
  const page = referencePage();
  if (process.env.WRITE_DOCS) {
    await mkdir(FOLDER, { recursive: true });
    await writeFile(path.join(FOLDER, 'formulas.md'), page);
  }
  const headings = [...page.matchAll(/^### (\w+)\(/gm)].map(([, name]) => name);
  expect(headings).toEqual([...functions.keys()]);
  expect(page).not.toContain('undefined');
});
