import { describe, expect, it, jest } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { manifestWith } from '../../test/base-manifest.js';
import { SAMPLES } from '../../test/samples.js';
import { shapeProblems } from '../validate.js';
import { manifestJsonSchema } from './manifest.js';

describe('the published schema', () => {
  it.each([{}, { strict: true, strictRequired: false, allowUnionTypes: true }])(
    'compiles with the options %j and agrees with the suite',
    (options) => {
      const warn = jest.fn();
      const validate = new Ajv2020({ ...options, logger: { log: warn, warn, error: warn } }).compile(
        manifestJsonSchema,
      );
      for (const { fails, passes } of SAMPLES) {
        for (const manifest of [manifestWith(fails), manifestWith(passes)]) {
          expect(validate(manifest)).toBe([...shapeProblems(manifest)].length === 0);
        }
      }
    },
  );

  it('contains standard keywords only', () => {
    const words = JSON.stringify(manifestJsonSchema);
    expect(words).not.toContain('discriminator');
  });
});
