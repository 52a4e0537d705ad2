import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '../test/runs.js';
import type { FieldDefinition } from './field-definition.js';
import type { RuleTypeName } from './types/field-type.js';
import { FIELD_TYPE_NAMES, type FieldTypeName, fieldTypes } from './types/index.js';
import { foldForSearch, foldForSearchUpTo, foldForUniqueness } from './types/texts.js';
import { validateRecord } from './validate-record.js';

// Many runs, on a machine that may be busy with other test files.
jest.setTimeout(process.env.DEEP === '1' ? 3_600_000 : 60_000);

const OPTIONS = ['red', 'green', 'blue'];
const RULES = Object.entries({ maxLength: 5, regex: '^[^x]*$' }) as [RuleTypeName, number | string][];
const MORE: Partial<Record<FieldTypeName, Partial<FieldDefinition>>> = {
  text: { validationRules: RULES.map(([type, value]) => ({ type, value })) },
  number: { validationRules: [{ type: 'min', value: 0 }] },
};
const fields: FieldDefinition[] = FIELD_TYPE_NAMES.filter((type) => type !== 'formula').map((type) => {
  return { apiName: type, type, ...(fieldTypes.get(type)?.hasOptions && { options: OPTIONS }), ...MORE[type] };
});

/** Values that are often valid for some type, and arbitrary JSON. */
const value = fc.oneof(
  fc.jsonValue({ maxDepth: 1 }),
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.double(),
  fc.emailAddress(),
  fc.webUrl({ validSchemes: ['https', 'http'] }),
  fc.uuid(),
  fc.date({ noInvalidDate: false }).map(String),
  fc
    .date({ min: new Date(-60_000_000_000_000), max: new Date(250_000_000_000_000), noInvalidDate: true })
    .map((date) => date.toISOString()),
  fc
    .date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10)),
  fc.subarray(OPTIONS),
  fc.shuffledSubarray([...OPTIONS, ...OPTIONS]),
  fc.constantFrom(...OPTIONS),
  fc.tuple(fc.constantFrom('+49', '+1', '+44', '030'), fc.nat(9_999_999_999)).map(([code, rest]) => `${code} ${rest}`),
  fc.boolean(),
);

describe('for generated fields and values', () => {
  it('parsing a value as JSON has it returns the same value, for every type', () => {
    let accepted = 0;
    fc.assert(
      fc.property(fc.constantFrom(...fields), value, (field, input) => {
        if (input === null) return;
        const type = fieldTypes.get(field.type)!;
        const parsed = type.parse(input, field, { defaultCountry: 'DE' });
        if (!parsed.ok || parsed.value === null) return;
        accepted++;
        const shown: unknown = JSON.parse(JSON.stringify(parsed.value));
        expect(type.parse(shown, field, {})).toStrictEqual(parsed);
        expect(type.toUniqueKey(parsed.value)).toBe(type.toUniqueKey(shown));
        type.toSlot(parsed.value);
      }),
      runs(500),
    );
    expect(accepted).toBeGreaterThan(40);
  });

  it('a value rejected on create is rejected on update with the same problems, and nothing throws', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom(...fields.map((field) => field.apiName), 'unknown'), value),
        (input) => {
          const created = validateRecord(fields, input, 'create');
          const updated = validateRecord(fields, input, 'update');
          expect(updated.problems).toEqual(created.problems);
          if (created.problems.length > 0) return;
          for (const [name, canonical] of Object.entries(updated.values))
            expect(created.values[name]).toEqual(canonical);
          // An accepted value is accepted again in its canonical form.
          expect(validateRecord(fields, updated.values, 'update')).toEqual(updated);
        },
      ),
      runs(250),
    );
  });

  it('folding is idempotent for every character', () => {
    const changed: string[] = [];
    for (let code = 0; code <= 0x10ffff; code++) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const character = String.fromCodePoint(code);
      for (const fold of [foldForSearch, foldForUniqueness]) {
        const folded = fold(character);
        if (folded !== character && fold(folded) !== folded) changed.push(character);
      }
    }
    expect(changed).toEqual([]);
  });

  it('folding is idempotent and ignores case', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 12 }), (text) => {
        for (const fold of [foldForSearch, foldForUniqueness]) {
          const folded = fold(text);
          expect(fold(folded)).toBe(folded);
        }
        expect(foldForUniqueness(text.toUpperCase())).toBe(foldForUniqueness(text));
      }),
      runs(375),
    );
  });

  it('the beginning of a folded text is the same when only the beginning of the text is folded', () => {
    const unit = fc.constantFrom(...'aÄßΣ1 \n\u0301\u00a0\u0130ﷺ한', '\u1112\u1161\u11ab', '🙂', '   ', 'e\u0301');
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 1500 }), fc.integer({ min: 0, max: 400 }), (text, length) => {
        expect(foldForSearchUpTo(text, length)).toBe(foldForSearch(text).slice(0, length));
      }),
      runs(200),
    );
  });
});
