import { Version } from '@cyclonedx/cyclonedx-library/Spec';
import { JsonStrictValidator } from '@cyclonedx/cyclonedx-library/Validation';
import { describe, expect, it } from '@jest/globals';
import { billOfMaterials } from './bill-of-materials.mjs';

const validator = new JsonStrictValidator(Version.v1dot6);

/** Of "abc": FIPS 180-4, as npm writes it. */
const INTEGRITY = `sha512-${Buffer.from(
  'ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f',
  'hex',
).toString('base64')}`;

/**
 * @param {string} name
 * @param {{ license?: string, isOwn?: boolean, dependencies?: string[] }} [fields]
 */
const installed = (name, { license = 'MIT', isOwn = false, dependencies = [] } = {}) => ({
  name,
  version: '1.2.3',
  folder: `/${name}`,
  isOwn,
  manifest: { name, version: '1.2.3', license, description: `What ${name} does` },
  dependencies: new Set(dependencies),
});

const CONTENTS = [
  { package: installed('@scope/native'), isBundled: false },
  { package: installed('@crm/http', { isOwn: true, dependencies: ['left@1.2.3', 'absent@1.0.0'] }), isBundled: true },
  { package: installed('left', { license: '(MIT OR Apache-2.0)' }), isBundled: true },
];

const make = (contents = CONTENTS) =>
  billOfMaterials({
    image: 'crm/identity',
    version: '0.1.0',
    contents,
    integrity: new Map([['left@1.2.3', INTEGRITY]]),
    timestamp: '2026-11-22T10:00:00.000Z',
  });

describe('the bill of materials of an image', () => {
  it('follows the schema of CycloneDX, which refuses one with a part that it does not know', async () => {
    await expect(validator.validate(JSON.stringify(make()))).resolves.toBeNull();
    await expect(validator.validate(JSON.stringify({ ...make(), unknown: true }))).resolves.not.toBeNull();
  });

  it('names a package of others by purl, licence and the hash of its archive', () => {
    expect(make().components).toContainEqual({
      type: 'library',
      'bom-ref': 'pkg:npm/left@1.2.3',
      name: 'left',
      version: '1.2.3',
      description: 'What left does',
      scope: 'required',
      hashes: [{ alg: 'SHA-512', content: expect.stringMatching(/^ddaf35a193617aba[0-9a-f]{112}$/) }],
      licenses: [{ expression: '(MIT OR Apache-2.0)' }],
      purl: 'pkg:npm/left@1.2.3',
      properties: [{ name: 'crm:placement', value: 'bundled' }],
    });
  });

  it('escapes the scope in a purl, and says what lies outside the bundle', () => {
    expect(make().components).toContainEqual(
      expect.objectContaining({
        purl: 'pkg:npm/%40scope/native@1.2.3',
        group: '@scope',
        name: 'native',
        properties: [{ name: 'crm:placement', value: 'node_modules' }],
      }),
    );
  });

  it('has the dependencies between what is in the image, and the image needs what nothing else does', () => {
    expect(make().dependencies).toEqual([
      { ref: 'crm/identity:0.1.0', dependsOn: ['@crm/http@1.2.3', 'pkg:npm/%40scope/native@1.2.3'] },
      { ref: '@crm/http@1.2.3', dependsOn: ['pkg:npm/left@1.2.3'] },
      { ref: 'pkg:npm/%40scope/native@1.2.3', dependsOn: [] },
      { ref: 'pkg:npm/left@1.2.3', dependsOn: [] },
    ]);
  });

  it('is the same, with its serial number, for the same contents in another order, and another one otherwise', () => {
    expect(JSON.stringify(make(CONTENTS.toReversed()))).toBe(JSON.stringify(make()));
    expect(make(CONTENTS.slice(1)).serialNumber).not.toBe(make().serialNumber);
    expect(make().serialNumber).toMatch(
      /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
  });
});
