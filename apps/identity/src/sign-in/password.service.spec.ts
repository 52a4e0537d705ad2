import { describe, expect, it } from '@jest/globals';
import { hash } from '@node-rs/argon2';
import { PasswordService } from './password.service.js';

describe('passwords', () => {
  const passwords = new PasswordService();

  it('match in any Unicode form, and no other password does', async () => {
    const stored = await passwords.hash('pass-jose\u0301-phrase');
    expect(await passwords.matches(stored, 'pass-jos\u00e9-phrase')).toBe(true);
    expect(await passwords.matches(stored, 'pass-jose-phrase')).toBe(false);
  });

  it('never match an account without a password', async () => {
    expect(await passwords.matches(null, 'correct-horse-battery-staple')).toBe(false);
    expect(await passwords.matches(undefined, '')).toBe(false);
  });
});

describe('a hash with other parameters than those of today', () => {
  const passwords = new PasswordService();
  const PASSWORD = 'correct-horse-battery-staple';

  it('still matches, and is made anew', async () => {
    for (const parameters of [{ memoryCost: 8192 }, { timeCost: 3 }, { parallelism: 2 }, { algorithm: 1 }]) {
      const old = await hash(PASSWORD, { memoryCost: 19_456, timeCost: 2, parallelism: 1, ...parameters });
      expect(await passwords.matches(old, PASSWORD)).toBe(true);
      const renewed = await passwords.rehash(old, PASSWORD);
      expect(renewed).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
      expect(await passwords.matches(renewed, PASSWORD)).toBe(true);
    }
  });

  it('is left alone when the parameters are those of today', async () => {
    expect(await passwords.rehash(await passwords.hash(PASSWORD), PASSWORD)).toBeUndefined();
  });
});
