import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Difference, type Manifest, manifestDifference, summariseDifference } from '../src/index.js';
import { shapeProblems } from '../src/validate.js';
import { baseManifest, type Fragment, manifestWith } from './base-manifest.js';
import { type Edit, edited, pathsIn } from './edits.js';
import { SAMPLES } from './samples.js';

/** Lists whose order says nothing, and members whose absence says what one value says: written out again for the test. */
const SETS =
  /^(permissions|roles|objects|automations|webhooks|payload|events|allowedOrigins|scopes|redirectUris|streams|tools|mcpServers|consumes|produces|categories|readRoles|writeRoles|validationRules)$/;
const SHORT: Record<string, string> = { permissions: 'scope', options: 'value', mcpServers: 'url' };
const DEFAULTS: Record<string, unknown> = {
  optional: false,
  required: false,
  is_unique: false,
  exposes: false,
  readOnly: false,
  requiresConfirmation: false,
  linkUsersBy: 'email',
  visibility: 'public',
};
const LISTS = /^(options|actions|fields)$/;
/** Below these, members have no meaning for the platform. */
const OPAQUE = /^(inputSchema|values|headers|data|body|default|mapping|primaryKey)$/;

/** Another way to say what makes two packages equal. */
function meaning(value: unknown, name = '', opaque = false): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => {
      const short = SHORT[name];
      return meaning(short && !opaque && typeof item === 'string' ? { [short]: item } : item, '', opaque);
    });
    if (opaque || !SETS.test(name)) return items;
    const texts = items.map((item) => JSON.stringify(item)).sort();
    return value.every((item) => typeof item === 'string') ? [...new Set(texts)] : texts;
  }
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key, member]) => {
    if (opaque) return true;
    if (Array.isArray(member) && member.length === 0) return !(SETS.test(key) || LISTS.test(key));
    return !(Object.hasOwn(DEFAULTS, key) && DEFAULTS[key] === member);
  });
  const sorted = kept.sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(sorted.map(([key, member]) => [key, meaning(member, key, opaque || OPAQUE.test(key))]));
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(meaning(one)) === JSON.stringify(meaning(other));

const DEEP = process.env.DEEP === '1';

const isValid = (manifest: unknown): manifest is Manifest => [...shapeProblems(manifest)].length === 0;

const VALID = [baseManifest, ...SAMPLES.map(({ passes }) => manifestWith(passes))].filter(isValid);
/** Values that stand in valid packages: in place of others they mostly leave a package valid. */
const VALUES = VALID.slice(0, 40).flatMap((manifest) =>
  pathsIn(manifest).map((path) => path.reduce<unknown>((value, step) => (value as Fragment)[step as string], manifest)),
);

const another = fc.record({ value: fc.oneof(fc.constantFrom(...VALUES), fc.string(), fc.boolean(), fc.integer()) });
const edit: fc.Arbitrary<Edit> = fc.oneof(another, fc.constant('turned' as const), fc.constant(undefined));
const mutant = fc
  .constantFrom(...VALID)
  .chain((manifest) => fc.tuple(fc.constant(manifest), fc.constantFrom(...pathsIn(manifest).slice(1)), edit));

describe('for packages of the right shape', () => {
  it('the difference is empty if they mean the same, and only then', () => {
    let compared = 0;
    fc.assert(
      fc.property(mutant, ([manifest, path, by]) => {
        const other = edited(manifest, path, by);
        if (!isValid(other)) return;
        compared += 1;
        for (const [before, after] of [
          [manifest, other],
          [other, manifest],
        ] as const) {
          const count = manifestDifference(before, after).length;
          expect([count === 0, path, by]).toEqual([isSame(before, after), path, by]);
        }
      }),
      { numRuns: DEEP ? 50_000 : 800 },
    );
    expect(compared).toBeGreaterThan(DEEP ? 5_000 : 80);
  });

  it('the difference of any two is found without an error, and its paths tell differences apart', () => {
    fc.assert(
      fc.property(fc.constantFrom(...VALID), fc.constantFrom(...VALID), (before, after) => {
        const entries = manifestDifference(before, after);
        expect(entries.length === 0).toBe(isSame(before, after));
        expect(new Set(entries.map(({ path, kind }) => `${kind} ${path}`)).size).toBe(entries.length);
        expect(() => JSON.stringify(summariseDifference(entries))).not.toThrow();
      }),
      { numRuns: DEEP ? 5_000 : 300 },
    );
  });

  it('what one direction adds the other removes', () => {
    fc.assert(
      fc.property(fc.constantFrom(...VALID), fc.constantFrom(...VALID), (before, after) => {
        const named = (entries: Difference[], kind: string) =>
          entries
            .filter((entry) => entry.kind === kind && !/^\/(hosts|events)\//.test(entry.path))
            .map(({ path }) => path)
            .sort();
        const [there, back] = [manifestDifference(before, after), manifestDifference(after, before)];
        expect(named(back, 'removed')).toEqual(named(there, 'added'));
        expect(named(back, 'changed')).toEqual(named(there, 'changed'));
      }),
      { numRuns: DEEP ? 5_000 : 200 },
    );
  });
});
