import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { publicDocuments } from '../scripts/openapi/documents.mjs';
import { run } from '../scripts/processes/run.mjs';
import { inRoot } from '../scripts/root.mjs';
import { addresses } from './platform/addresses.js';

it('finds no more in the OpenAPI documents of the three public addresses than is tolerated of each rule', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'crm-openapi-'));
  try {
    const files: string[] = [];
    for (const { name, text } of await publicDocuments(addresses)) {
      files.push(path.join(folder, `${name}.json`));
      await writeFile(files.at(-1) as string, text);
    }
    // A process of its own: the linters are CommonJS packages of some size, which Jest would load and keep.
    const { code, stdout, stderr } = await run(process.execPath, [inRoot('scripts', 'lint-openapi.mjs'), ...files]);
    expect([code, code === 0 ? '' : `${stdout}\n${stderr}`]).toEqual([0, '']);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
