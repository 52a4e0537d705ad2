import { describe, expect, it } from '@jest/globals';
import { numberInput, parseNumber } from './number-input.js';

describe('a number as it is typed', () => {
  it.each([
    ['en', '1234', 1234],
    ['en', '1,234.5', 1234.5],
    ['en', '1.234', 1.234],
    ['en', ' -.5 ', -0.5],
    ['de', '1.234', 1234],
    ['de', '1.234,50', 1234.5],
    ['de', '-1.234.567,8', -1_234_567.8],
    ['de', '1234,5', 1234.5],
    ['fr', '1 234,5', 1234.5],
    ['de-CH', "1'234.5", 1234.5],
    ['sv', '\u22123', -3],
    ['en', '123456789012345', 123_456_789_012_345],
  ])('in %s, %j is %d', (tag, text, value) => {
    expect(parseNumber(text, tag)).toBe(value);
  });

  it.each([
    ['de', '1234.5'],
    ['de', '1.5'],
    ['de', '1.234.5'],
    ['de', '1,234,5'],
    ['en', '1,5'],
    ['en', '12,34'],
    ['en', '0x10'],
    ['en', '1e5'],
    ['en', 'Infinity'],
    ['en', '.'],
    ['en', ''],
    ['en', '1234567890123456'],
    ['en', '0.1234567890123456'],
  ])('in %s, %j is none', (tag, text) => {
    expect(parseNumber(text, tag)).toBeNaN();
  });

  it.each(['en', 'de', 'de-CH', 'fr', 'es', 'pl', 'sv', 'he', 'ar', 'hi'])('stays what it is in %s', (tag) => {
    for (const value of [0, -3, 1234.5, 0.000001, 999_999_999_999_999, 0.1]) {
      expect(parseNumber(numberInput(value, tag), tag)).toBe(value);
    }
    expect(numberInput(1234.5, tag)).toMatch(/^1234[.,]5$/);
  });
});
