import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { referencePage } from './reference.js';

const PAGE = path.resolve(import.meta.dirname, '../../../docs/reference/formulas.md');

it('docs/reference/formulas.md matches the definitions of the functions', async () => {
  const page = referencePage();
  if (process.env.WRITE_DOCS) {
    await mkdir(path.dirname(PAGE), { recursive: true });
    await writeFile(PAGE, page);
  }
  expect(await readFile(PAGE, 'utf8')).toBe(page);
});
