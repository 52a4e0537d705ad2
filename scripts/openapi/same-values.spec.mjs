import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { FORMATS } from '../../libs/http/src/dto/rules.js';
import { schemaOf } from '../../libs/http/src/dto/schema.js';
import { bodyOf } from '../../libs/http/src/index.js';
import { Components } from '../../libs/http/src/openapi/components.js';
import { inRoot } from '../root.mjs';
import { valuesNear } from './near-values.mjs';

/** @typedef {new () => object} Dto */

const ajv = new Ajv2020({ strict: false });
// Both sides judge formats by the same functions, which have their own tests: JSON Schema leaves open how strict a format is.
for (const [format, { test }] of Object.entries(FORMATS)) ajv.addFormat(format, test);

/** Every file of DTO classes in the sources of a package. */
const dtoFiles = (/** @type {string} */ folder) =>
  readdirSync(inRoot(folder, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.dto.ts'))
    .sort()
    .map((file) => inRoot(folder, 'src', file));

const packages = ['apps', 'libs']
  .flatMap((kind) => readdirSync(inRoot(kind)).map((name) => path.join(kind, name)))
  .filter((folder) => existsSync(inRoot(folder, 'src')) && dtoFiles(folder).length > 0);

/** @type {Map<string, Dto>} */
const classes = new Map();
for (const folder of packages) {
  for (const file of dtoFiles(folder)) {
    for (const [name, value] of Object.entries(await import(file))) {
      if (schemaOf(value)) classes.set(`${name} of ${folder}`, value);
    }
  }
}

/** @type {(type: Dto, value: unknown) => Promise<boolean>} */
const isAccepted = (type, value) =>
  bodyOf(type, value).then(
    () => true,
    (error) => {
      if (error.code === 'VALIDATION_FAILED' || error.code === 'MALFORMED_REQUEST') return false;
      throw error;
    },
  );

describe('the OpenAPI schema and the decorators of the DTO classes', () => {
  it('are compared in every service that takes or shows bodies of its own', () => {
    const known = [
      'apps/automation-hooks',
      'apps/custom-objects',
      'apps/embed-gateway',
      'apps/identity',
      'apps/marketplace-admin',
      'apps/marketplace-certification',
      'apps/webhook-dispatcher',
      'libs/identity-views',
    ];
    expect(packages).toEqual(expect.arrayContaining(known));
  });

  it.each([...classes])('refuse a key that is not declared, and name it: %s', async (_name, type) => {
    const refusal = await bodyOf(type, { undeclared: 1 }).catch((error) => error);
    expect(refusal).toMatchObject({ code: 'VALIDATION_FAILED' });
    expect(refusal.extra.errors).toContainEqual(expect.objectContaining({ pointer: '/undeclared' }));
  });

  it.each([...classes])('accept the same values: %s', async (_name, type) => {
    const components = new Components('http://base.test');
    const { $ref } = components.schema(type);
    const { schemas } = /** @type {{ schemas: Record<string, object> }} */ (components.all());
    const isValid = ajv.compile({ $ref, components: { schemas } });
    const resolve = (/** @type {string} */ reference) => schemas[reference.slice('#/components/schemas/'.length)] ?? {};
    const { meant, limits } = valuesNear({ $ref: String($ref) }, resolve);
    const seen = { accepted: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(fc.oneof(meant, limits, limits), async (generated) => {
        const value = JSON.parse(JSON.stringify(generated));
        const expected = isValid(value);
        expect({ value, accepted: await isAccepted(type, value) }).toEqual({ value, accepted: expected });
        seen[expected ? 'accepted' : 'refused'] += 1;
      }),
      { numRuns: 150 },
    );
    // Otherwise the values are not near the schema.
    expect(seen.accepted).toBeGreaterThan(20);
    expect(seen.refused).toBeGreaterThan(20);
  });
});
