import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { hashSecret, isSecret, newSecret, packIds, unpackIds } from './opaque-token.js';

describe('secrets', () => {
  it('carry 256 bits', () => {
    expect(Buffer.from(newSecret(), 'base64url')).toHaveLength(32);
  });

  it('are recognised by their hash', () => {
    const secret = newSecret();
    expect(isSecret(hashSecret(secret), secret)).toBe(true);
    expect(isSecret(hashSecret(secret), `${secret}x`)).toBe(false);
    expect(isSecret(hashSecret(secret), '')).toBe(false);
  });
});

describe('packed ids', () => {
  it('come back as they were', () => {
    const ids = [randomUUID(), randomUUID()];
    expect(unpackIds(packIds(...ids), 2)).toEqual(ids);
  });

  it.each([
    ['', 2],
    ['not base64!', 2],
    [packIds(randomUUID()), 2],
    [`${packIds(randomUUID())}=`, 1],
  ])('does not read %p as %p ids', (text, count) => {
    expect(unpackIds(text, count)).toBeUndefined();
  });
});
