import type { FieldModel, ObjectModel } from '@crm/records-ui';
import { describe, expect, it } from '@jest/globals';
import { decode, readCsv, writeCsv } from './csv-file.js';
import { type CellContext, cellOf, dayOf, guessMapping } from './csv-values.js';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('a CSV file', () => {
  it.each([
    ['UTF-8', bytes('Müller'), 'Müller'],
    ['UTF-8 with a mark', bytes('\uFEFFMüller'), 'Müller'],
    ['Windows-1252', new Uint8Array([0x4d, 0xfc]), 'Mü'],
    ['UTF-16', new Uint8Array([0xff, 0xfe, 0x4d, 0, 0xfc, 0]), 'Mü'],
  ])('is read in %s', (_encoding, file, text) => {
    expect(decode(file)).toBe(text);
  });

  it.each([
    ['a,b\n1,"x, ""y""\nz"\n', ',', [['1', 'x, "y"\nz']]],
    ['a;b\r\n1,5;2\r\n;\r\n', ';', [['1,5', '2']]],
    ['a\tb\n 1\t\n', '\t', [['1', '']]],
    [
      'a,b\n1\n1,2,3\n',
      ',',
      [
        ['1', ''],
        ['1', '2'],
      ],
    ],
  ])('%j has the delimiter %j', (text, delimiter, rows) => {
    expect(readCsv('x.csv', text)).toEqual({ name: 'x.csv', delimiter, columns: ['a', 'b'], rows });
  });

  it.each([
    ['a,b\n1,"x\n2,y\n3,z\n', 2],
    ['a,b\n1,x\n2,"y\n3,"z"\n', 3],
    ['a,b\n1,5" disk\n2,"say ""hi"""\n', undefined],
  ])('%j has an open quotation mark in row %j', (text, row) => {
    expect(readCsv('x.csv', text).openQuote).toBe(row);
  });

  it('that is written has no formulas, and is read again as it was', () => {
    const rows = [
      ['a', 'b', 'c', 'd', 'e'],
      ['=SUM(A1)', '+49 30', '-5', '@x', 'quo"ted; \n'],
    ];
    const text = writeCsv(rows, ';');
    expect(text).toBe(`\uFEFFa;b;c;d;e\r\n"'=SUM(A1)";"'+49 30";"'-5";"'@x";"quo""ted; \n"\r\n`);
    expect(readCsv('x.csv', decode(bytes(text))).rows).toEqual([['=SUM(A1)', '+49 30', '-5', '@x', 'quo"ted;']]);
  });
});

const field = (apiName: string, more: Partial<FieldModel> = {}): FieldModel => ({
  ...{ apiName, label: apiName, type: 'text', shownAs: 'text', required: false, writable: true, sortable: true },
  ...{ filterOps: [], options: [] },
  ...more,
});
const OPTIONS = [
  { value: 'new', label: 'Neu' },
  { value: 'open', label: 'In Arbeit' },
];
const ADA = '019ca8d0-5a40-7b1d-8f02-6c1e9b7d4a35';
const people = new Map([
  ['ada@example.com', ADA],
  ['ada lovelace', ADA],
]);

describe('a cell becomes', () => {
  const notANumber = { fault: 'notANumber' };
  const notADate = { fault: 'notADate' };
  it.each<[Partial<FieldModel>, string, string, unknown]>([
    [{ type: 'text' }, 'en', ' x', ' x'],
    [{ type: 'number' }, 'en', '1,234.5', 1234.5],
    [{ type: 'currency' }, 'de', '1.234,50 €', 1234.5],
    [{ type: 'number' }, 'de', '1234.5', notANumber],
    [{ type: 'number' }, 'en', 'many', notANumber],
    [{ type: 'date' }, 'de', '31.12.2026', '2026-12-31'],
    [{ type: 'date' }, 'de', '1.2.26', '2026-02-01'],
    [{ type: 'date' }, 'en-US', '12/31/1999', '1999-12-31'],
    [{ type: 'date' }, 'en-GB', '31/12/99', '1999-12-31'],
    [{ type: 'date' }, 'en-US', '31/12/2026', notADate],
    [{ type: 'date' }, 'de', '2026-02-29', notADate],
    [{ type: 'date' }, 'de', 'gestern', notADate],
    [{ type: 'datetime' }, 'en', '2026-03-01T10:00:00+01:00', '2026-03-01T09:00:00.000Z'],
    [{ type: 'datetime' }, 'de', '1.3.2026 10:30', new Date('2026-03-01T10:30:00').toISOString()],
    [{ type: 'datetime' }, 'en-US', '3/1/2026, 1:30 PM', new Date('2026-03-01T13:30:00').toISOString()],
    [{ type: 'datetime' }, 'de', '1.3.2026 25:00', notADate],
    [{ type: 'checkbox' }, 'de', 'Ja', true],
    [{ type: 'checkbox' }, 'en', 'no', false],
    [{ type: 'checkbox' }, 'en', 'maybe', { fault: 'notAYes' }],
    [{ type: 'picklist', options: OPTIONS }, 'de', 'in arbeit', 'open'],
    [{ type: 'picklist', options: OPTIONS }, 'de', 'new', 'new'],
    [{ type: 'picklist', options: OPTIONS }, 'de', 'alt', { fault: 'noOption' }],
    [{ type: 'multi_select', options: OPTIONS }, 'de', 'Neu; open', ['new', 'open']],
    [{ type: 'reference', target: 'user' }, 'de', 'Ada@Example.com', ADA],
    [{ type: 'reference', target: 'user' }, 'de', 'Ada Lovelace', ADA],
    [{ type: 'reference', target: 'user' }, 'de', 'Nobody', { fault: 'noPerson' }],
    [{ type: 'reference', target: 'companies' }, 'de', ADA.toUpperCase(), ADA],
    [{ type: 'reference', target: 'companies' }, 'de', 'Engines', { fault: 'notAnId' }],
    [{ type: 'number' }, 'de', '', null],
  ])('%j in %s: %j', (more, tag, text, expected) => {
    const context: CellContext = { tag, people };
    const isFault = typeof expected === 'object' && expected !== null && 'fault' in expected;
    expect(cellOf(field('f', more), text, context)).toEqual(isFault ? expected : { value: expected });
  });

  it('no day that there is not', () => {
    expect(dayOf('29.2.2024', 'de')).toBe('2024-02-29');
    expect(dayOf('30.2.2024', 'de')).toBeUndefined();
  });
});

it('columns are of the fields that they are called after, in both languages and each once', () => {
  const names = ['firstName', 'lastName', 'email', 'ownerId'];
  const model = { apiName: 'lead', fields: names.map((name) => field(name)) } as unknown as ObjectModel;
  expect(guessMapping(model, ['First name', 'Nachname', 'E-Mail', 'e-mail', 'Owner', 'Other', ''])).toEqual([
    'firstName',
    'lastName',
    'email',
    null,
    'ownerId',
    null,
    null,
  ]);
});
