import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { manifestJsonSchema } from '../src/index.js';
import { manifestPage } from './manifest-page.js';

const FOLDER = path.resolve(import.meta.dirname, '../../../docs/reference');

it('the reference of the manifest has every key of the schema (npm run docs -- manifest writes it)', async () => {
  const page = manifestPage();
  if (process.env.WRITE_DOCS) {
    await mkdir(FOLDER, { recursive: true });
    await writeFile(path.join(FOLDER, 'manifest.md'), page);
  }
  const keys = new Set<string>();
  JSON.stringify(manifestJsonSchema, (key, value) => {
    if (key === 'properties') for (const name of Object.keys(value)) keys.add(name);
    return value;
  });
  const listed = new Set([...page.matchAll(/^\| `(?:.*[.)])?(\$?\w+)` \|/gm)].map(([, name]) => name));
  // `type` of triggers and actions names the alternative.
  expect([...keys].filter((name) => !listed.has(name))).toEqual([]);
  expect(page).not.toMatch(/undefined|\[object/);
});
