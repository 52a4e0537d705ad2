import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { functions } from '../src/functions/index.js';
import { referencePage } from './reference.js';

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
