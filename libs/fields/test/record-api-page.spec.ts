import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { FIELD_TYPE_NAMES, fieldTypes } from '../src/index.js';

const PAGE = path.resolve(import.meta.dirname, '../../../docs/record-api.md');

/** A row for the types whose values are the same. */
function valuesTable(): string {
  const rows = [...new Set(fieldTypes.values())].map((type) => {
    const { summary, examples, formulaType } = type;
    const names = FIELD_TYPE_NAMES.filter((name) => fieldTypes.get(name) === type);
    const example = examples.length > 0 ? `\`${JSON.stringify(examples[0])}\`` : '';
    return `| ${names.join(', ')} | ${summary} | ${example} | ${formulaType?.replace('_', '-') ?? 'any'} |`;
  });
  return ['| type | value | example | in formulas |', '|---|---|---|---|', ...rows].join('\n');
}

it('the record API shows the values of every type (npm run docs writes the table)', async () => {
  const page = await readFile(PAGE, 'utf8');
  const current = page.replace(/^\| type \| value \|.*(\n\|.*)*/m, valuesTable());
  if (process.env.WRITE_DOCS) await writeFile(PAGE, current);
  else expect(page).toBe(current);
  expect(current).toContain(valuesTable());
});
