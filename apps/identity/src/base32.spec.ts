import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { fromBase32, toBase32 } from './base32.js';

describe('base32', () => {
  it.each([
    ['', ''],
    ['f', 'MY'],
    ['fo', 'MZXQ'],
    ['foo', 'MZXW6'],
    ['foob', 'MZXW6YQ'],
    ['fooba', 'MZXW6YTB'],
    ['foobar', 'MZXW6YTBOI'],
  ])('writes %j as RFC 4648, section 10, does', (text, encoded) => {
    expect(toBase32(Buffer.from(text))).toBe(encoded);
    expect(fromBase32(encoded).toString()).toBe(text);
  });

  it('gives back any bytes', () => {
    for (let length = 0; length < 40; length += 1) {
      const bytes = randomBytes(length);
      expect(fromBase32(toBase32(bytes))).toEqual(bytes);
    }
  });

  it.each(['my', 'M1', 'MY======'])('refuses %j', (text) => {
    expect(() => fromBase32(text)).toThrow('base32');
  });
});
