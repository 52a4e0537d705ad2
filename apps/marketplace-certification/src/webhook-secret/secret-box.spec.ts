import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { SecretBox } from './secret-box.js';

const key = () => randomBytes(32).toString('base64');

describe('a secret box', () => {
  it('opens what it sealed, and seals differently each time', () => {
    const box = new SecretBox(key());
    const sealed = box.seal('whsec_ä', 'app');
    expect(box.open(sealed, 'app')).toBe('whsec_ä');
    expect(box.seal('whsec_ä', 'app').equals(sealed)).toBe(false);
    expect(sealed.includes('whsec_')).toBe(false);
  });

  it('does not open under another name, with another key, or after a change', () => {
    const box = new SecretBox(key());
    const sealed = box.seal('secret', 'app');
    expect(() => box.open(sealed, 'other')).toThrow();
    expect(() => new SecretBox(key()).open(sealed, 'app')).toThrow();
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] as number) ^ 1;
      expect(() => box.open(changed, 'app')).toThrow();
    }
  });

  it('refuses a key of another length', () => {
    expect(() => new SecretBox(randomBytes(16).toString('base64'))).toThrow('32 bytes');
  });
});
