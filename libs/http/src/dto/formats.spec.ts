import { describe, expect, it } from '@jest/globals';
import { FORMATS } from './rules.js';
import type { StringFormat } from './schema.js';

describe('formats', () => {
  it.each<[StringFormat, string, boolean]>([
    ['email', 'ada@acme.test', true],
    ['email', 'a.b+c@sub.acme.test', true],
    ['email', 'ada@localhost', false],
    ['email', 'ada@acme..test', false],
    ['email', 'ada@-acme.test', false],
    ['email', 'ada acme.test', false],
    ['email', 'ada@acme.test\n', false],
    ['uuid', '0199AA00-0000-7000-8000-000000000001', true],
    ['uuid', '0199aa00000070008000000000000001', false],
    ['date', '2024-02-29', true],
    ['date', '2023-02-29', false],
    ['date', '1900-02-29', false],
    ['date', '2000-02-29', true],
    ['date', '2026-04-31', false],
    ['date', '0000-01-01', false],
    ['date', '2026-13-01', false],
    ['date-time', '2026-01-01T00:00:00Z', true],
    ['date-time', '2026-01-01T23:59:59.123456+05:30', true],
    ['date-time', '2026-01-01T24:00:00Z', false],
    ['date-time', '2026-01-01T23:59:60Z', false],
    ['date-time', '2026-02-30T00:00:00Z', false],
    ['date-time', '2026-01-01T00:00:00', false],
    ['date-time', '2026-01-01', false],
    ['uri', 'https://acme.test/hook?x=1', true],
    ['uri', 'ftp://acme.test', false],
    ['uri', 'https://', false],
    ['uri', 'https://acme.test/a b', false],
    ['uri', 'https:\\\\acme.test', false],
  ])('%s %p: %p', (format, text, valid) => {
    expect(FORMATS[format].test(text)).toBe(valid);
  });
});
