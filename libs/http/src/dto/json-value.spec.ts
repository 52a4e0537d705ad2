import { PlatformError } from '@crm/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { countValues, MAX_VALUES, refuseBadBody, refuseBadText, refuseHugeBody } from './json-value.js';

/** Pieces of strings as they stand in a JSON text: escapes, halves of characters, and what looks like something else. */
const PIECES = [
  ...['a', 'ä', '€', '🎉', ' ', '/', '~', '\\n', '\\"', '\\\\', '\\u0041', '\\ud83d\\ude00'],
  ...['\\u0000', '\\ud800', '\\uDC00', '\ud800', '\\\\u0000', '[[', '{', ',', ':1e999', ' 1e999'],
];
const NUMBERS = [
  ...['0', '-1', '0.5', '1e3', '1e308', '1.8e308', '-1e308', '1e-999', '0.0001e311', '1e0308', '1e00309'],
  ...['1e309', '-1E309', '1E+400', '9'.repeat(308), '9'.repeat(310)],
  ...[`${'9'.repeat(199)}.5e99`, `${'9'.repeat(220)}e99`],
];

/** JSON texts of every shape, some nested too deep. */
const jsonText = fc
  .tuple(
    fc.letrec<{ text: string; value: string }>((tie) => ({
      text: fc.array(fc.constantFrom(...PIECES), { maxLength: 3 }).map((pieces) => `"${pieces.join('')}"`),
      value: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        fc.oneof(fc.constantFrom('true', 'null', ...NUMBERS), tie('text')),
        fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join(' ,')}]`),
        fc
          .array(fc.tuple(tie('text'), tie('value')), { maxLength: 4 })
          .map((members) => `{${members.map(([key, item]) => `${key}: ${item}`).join(',\n')}}`),
      ),
    })).value,
    fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, fc.integer({ min: 58, max: 66 })),
    fc.boolean(),
  )
  .map(([value, depth, isList]) =>
    isList ? '['.repeat(depth) + value + ']'.repeat(depth) : '{"k":'.repeat(depth) + value + '}'.repeat(depth),
  );

const verdict = (check: () => void): unknown => {
  try {
    check();
    return 'accepted';
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    return [error.code, error.message];
  }
};

/** A list or object that counts how often something is read of it. */
function observed(of: object) {
  const counts = { reads: 0, lists: 0 };
  const value = new Proxy(of, {
    get: (target, key) => {
      counts.reads += 1;
      return Reflect.get(target, key);
    },
    ownKeys: (target) => {
      counts.lists += 1;
      return Reflect.ownKeys(target);
    },
  });
  return { value, counts };
}

const valuesIn = (value: unknown): number =>
  1 +
  (typeof value === 'object' && value !== null
    ? Object.values(value).reduce((sum: number, item) => sum + valuesIn(item), 0)
    : 0);

describe('bodies', () => {
  it('get the same verdict from their text as from a walk through all their values', () => {
    const seen = new Set<unknown>();
    fc.assert(
      fc.property(jsonText, (text) => {
        const body = JSON.parse(text);
        const full = verdict(() => refuseBadText(body, () => new PlatformError('VALIDATION_FAILED')));
        const cheap = verdict(() => refuseBadBody(text, body));
        expect(cheap).toEqual(full);
        seen.add(full === 'accepted' ? full : (full as string[])[0]);
      }),
      { numRuns: 5000 },
    );
    expect([...seen].sort()).toEqual(['MALFORMED_REQUEST', 'VALIDATION_FAILED', 'accepted']);
  });

  it('are not walked when their text shows that nothing can be wrong', () => {
    const body = { name: 'Größe 🎉', id: '0199ae3e-1234-7000-8e99-000000000002', amount: -12.5e10, tags: ['a', 'b\n'] };
    const { value, counts } = observed(body);
    refuseBadBody(JSON.stringify(body), value);
    expect(counts).toEqual({ reads: 0, lists: 0 });
  });

  it('are walked by index where they are lists', () => {
    const { value, counts } = observed(new Array<number>(1000).fill(0));
    refuseBadText(value, () => new PlatformError('VALIDATION_FAILED'));
    expect(counts.lists).toBe(0);
    // Each element, and the length before it.
    expect(counts.reads).toBeLessThanOrEqual(2 * 1000 + 1);
  });

  it('name the place of what cannot be stored', () => {
    const text = '{"a/b":[0,{"c":"\\ud800"}]}';
    const refused = () => refuseBadBody(text, JSON.parse(text));
    expect(refused).toThrow(
      expect.objectContaining({ extra: { errors: [expect.objectContaining({ pointer: '/a~1b/1/c' })] } }),
    );
  });

  it('have as many values as their text says', () => {
    const distinct = jsonText.filter((text) => !/\\u0000|"\s*:.*"\s*:/s.test(text));
    fc.assert(
      fc.property(distinct, (text) => expect(countValues(text)).toBe(valuesIn(JSON.parse(text)))),
      { numRuns: 2000 },
    );
    // Members of one name become one, but are read one by one.
    expect(countValues('{"a":[],"a":{},"b":"\\",,[{"}')).toBe(4);
  });

  it('are refused before they are parsed when they have more values than allowed', () => {
    const list = (values: number) => `[${new Array(values - 1).fill('0').join(',')}]`;
    refuseHugeBody(list(MAX_VALUES));
    for (const text of [list(MAX_VALUES + 1), list(1_000_000), '['.repeat(200_000), `[${'{},'.repeat(MAX_VALUES)}0]`]) {
      expect(verdict(() => refuseHugeBody(text))).toEqual([
        'MALFORMED_REQUEST',
        'The body has more than 100,000 values',
      ]);
    }
    // Only what stands outside strings counts.
    refuseHugeBody(JSON.stringify({ text: ',[{"'.repeat(200_000) }));
  });
});
