import { describe, expect, it } from '@jest/globals';
import { FORMATS } from './rules.js';
import type { StringFormat } from './schema.js';

/** Texts that a format accepts, and texts that it refuses. */
const SAMPLES: Record<StringFormat, [valid: string[], invalid: string[]]> = {
  email: [
    ['ada@acme.test', 'a.b+c@sub.acme.test'],
    ['ada@localhost', 'ada@acme..test', 'ada@-acme.test', 'ada acme.test', 'ada@acme.test\n'],
  ],
  uuid: [['0199AA00-0000-7000-8000-000000000001'], ['0199aa00000070008000000000000001']],
  date: [
    ['2024-02-29', '2000-02-29'],
    ['2023-02-29', '1900-02-29', '2026-04-31', '0000-01-01', '2026-13-01'],
  ],
  'date-time': [
    ['2026-01-01T00:00:00Z', '2026-01-01T23:59:59.123456+05:30'],
    [
      ...['2026-01-01T24:00:00Z', '2026-01-01T23:59:60Z', '2026-02-30T00:00:00Z'],
      ...['2026-01-01T00:00:00', '2026-01-01'],
    ],
  ],
  uri: [
    ['https://acme.test/hook?x=1'],
    ['ftp://acme.test', 'https://', 'https://acme.test/a b', 'https:\\\\acme.test'],
  ],
};

const ROWS = Object.entries(SAMPLES).flatMap(([format, [valid, invalid]]) => [
  ...valid.map((text) => [format as StringFormat, text, true] as const),
  ...invalid.map((text) => [format as StringFormat, text, false] as const),
]);

describe('formats', () => {
  it.each(ROWS)('%s %p: %p', (format, text, valid) => {
    expect(FORMATS[format].test(text)).toBe(valid);
  });
});
