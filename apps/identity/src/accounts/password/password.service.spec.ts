import { describe, expect, it } from '@jest/globals';
import { PasswordService } from './password.service.js';

describe('passwords', () => {
  const passwords = new PasswordService();

  it('are hashed by Argon2id with the documented parameters', async () => {
    expect(await passwords.hash('correct-horse-battery-staple')).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

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
