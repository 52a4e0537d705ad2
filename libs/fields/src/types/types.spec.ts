import { describe, expect, it } from '@jest/globals';
import type { FieldDefinition } from '../field-definition.js';
import { VALUE_PROBLEMS } from '../problem.js';
import type { ParseOptions } from './field-type.js';
import { FIELD_TYPE_NAMES, type FieldTypeName, fieldTypes } from './index.js';

interface Table {
  field?: Partial<FieldDefinition>;
  options?: ParseOptions;
  /** Input and canonical form; one entry when they are the same. */
  accepted: readonly (readonly [unknown, unknown?])[];
  /** Input and code of the (first) problem. */
  refused: readonly (readonly [unknown, string])[];
}

const failing = (code: string, ...inputs: unknown[]) => inputs.map((input) => [input, code] as const);
const NOT_TEXT = failing('WRONG_TYPE', 5, 0, true, false, {}, [], ['a'], { value: 'a' });
const UUID = '01932f3e-7c1a-7b52-9c1d-0123456789ab';
const same = (...inputs: unknown[]) => inputs.map((input) => [input] as const);
/** Inputs with the same canonical form. */
const all = (form: string, ...inputs: string[]) => inputs.map((input) => [input, form] as const);
/** Selected options, separated by bars, with their canonical forms. */
const selections = (forms: Record<string, string>) =>
  Object.entries(forms).map(([input, form]) => [input.split('|'), form.split('|')] as const);

const UNUSUAL_OPTIONS = [
  ...['new', 'Open', 'a,b', 'ä', '1', 'true', 'null', 'constructor', ' spaced ', '😀', 'x y', '__proto__', 'A', 'a'],
  ...['"', "'", '<b>', '0'],
];

const tables: Record<FieldTypeName, Table> = {
  text: {
    accepted: [
      ...same('', ' ', 'a', ' a ', 'Ünïcödé', '日本語', '😀', '👩‍👩‍👧', 'a\tb', '<b>x</b>'),
      ...same("'; DROP TABLE x; --", 'null'),
      ...same('0', 'e\u0301', '\u202e', '\ufeff', '\ue000', 'x'.repeat(4000), '😀'.repeat(4000), '{{name}}', 'العربية'),
    ],
    refused: [
      ...NOT_TEXT,
      ...failing('LINE_BREAK', 'a\nb', 'a\r', '\u2028', '\u2029', '\u0085', '\v', '\f'),
      ...failing('INVALID_CHARACTER', '\0', 'a\0b', '\ud800', 'a\udc00', '\udc00\ud800'),
      ...failing('TOO_LONG', 'x'.repeat(4001), '😀'.repeat(4001), 'x'.repeat(9000)),
    ],
  },
  textarea: {
    accepted: [
      ...same('', ' ', 'a', 'a\nb', 'a\r\nb', '\n', '\u2028', '\v', 'Ünï', '😀', 'x'.repeat(100_000)),
      ...same('😀'.repeat(100_000), '\t', '\u0001', 'a\n\n\nb', '# Title\n- item', '<p>\n</p>', '日本\n語', '\ufffd'),
      ...same('\u0085'),
    ],
    refused: [
      ...NOT_TEXT,
      ...failing('INVALID_CHARACTER', '\0', 'a\n\0', '\ud83d', '\ude00', 'x\ud83dx', '\ude00\ud83d'),
      ...failing('TOO_LONG', 'x'.repeat(100_001), '😀'.repeat(100_001), 'x'.repeat(300_000), '\n'.repeat(100_001)),
      ...failing('TOO_LONG', 'é'.repeat(100_001)),
      [Number.NaN, 'WRONG_TYPE'],
    ],
  },
  number: numberTable(),
  currency: numberTable(),
  percent: numberTable(),
  date: {
    accepted: [
      ...same('2024-02-29', '2000-02-29', '2023-02-28', '0001-01-01', '9999-12-31', '1969-12-31', '1970-01-01'),
      ...same('2024-01-31', '2024-04-30', '2024-12-31', '1582-10-10', '1900-02-28', '0099-06-15', '2400-02-29'),
      ...same('2024-06-30', '2024-09-30', '2024-11-30', '2024-07-31', '2024-08-31', '2024-10-31'),
    ],
    refused: [
      ...NOT_TEXT,
      ...failing('INVALID_DATE', '', ' ', '2023-02-29', '1900-02-29', '2024-02-30', '2024-04-31', '2024-13-01'),
      ...failing('INVALID_DATE', '2024-00-10', '2024-01-00', '2024-01-32', '0000-01-01', '10000-01-01', '-0001-01-01'),
      ...failing('INVALID_DATE', '2024-1-1', '24-01-01', '20240101', '2024/01/01', '01.02.2024'),
      ...failing('INVALID_DATE', '2024-01-01T00:00:00Z', '2024-01-01 ', ' 2024-01-01', 'today', '2024-W01-1'),
      ...failing('INVALID_DATE', '２０２４-01-01'),
    ],
  },
  datetime: {
    accepted: [
      ...same('2024-02-29T09:30:00Z', '2024-02-29T09:30:00.5Z', '2024-02-29T09:30:00.123Z', '0001-01-01T00:00:00Z'),
      ...same('9999-12-31T23:59:59.999Z', '1970-01-01T00:00:00Z'),
      ...same('1969-12-31T23:59:59.9Z'),
      ...all('2024-02-29T09:30:00Z', '2024-02-29T09:30:00.000Z', '2024-02-29t09:30:00z'),
      ...all('2024-02-29T09:30:00Z', '2024-02-29T09:30:00+00:00', '2024-02-29T09:30:00-00:00'),
      ['2024-02-29T09:30:00.120Z', '2024-02-29T09:30:00.12Z'],
      ['2024-02-29T09:30:00.9999999Z', '2024-02-29T09:30:00.999Z'],
      ['2024-02-29T09:30:00+05:30', '2024-02-29T04:00:00Z'],
      ['2024-02-29T23:30:00-01:00', '2024-03-01T00:30:00Z'],
      ['2024-01-01T00:00:00+14:00', '2023-12-31T10:00:00Z'],
      ['2024-01-01T00:00:00-12:00', '2024-01-01T12:00:00Z'],
      ['2024-01-01T00:00:00.001+00:01', '2023-12-31T23:59:00.001Z'],
      ['2024-01-01T00:00:00+23:59', '2023-12-31T00:01:00Z'],
      ['0001-01-02T00:00:00+12:00', '0001-01-01T12:00:00Z'],
    ],
    refused: [
      ...NOT_TEXT,
      ...failing('INVALID_DATETIME', '', '2024-02-29', '2024-02-29T09:30', '2024-02-29T09:30:00'),
      ...failing('INVALID_DATETIME', '2024-02-29 09:30:00Z', '2024-02-30T09:30:00Z', '2024-02-29T24:00:00Z'),
      ...failing('INVALID_DATETIME', '2024-02-29T23:60:00Z', '2016-12-31T23:59:60Z', '2024-02-29T09:30:00.Z'),
      ...failing('INVALID_DATETIME', '2024-02-29T9:30:00Z', '2024-02-29T09:30:00+0530', '2024-02-29T09:30:00+24:00'),
      ...failing('INVALID_DATETIME', '2024-02-29T09:30:00+01:60', '0000-01-01T00:00:00Z', '0001-01-01T00:00:00+01:00'),
      ...failing('INVALID_DATETIME', '9999-12-31T23:59:59-01:00', '1709199000', 'now', '2024-02-29T09:30:00Z '),
      ...failing('INVALID_DATETIME', '2024-02-29T09:30:00Zulu', '2024-02-29T09:30:00 Z'),
    ],
  },
  email: {
    accepted: [
      ...same('a@example.com', 'A.B@Example.COM', 'a+b@example.com', 'a.b.c@sub.example.co.uk', "o'hara@example.com"),
      ...same('x_y-z@example.org', '1@example.com', 'a@xn--bcher-kva.de', 'a@bücher.de', 'ü@example.com'),
      ...same('用户@例子.公司'),
      ...same('a@example.museum', 'a!b@example.com', 'a#b@example.com', 'a=b@example.com', 'a{b}@example.com'),
      ...same(`${'x'.repeat(64)}@example.com`, 'a@a-b.com', 'a@1.com', 'a@example.travel'),
    ],
    refused: [
      ...NOT_TEXT,
      ...failing('INVALID_EMAIL', '', 'a', '@', 'a@', '@example.com', 'a@example', 'a@@example.com', 'a b@example.com'),
      ...failing('INVALID_EMAIL', 'a@exa mple.com', ' a@example.com', 'a@example.com ', 'a..b@example.com'),
      ...failing('INVALID_EMAIL', '.a@example.com', 'a.@example.com', 'a@-example.com', 'a@example-.com', 'a@.com'),
      ...failing('INVALID_EMAIL', 'a@example..com', 'a@127.0.0.1', 'a@[127.0.0.1]', 'Name <a@example.com>'),
      ...failing('INVALID_EMAIL', 'mailto:a@example.com', 'a@example.c', 'a,b@example.com'),
      ...failing('INVALID_EMAIL', 'a@example.com,b@example.com', `${'x'.repeat(65)}@example.com`),
      ...failing('LINE_BREAK', 'a@example.com\n', 'a@example.com\r\nBcc: b@example.com'),
      ['a\0@example.com', 'INVALID_CHARACTER'],
      [`a@${'x'.repeat(260)}.com`, 'TOO_LONG'],
    ],
  },
  phone: {
    options: { defaultCountry: 'DE' },
    accepted: [
      ...same('+4930123456', '+12025550123', '+442079460958', '+33123456789', '+81312345678', '+919876543210'),
      ...all('+4930123456', '+49 30 123456', '+49 (30) 123-456', '+49.30.123456', '+49/30/123456', '030 123456'),
      ...all('+4930123456', '(030) 123456', '030/123456', '0049 30 123456', '+4９30123456'),
      ...all('+12025550123', '+1 (202) 555-0123', '+1-202-555-0123', ' +12025550123 ', '＋12025550123'),
      ['0151 23456789', '+4915123456789'],
      ['+44 (0)20 7946 0958', '+442079460958'],
    ],
    refused: [
      ...NOT_TEXT,
      ...failing('INVALID_PHONE', '', ' ', 'abc', '1', '12', '+', '+1', '+0 123', '++12025550123', '+999 123456'),
      ...failing('INVALID_PHONE', '+1 202 555 01234567', '+1 202 5550123 ext. 5', '+1 202 555 0123;ext=5', 'call me'),
      ...failing('INVALID_PHONE', '+1 202 555 0123 or so', 'tel:12025550123x', '+12345678901234567', '110x', '030-'),
      ...failing('INVALID_PHONE', '@'),
      ['+12025550123\n', 'LINE_BREAK'],
      ['+1\0', 'INVALID_CHARACTER'],
      ['1'.repeat(51), 'TOO_LONG'],
    ],
  },
  url: {
    accepted: [
      ...same('https://example.com', 'https://example.com/', 'https://example.com/a/b?c=d&e=f#g'),
      ...same('HTTPS://Example.com/Path', 'https://example.com:8443/', 'https://sub.sub.example.co.uk'),
      ...same('https://bücher.de/ä', 'https://xn--bcher-kva.de', 'https://1.2.3.4/', 'https://[2001:db8::1]/'),
      ...same('https://intranet/wiki', 'https://example.com/%20', 'https://example.com/a@b'),
      ...same('https://example.com/?q=ü', 'https://a-b.com', 'https://example.com/~user', 'https://example.com/?a[]=1'),
      ...same('https://localhost/', 'https://example.com/a,b;c', 'https://example.com/#/route'),
      ...same(`https://example.com/${'a'.repeat(2028)}`),
    ],
    refused: [
      ...NOT_TEXT,
      ...failing('INVALID_URL', '', 'example.com', 'http://example.com', 'HTTP://example.com', 'ftp://example.com'),
      ...failing('INVALID_URL', '//example.com', 'https:', 'https://', 'https:///x', 'https:example.com'),
      ...failing('INVALID_URL', 'https:/example.com', 'javascript:alert(1)', 'data:text/html,x'),
      ...failing('INVALID_URL', 'https://user@example.com', 'https://user:pass@example.com'),
      ...failing('INVALID_URL', 'https://example.com:99999', 'https://exa mple.com', 'https://example.com/a b'),
      ...failing('INVALID_URL', ' https://example.com', 'https://example.com\t', 'https:\\\\example.com'),
      ...failing('INVALID_URL', 'https://example.com\\a', 'https://-example.com', 'https://example..com'),
      ...failing('INVALID_URL', 'https://ex_ample.com', 'https://[::1', 'https://?', 'mailto:a@example.com'),
      ...failing('INVALID_URL', 'https://example.com/<script>', 'ＨＴＴＰＳ://example.com'),
      ['https://example.com\n', 'LINE_BREAK'],
      ['https://example.com/\0', 'INVALID_CHARACTER'],
      [`https://example.com/${'a'.repeat(2029)}`, 'TOO_LONG'],
    ],
  },
  picklist: {
    field: { options: [{ value: 'won', label: 'Won!' }, { value: 'lost', label: 'new' }, ...UNUSUAL_OPTIONS] },
    accepted: same('won', 'lost', ...UNUSUAL_OPTIONS),
    refused: [
      ...NOT_TEXT,
      ...failing('NOT_AN_OPTION', '', ' ', 'New', 'NEW', 'open', 'Won!', 'new ', ' new', 'spaced', 'toString'),
      ...failing('NOT_AN_OPTION', 'hasOwnProperty', 'a\u0308', 'unknown', 'new,Open', '\0', '\n', '00', 'False', 'a,'),
      ...failing('NOT_AN_OPTION', 'undefined'),
    ],
  },
  multi_select: {
    field: { options: ['red', 'green', { value: 'blue', label: 'Blue' }, 'x, y', 'constructor'] },
    accepted: [
      ...same(['red'], ['green'], ['blue'], ['red', 'green'], ['red', 'green', 'blue'], ['x, y'], ['constructor']),
      ...same(['red', 'green', 'blue', 'x, y', 'constructor'], ['red', 'constructor'], ['green', 'x, y']),
      ...selections({ 'green|red': 'red|green', 'blue|green|red': 'red|green|blue', 'red|red': 'red' }),
      ...selections({ 'blue|red|blue': 'red|blue', 'constructor|red': 'red|constructor', 'x, y|blue': 'blue|x, y' }),
      ...selections({ 'green|green|red': 'red|green', 'constructor|x, y': 'x, y|constructor' }),
      [[], null],
      [Array(1000).fill('red'), ['red']],
    ],
    refused: [
      ...failing('WRONG_TYPE', 'red', '', 'red, green', 5, 0, true, false, {}, { red: true }, { 0: 'red', length: 1 }),
      ...failing('WRONG_TYPE', [5], [null], [true], [['red']], [{}], ['red', 5], [{ value: 'red' }], [undefined]),
      ...failing('NOT_AN_OPTION', ['pink'], ['Red'], ['Blue'], ['red', ''], ['red', 'pink'], ['red, green']),
      ...failing('NOT_AN_OPTION', ['toString'], ['red ']),
      [Array(1001).fill('red'), 'TOO_MANY_VALUES'],
    ],
  },
  checkbox: {
    accepted: same(true, false),
    refused: [
      ...failing('WRONG_TYPE', 'true', 'false', 'TRUE', '', 'yes', 'no', 'on', '1', '0', 1, 0, -1, Number.NaN, []),
      ...failing('WRONG_TYPE', [true], {}, { value: true }, 'null', 'T', ' '),
    ],
  },
  reference: {
    accepted: [
      [UUID],
      [UUID.toUpperCase(), UUID],
      ...same('00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'),
      ['FFFFFFFF-ffff-FFFF-ffff-FFFFFFFFFFFF', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
      ...[1, 2, 3, 4, 5, 6, 7, 8].map((version) => [`01932f3e-7c1a-${version}b52-9c1d-0123456789ab`] as const),
      ...['8', '9', 'a', 'b', 'c', 'd', 'e'].map(
        (variant) => [`01932f3e-7c1a-7b52-${variant}c1d-0123456789ab`] as const,
      ),
    ],
    refused: [
      ...NOT_TEXT,
      ...failing('INVALID_REFERENCE', '', ' ', '1', 'lead', UUID.slice(1), `${UUID}0`, ` ${UUID}`, `${UUID}\n`),
      ...failing('INVALID_REFERENCE', UUID.replaceAll('-', ''), `{${UUID}}`, `urn:uuid:${UUID}`),
      ...failing('INVALID_REFERENCE', UUID.replace('0', 'g'), UUID.replace('-', '_'), `${UUID},${UUID}`),
      ...failing('INVALID_REFERENCE', '01932f3e7-c1a-7b52-9c1d-0123456789ab', '*', '%', '../x', 'null', `${UUID}\0`),
    ],
  },
  formula: {
    accepted: [],
    refused: [
      ...failing('FORMULA_NOT_WRITABLE', '', 'a', 0, 1, -1, true, false, [], {}, ['a'], { a: 1 }, '1 + 1', '=1', 1.5),
      ...failing('FORMULA_NOT_WRITABLE', '2024-01-01', 'TRUE', [1], [null], '😀', 1e14),
    ],
  },
};

function numberTable(): Table {
  return {
    accepted: [
      ...same(0, 1, -1, 0.1, -0.5, 1e14, -1e14, 999_999_999_999_999, -999_999_999_999_999, 999_999_999_999_999.9),
      ...same(5e-324, -5e-324, 1e-300, 0.1 + 0.2, 123.456, 42, 1 / 3, Number.EPSILON, 2 ** 49, 100),
      [-0, 0],
    ],
    refused: [
      ...failing('WRONG_TYPE', '1', '', '0', '1e3', 'NaN', true, false, {}, [], [1], { value: 1 }, '1,5', '½', ' 1'),
      ...failing('OUT_OF_RANGE', 1e15, -1e15, 1e15 + 1, 1e16, 1e300, -1e300, Number.MAX_VALUE, Number.MAX_SAFE_INTEGER),
      ...failing('OUT_OF_RANGE', Number.NaN, Infinity, -Infinity),
    ],
  };
}

const INPUTS = Object.values(tables).flatMap((table) => [...table.accepted, ...table.refused].map(([input]) => input));

/** A title for a value: a long one is truncated and shows its length. */
function name(input: unknown): string {
  const text = typeof input === 'number' ? String(input) : JSON.stringify(input);
  return text.length > 80 ? `${text.slice(0, 60)}… (${text.length})` : text;
}

describe.each(FIELD_TYPE_NAMES)('%s', (typeName) => {
  const type = fieldTypes.get(typeName)!;
  const { field, options = {}, accepted, refused } = tables[typeName];
  const definition: FieldDefinition = { apiName: 'field', type: typeName, ...field };

  for (const [input, canonical = input] of accepted) {
    it(`accepts ${name(input)}`, () => {
      const expected = canonical === undefined ? input : canonical;
      expect(type.parse(input, definition, options)).toStrictEqual({ ok: true, value: expected });
    });
  }

  for (const [input, code] of refused) {
    it(`rejects ${name(input)} with ${code}`, () => {
      const result = type.parse(input, definition, options);
      expect(result).toMatchObject({ ok: false, problems: [{ code }] });
    });
  }

  it('says what its form is, if it refuses what does not have it, to those who may not read the field', () => {
    const codes = INPUTS.flatMap((input) => {
      const result = type.parse(input, definition, options);
      return result.ok ? [] : result.problems.map(({ code }) => code);
    });
    const ofForm = codes.filter((code) => !Object.hasOwn(VALUE_PROBLEMS, code));
    expect([...new Set(ofForm)]).toEqual(type.invalid ? [`INVALID_${typeName.toUpperCase()}`] : []);
  });

  it('has examples for the documentation: canonical values that count as different', () => {
    for (const example of type.examples) {
      expect(type.parse(example, definition, {})).toStrictEqual({ ok: true, value: example });
    }
    expect(new Set(type.examples.map(type.toUniqueKey)).size).toBe(type.examples.length);
    expect(type.examples.length).toBeGreaterThan(typeName === 'formula' ? -1 : 1);
  });

  it('parses a canonical value to the same value', () => {
    for (const [input] of accepted) {
      const first = type.parse(input, definition, options);
      if (!first.ok || first.value === null) continue;
      // A canonical value needs no country.
      expect(type.parse(first.value, definition, {})).toStrictEqual(first);
    }
  });
});

describe('particular values', () => {
  it('a phone number without a country code needs a default country', () => {
    const phone = fieldTypes.get('phone')!;
    const field: FieldDefinition = { apiName: 'p', type: 'phone' };
    const missing = { ok: false, problems: [{ code: 'PHONE_COUNTRY_MISSING' }] };
    expect(phone.parse('030 123456', field, {})).toMatchObject(missing);
    expect(phone.parse('030 123456', field, { defaultCountry: 'XX' })).toMatchObject(missing);
    expect(phone.parse('abc', field, {})).toMatchObject({ problems: [{ code: 'INVALID_PHONE' }] });
    expect(phone.parse('202 555 0123', field, { defaultCountry: 'US' })).toEqual({ ok: true, value: '+12025550123' });
  });

  it('every wrong entry of a multi-select has a problem', () => {
    const field: FieldDefinition = { apiName: 'm', type: 'multi_select', options: ['a', 'b'] };
    const result = fieldTypes.get('multi_select')!.parse(['a', 'x', 5], field, {});
    expect(result).toEqual({
      ok: false,
      problems: [
        { pointer: '/1', code: 'NOT_AN_OPTION', detail: 'Must be one of: a, b', params: { options: ['a', 'b'] } },
        { pointer: '/2', code: 'WRONG_TYPE', detail: 'Must be an option in a string', params: { expected: 'string' } },
      ],
    });
  });

  it('a picklist without options accepts nothing', () => {
    const result = fieldTypes.get('picklist')!.parse('a', {}, {});
    expect(result.ok).toBe(false);
  });
});
