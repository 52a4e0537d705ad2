import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { SecretBox } from './secret-box.js';

const newBox = () => new SecretBox(randomBytes(32).toString('base64'));

describe('SecretBox', () => {
  it('returns the secret that was sealed', () => {
    const box = newBox();
    expect(box.open(box.seal('whsec_ä', 'subscription/1'), 'subscription/1')).toBe('whsec_ä');
  });

  it('seals the same secret differently each time', () => {
    const box = newBox();
    expect(box.seal('same', 'place').equals(box.seal('same', 'place'))).toBe(false);
  });

  it('does not open a box in another place', () => {
    const box = newBox();
    expect(() => box.open(box.seal('secret', 'subscription/1'), 'subscription/2')).toThrow();
  });

  it('does not open a box with another key', () => {
    expect(() => newBox().open(newBox().seal('secret', 'place'), 'place')).toThrow();
  });

  it('does not open a box of which any byte was changed or removed', () => {
    const box = newBox();
    const sealed = box.seal('secret', 'place');
    for (let index = 0; index < sealed.length; index += 1) {
      const changed = Buffer.from(sealed);
      changed[index] = (changed[index] ?? 0) ^ 1;
      expect(() => box.open(changed, 'place')).toThrow();
      expect(() => box.open(sealed.subarray(0, index), 'place')).toThrow();
    }
  });

  it.each(['', 'short', randomBytes(31).toString('base64')])('rejects the key %j', (key) => {
    expect(() => new SecretBox(key)).toThrow('32 bytes');
  });
});
