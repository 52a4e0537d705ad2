import { describe, expect, it } from '@jest/globals';
import { compileFieldFormulas, formulaFieldTypes } from './check-definition.js';
import { type FieldDefinition, onDeleteOf } from './field-definition.js';
import { searchText, slotValue, uniqueKey } from './stored-forms.js';
import { normaliseOptions } from './types/choices.js';
import type { FieldTypeName } from './types/index.js';
import { foldForSearch, foldForSearchUpTo, foldForUniqueness } from './types/texts.js';
import { withoutLimits } from './validate-record.js';

const field = (type: FieldTypeName): FieldDefinition => ({ apiName: 'f', type });

type Values<Value> = Partial<Record<FieldTypeName, Value>>;
/** Values of fields that are stored as they are. */
const kept = (values: Values<string>) => Object.entries(values).map(([type, value]) => row(type, value, value));
/** Values of fields of which nothing is stored. */
const without = (values: Values<unknown>) => Object.entries(values).map(([type, value]) => row(type, value, null));
const row = <Stored>(type: string, value: unknown, stored: Stored): [FieldTypeName, unknown, Stored] => [
  type as FieldTypeName,
  value,
  stored,
];

describe('folding for', () => {
  const forSearch: Record<string, string>[] = [
    { Müller: 'muller', MÜLLER: 'muller', 'Mu\u0308ller': 'muller', '  a \t\n b  ': 'a b', '': '' },
    { Straße: 'strasse', STRASSE: 'strasse', STRAẞE: 'strasse', ΟΔΟΣ: 'οδοσ', οδος: 'οδοσ', Ångström: 'angstrom' },
    { İstanbul: 'istanbul', 'São Paulo': 'sao paulo', 한국어: '한국어', हिन्दी: 'हिन्दी', Ｆｕｌｌ: 'full' },
    { 'A b\u00a0\u2003c': 'a b c', 'X_~9\v@': 'x_~9 @' },
    { 'Crème Brûlée': 'creme brulee', ﬁn: 'fin', Ⅻ: 'xii' },
  ];
  it.each(forSearch.flatMap((row) => Object.entries(row)))('search: %j is %j', (text, folded) => {
    expect(foldForSearch(text)).toBe(folded);
    expect(foldForSearch(folded)).toBe(folded);
  });

  const forUniqueness: Record<string, string>[] = [
    { ' Müller ': 'müller', 'MU\u0308LLER': 'müller', Muller: 'muller' },
    { straße: 'strasse', STRAẞE: 'strasse', 'a  b': 'a  b', ΟΔΟΣ: 'οδοσ' },
  ];
  it.each(forUniqueness.flatMap((row) => Object.entries(row)))('uniqueness: %j is %j', (text, folded) => {
    expect(foldForUniqueness(text)).toBe(folded);
    expect(foldForUniqueness(folded)).toBe(folded);
  });
});

it.each<[FieldTypeName, unknown, string | null]>([
  ['text', ' ABC ', 'abc'],
  ...['', '  ', null, undefined].map((value) => row('text', value, null)),
  ['email', 'A@Example.com', 'a@example.com'],
  ...kept({ phone: '+4930123456', date: '2024-01-01', datetime: '2024-01-01T00:00:00Z' }),
  ...kept({ picklist: 'New', reference: 'abc' }),
  ['url', 'HTTPS://Example.com/Path', 'https://example.com/Path'],
  ['url', 'https://example.com', 'https://example.com/'],
  ['number', 5, '5'],
  ['number', 0.1 + 0.2, '0.3'],
  ['number', 0, '0'],
  ['currency', -1.5, '-1.5'],
  ['checkbox', false, 'false'],
  ['multi_select', ['a', 'b'], '["a","b"]'],
  ['formula', 1, '1'],
])('the unique key of %s %j: %j', (type, value, key) => expect(uniqueKey(field(type), value)).toBe(key));

it.each<[FieldTypeName, unknown, unknown]>([
  ['text', 'abc', { kind: 'text', value: 'abc', exact: true }],
  ['text', '', { kind: 'text', value: '', exact: true }],
  ['textarea', 'x'.repeat(200), { kind: 'text', value: 'x'.repeat(200), exact: true }],
  ['textarea', 'x'.repeat(201), { kind: 'text', value: 'x'.repeat(200), exact: false }],
  ['text', '😀'.repeat(200), { kind: 'text', value: '😀'.repeat(200), exact: true }],
  ['text', '😀'.repeat(300), { kind: 'text', value: '😀'.repeat(200), exact: false }],
  ['text', `a${'😀'.repeat(300)}`, { kind: 'text', value: `a${'😀'.repeat(199)}`, exact: false }],
  ['number', 1.5, { kind: 'number', value: 1.5, exact: true }],
  ['checkbox', true, { kind: 'number', value: 1, exact: true }],
  ['checkbox', false, { kind: 'number', value: 0, exact: true }],
  ['date', '2024-02-29', { kind: 'time', value: new Date('2024-02-29T00:00:00Z'), exact: true }],
  ['datetime', '2024-02-29T10:00:00.5Z', { kind: 'time', value: new Date('2024-02-29T10:00:00.500Z'), exact: true }],
  ['picklist', 'a', { kind: 'text', value: 'a', exact: true }],
  ...without({ multi_select: ['a'], formula: 5, text: null, number: undefined }),
])('the typed column of %s', (type, value, expected) => expect(slotValue(field(type), value)).toEqual(expected));

it.each<[FieldTypeName, unknown, string | null]>([
  ...kept({ text: 'Abc', textarea: 'a\nb', email: 'a@example.com', phone: '+4930123456', picklist: 'New' }),
  ...kept({ url: 'https://example.com' }),
  ['multi_select', ['a', 'b'], 'a b'],
  ...without({ number: 5, date: '2024-01-01', datetime: '2024-01-01T00:00:00Z', checkbox: true, reference: 'x' }),
  ...without({ formula: 'x', text: null }),
])('the searchable text of %s %j: %j', (type, value, text) => expect(searchText(field(type), value)).toBe(text));

describe('options and formulas', () => {
  it('normalises options', () => {
    expect(normaliseOptions(['a', { value: 'b', label: 'B' }])).toEqual([
      { value: 'a', label: 'a' },
      { value: 'b', label: 'B' },
    ]);
    expect(normaliseOptions(undefined)).toEqual([]);
  });

  it('derives the types for formulas from the fields', () => {
    const fields: FieldDefinition[] = [
      { apiName: 'amount', type: 'currency' },
      { apiName: 'done', type: 'checkbox' },
      { apiName: 'tags', type: 'multi_select', options: ['a'] },
      { apiName: 'owner', type: 'reference', referenceTarget: 'contact' },
      { apiName: 'twice', type: 'formula', expression: 'amount * 2' },
      { apiName: 'label', type: 'formula', expression: 'IF(done, "Done ", "") + twice + TEXT(tags)' },
    ];
    const types = { amount: 'number', done: 'boolean', tags: 'multi_select', owner: 'text' };
    expect([...formulaFieldTypes(fields)]).toEqual(Object.entries(types));
    const record = { amount: 4, done: true, tags: ['a'] };
    compileFieldFormulas(fields).evaluatorOf(new Set(['label']))(record, { now: new Date(0) });
    expect(record).toMatchObject({ twice: 8, label: 'Done 8a' });
  });
});

it.each([
  ['a short text', 'Ärger mit  ÖPNV'],
  ['a long text', 'Größe und Gewicht '.repeat(100)],
  ['a text that begins with white space', `${' '.repeat(300)}Müller`],
  ['a text with many marks', `e${'\u0301'.repeat(250)}tude`],
  ['a sigma that is no longer last', `${'σ'.repeat(109)}Σα`],
])('the beginning of a text folded for search is that of the whole: %s', (_, text) => {
  expect(foldForSearchUpTo(text, 10)).toBe(foldForSearch(text).slice(0, 10));
});

it.each([
  [{ onDelete: 'cascade', required: true }, 'cascade'],
  [{ required: true }, 'restrict'],
  [{}, 'set_null'],
] as const)('when the record that a field %j refers to is deleted, its own: %s', (field, expected) =>
  expect(onDeleteOf(field)).toBe(expected),
);

it('a problem is told without its limits and the words of its author', () => {
  const problem = { pointer: '/age', code: 'ABOVE_MAX', detail: 'At most 18', params: { max: 18 } } as const;
  const detail = expect.not.stringMatching('18');
  expect(withoutLimits(problem)).toEqual({ pointer: '/age', code: 'ABOVE_MAX', detail });
  const unknown = { ...problem, code: 'INVALID_AGE' } as const;
  expect(withoutLimits(unknown)).toEqual({ pointer: '/age', code: 'INVALID_AGE', detail: 'Invalid value' });
});
