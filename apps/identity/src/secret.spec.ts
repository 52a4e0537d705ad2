import { describe, expect, it } from '@jest/globals';
import { hashSecret, isSecret, newSecret } from './secret.js';

describe('secrets', () => {
  it('carry 256 bits', () => {
    expect(Buffer.from(newSecret(), 'base64url')).toHaveLength(32);
  });

  it('are verified against their hash', () => {
    const secret = newSecret();
    expect(isSecret(hashSecret(secret), secret)).toBe(true);
    expect(isSecret(hashSecret(secret), `${secret}x`)).toBe(false);
    expect(isSecret(hashSecret(secret), '')).toBe(false);
  });
});
