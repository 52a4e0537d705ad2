import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { fromBase32, hashSecret, isSecret, newSecret, packIds, toBase32, unpackIds } from './secrets.js';

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

describe('packed ids', () => {
  it('are unpacked to the same ids', () => {
    const ids = [randomUUID(), randomUUID()];
    expect(unpackIds(packIds(...ids), 2)).toEqual(ids);
  });

  it.each([
    ['', 2],
    ['not base64!', 2],
    [packIds(randomUUID()), 2],
    [`${packIds(randomUUID())}=`, 1],
  ])('rejects %p as %p packed ids', (text, count) => {
    expect(unpackIds(text, count)).toBeUndefined();
  });
});

describe('secrets', () => {
  it('carry 256 bits, and are verified against their hash', () => {
    const secret = newSecret();
    expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
    expect(isSecret(hashSecret(secret), secret)).toBe(true);
    expect(isSecret(hashSecret(secret), `${secret}x`)).toBe(false);
    expect(isSecret(hashSecret(secret), '')).toBe(false);
  });
});
