import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { API_TYPES, apiTypes } from '../scripts/openapi/api-types.mjs';
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
  it('are the types of the present document (node scripts/api-types.mjs writes them)', async () => {
    expect(await readFile(API_TYPES, 'utf8')).toBe(await apiTypes(document));
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
