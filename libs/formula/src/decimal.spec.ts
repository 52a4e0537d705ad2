import { describe, expect, it } from '@jest/globals';
import { decimalText } from './values.js';

describe('the decimals of very large and very small numbers', () => {
  it.each([
    [1.23456789012345e-8, '0.0000000123456789012345'],
    [1.23456789012347e-9, '0.00000000123456789012347'],
    [3e-8, '0.00000003'],
    [1.23456789012345e39, '1234567890123450000000000000000000000000'],
    [-1.23456789012347e-12, '-0.00000000000123456789012347'],
  ])('%d keeps its last digit, odd or even', (value, text) => {
    expect(decimalText(value)).toBe(text);
  });
});
