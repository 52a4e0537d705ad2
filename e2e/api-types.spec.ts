import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { run } from '../scripts/processes/run.mjs';
import { inRoot } from '../scripts/root.mjs';
import { addresses } from './platform/addresses.js';

interface Schema {
  readonly properties: Readonly<Record<string, { readonly enum?: readonly string[]; readonly maxLength?: number }>>;
  readonly required?: readonly string[];
}

/** By its path: it is checked with the types of a browser, and this file with those of Node. */
const STANDARD_OBJECTS = inRoot('libs', 'records-ui', 'src', 'objects', 'standard-objects.ts');

interface Declaration {
  readonly apiName: string;
  readonly required?: true;
  readonly options?: readonly string[];
  readonly maxLength?: number;
}

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

  it('are the fields of the standard objects, but for references to users and to several objects', async () => {
    const { DECLARATIONS }: { DECLARATIONS: Record<string, { fields: readonly Declaration[] }> } = await import(
      STANDARD_OBJECTS
    );
    const { paths } = JSON.parse(document);
    for (const [name, { fields }] of Object.entries(DECLARATIONS)) {
      const schema: Schema = paths[`/api/crm/${name}`].post.requestBody.content['application/json'].schema;
      const left = ['ownerId', 'assigneeId', 'relatedTo'];
      const expected = Object.entries(schema.properties)
        .filter(([apiName]) => !left.includes(apiName))
        .map(([apiName, { enum: options, maxLength }]) => ({
          apiName,
          required: schema.required?.includes(apiName) ?? false,
          options,
          maxLength,
        }));
      const declared = fields.map(({ apiName, required = false, options, maxLength }) => ({
        apiName,
        required,
        options,
        maxLength,
      }));
      expect([name, declared]).toEqual([name, expected]);
    }
  });
});
