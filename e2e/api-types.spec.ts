import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { run } from '../scripts/processes/run.mjs';
import { inRoot } from '../scripts/root.mjs';
import { addresses } from './platform/addresses.js';

let document: string;
beforeAll(async () => {
  document = await (await fetch(`${addresses.baseUrl}/api/openapi.json`)).text();
});

describe('what the pages know of the API', () => {
  it('is made of the document that the gateway shows, though no server is asked', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'crm-api-types-'));
    try {
      const file = path.join(folder, 'openapi.json');
      const script = inRoot('scripts', 'openapi', 'api-document.mjs');
      const { code, stderr } = await run(process.execPath, ['--disable-warning=ExperimentalWarning', script, file]);
      expect([code, stderr]).toEqual([0, '']);
      const made = JSON.parse((await readFile(file, 'utf8')).replaceAll('http://localhost', addresses.baseUrl));
      const shown = JSON.parse(document);
      const common = Object.keys(made.paths).filter((name) => name in shown.paths);
      expect(common).toEqual(expect.arrayContaining(['/api/auth/me', '/api/crm/leads', '/api/crm/custom/{apiName}']));
      for (const name of common) expect([name, made.paths[name]]).toEqual([name, shown.paths[name]]);
      const schemas = Object.keys(made.components.schemas).filter((name) => name in shown.components.schemas);
      for (const name of schemas) {
        expect([name, made.components.schemas[name]]).toEqual([name, shown.components.schemas[name]]);
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
