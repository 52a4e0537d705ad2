import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { seal, unseal } from './sealed.js';

describe('sealed text', () => {
  const key = randomBytes(32);

  it('opens with the key and the context it was sealed with', () => {
    expect(unseal(key, seal(key, 'a private key', 'api-1'), 'api-1')).toBe('a private key');
  });

  it('differs each time', () => {
    expect(seal(key, 'x', 'api-1').equals(seal(key, 'x', 'api-1'))).toBe(false);
  });

  it('does not open in another row, with another key or after a change', () => {
    const sealed = seal(key, 'a private key', 'api-1');
    expect(() => unseal(key, sealed, 'api-2')).toThrow();
    expect(() => unseal(randomBytes(32), sealed, 'api-1')).toThrow();
    const changed = Buffer.from(sealed);
    changed.writeUInt8(changed.readUInt8(changed.length - 1) ^ 1, changed.length - 1);
    expect(() => unseal(key, changed, 'api-1')).toThrow();
  });
});
