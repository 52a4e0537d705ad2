import { accessPlan } from '@crm/fields';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ObjectDefinition, StoredField } from '../object/object-definition.js';
import { ObjectModel } from '../object/object-model.js';
import { RecordText } from './record.js';
import { recordEtag, recordJson, recordView } from './record.serializer.js';

const CLOCK = { now: new Date('2024-02-29T20:00:00Z'), timeZone: 'Europe/Berlin' };

const field = (key: number, apiName: string, more: object = {}) =>
  ({
    key,
    id: `f${key}`,
    apiName,
    label: apiName,
    type: 'text',
    slot: null,
    referenceObjectIds: [],
    ...more,
  }) as StoredField;

const model = new ObjectModel({
  fields: [
    field(1, 'title'),
    field(2, 'note'),
    field(3, 'amount', { type: 'number' }),
    field(4, 'tags', { type: 'multi_select', options: ['a', 'b'] }),
    field(5, 'secret', { readRoles: ['auditor'] }),
    field(6, 'doubled', { type: 'formula', expression: 'amount * 2' }),
    field(7, 'quadrupled', { type: 'formula', expression: 'doubled * 2' }),
    field(8, 'hidden', { type: 'formula', expression: 'CONCAT(secret, title)' }),
  ],
} as unknown as ObjectDefinition);

const text = fc.string({ unit: 'binary', maxLength: 300 });
const record = fc.record({
  id: fc.uuid(),
  version: fc.integer({ min: 1 }),
  createdAt: fc.constant('2024-01-01T00:00:00.000Z'),
  updatedAt: fc.constant('2024-01-01T00:00:00.000Z'),
  data: fc.record(
    {
      1: text,
      2: text,
      3: fc.integer({ min: -1e15, max: 1e15 }),
      4: fc.subarray(['a', 'b"']),
      5: text,
    },
    { requiredKeys: [] },
  ),
});

describe('the JSON of a record', () => {
  it.each([[['auditor']], [[]]])('is that of its view, for roles %j', (roles) => {
    const plan = accessPlan(model.object.fields, roles);
    fc.assert(
      fc.property(record, (stored) => {
        const json = recordJson(model, stored, plan, CLOCK);
        expect(json).toBe(JSON.stringify(recordView(model, stored, plan, CLOCK)));
      }),
    );
  });

  it('has what is readable, in the order of the declaration', () => {
    const stored = { id: 'i', version: 3, createdAt: 'c', updatedAt: 'u', data: { 1: 'a"b', 3: 2, 5: 'x' } };
    const head = '{"id":"i","version":3,"createdAt":"c","updatedAt":"u"';
    const open = `${head},"title":"a\\"b","note":null,"amount":2,"tags":null`;
    expect(recordJson(model, stored, accessPlan(model.object.fields, []), CLOCK)).toBe(
      `${open},"doubled":4,"quadrupled":8}`,
    );
    expect(recordJson(model, stored, accessPlan(model.object.fields, ['auditor']), CLOCK)).toBe(
      `${open},"secret":"x","doubled":4,"quadrupled":8,"hidden":"xa\\"b"}`,
    );
  });
});

/** Ways in which the same JSON can be written; the first is that of PostgreSQL. */
const SPELLINGS: Readonly<Record<string, (data: unknown) => string>> = {
  'with spaces': spaced,
  'without spaces': (data) => JSON.stringify(data),
  'with escapes': (data) =>
    JSON.stringify(data).replace(/[^\0-~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
};

function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, member]) => `${JSON.stringify(key)}: ${spaced(member)}`)
    .join(', ')}}`;
}

describe('the JSON of a record that was read as text', () => {
  const values = Array.from({ length: 12 }, (_, index) => field(index * 9 + 1, `value_${index}`));
  const twelve = new ObjectModel({ fields: [...values, field(5, 'secret', { readRoles: ['auditor'] })] } as never);
  const plan = accessPlan(twelve.object.fields, []);
  /** Texts that look like the JSON around them. */
  const tricky = fc.string({
    unit: fc.constantFrom('"', '\\', '{', '}', '[', ']', ',', ':', ' ', '5', '\n', 'é', '𝄞'),
  });
  const json = fc.oneof(tricky, fc.jsonValue(), fc.jsonValue({ stringUnit: 'binary' }), fc.array(tricky), fc.double());
  const someOf = (keys: readonly number[], value: fc.Arbitrary<unknown>) =>
    fc.record(Object.fromEntries(keys.map((key) => [key, value])), { requiredKeys: [] });
  const data = someOf(
    values.map(({ key }) => key),
    json,
  );
  const SECRET = 'nobody reads this';
  const hidden = fc.oneof(
    tricky.map((text) => text + SECRET + text),
    fc.array(fc.record({ 1: fc.constant(SECRET), 10: tricky })),
  );

  it.each(Object.entries(SPELLINGS))('has all that can be read and nothing else, %s', (_spelling, textOf) => {
    fc.assert(
      fc.property(data, hidden, (readable, secret) => {
        const text = textOf({ ...readable, 5: secret });
        const written = recordJson(twelve, new RecordText('i', 1, 'c', 'u', text), plan, CLOCK);
        const stored = { id: 'i', version: 1, createdAt: 'c', updatedAt: 'u', data: JSON.parse(text) };
        expect(JSON.parse(written)).toEqual(JSON.parse(JSON.stringify(recordView(twelve, stored, plan, CLOCK))));
        expect(written).not.toContain(SECRET);
      }),
    );
  });
});

describe('the entity tag of a record', () => {
  it.each([
    ['1 + 1', 'Asia/Tokyo', '"3.7"'],
    ['TODAY()', 'Asia/Tokyo', '"3.7.2024-03-01.Asia/Tokyo"'],
    ['TODAY()', 'America/New_York', '"3.7.2024-02-29.America/New_York"'],
    ['TODAY()', 'Nowhere/Land', '"3.7.2024-02-29.UTC"'],
    ['TODAY()', undefined, '"3.7.2024-02-29.UTC"'],
  ])('of an object with the formula %s, in the time zone %s, is %s', (expression, timeZone, tag) => {
    const fields = [field(1, 'day', { type: 'formula', expression })];
    const clock = { now: CLOCK.now, ...(timeZone === undefined ? {} : { timeZone }) };
    const model = new ObjectModel({ fields, revision: 7 } as never);
    expect(recordEtag(model, { version: 3, data: {} } as never, accessPlan(fields, []), clock)).toBe(tag);
  });

  it('says what a reference names that not all readers see, to those who see it or a formula of it', () => {
    const link = { type: 'reference', referenceTarget: 'lead', referenceObjectIds: ['lead'] } as const;
    const fields = [
      field(1, 'open', { ...link }),
      field(2, 'hidden', { ...link, readRoles: ['auditor'] }),
      field(3, 'has', { type: 'formula', expression: 'hidden == "a"', exposes: true, readRoles: ['sales'] }),
    ];
    const model = new ObjectModel({ fields, revision: 7 } as never);
    const tagOf = (roles: string[], hidden?: string, open = 'x') =>
      recordEtag(model, { version: 3, data: { 1: open, 2: hidden } } as never, accessPlan(fields, roles), CLOCK);
    expect([tagOf([], 'a'), tagOf([]), tagOf([], 'a', 'y')]).toEqual(['"3.7"', '"3.7"', '"3.7"']);
    for (const [roles, tags] of [
      [['auditor'], 3],
      // Not more than the formula says.
      [['sales'], 2],
    ] as const) {
      expect(new Set([tagOf([...roles], 'a'), tagOf([...roles], 'b'), tagOf([...roles], 'c')]).size).toBe(tags);
      expect(tagOf([...roles], 'a')).toBe(tagOf([...roles], 'a', 'y'));
    }
  });
});
