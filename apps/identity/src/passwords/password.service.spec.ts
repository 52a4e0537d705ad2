import { PlatformError } from '@crm/contracts';
import { describe, expect, it } from '@jest/globals';
import { hash } from '@node-rs/argon2';
import fc from 'fast-check';
import { HashPool } from './hash-pool.js';
import { PasswordService } from './password.service.js';
import { PasswordPolicy } from './password-policy.js';

const passwords = new PasswordService();

describe('passwords', () => {
  it('match in any Unicode form, and no other password does', async () => {
    const stored = await passwords.hash('pass-jose\u0301-phrase');
    expect(await passwords.matches(stored, 'pass-jos\u00e9-phrase')).toBe(true);
    expect(await passwords.matches(stored, 'pass-jose-phrase')).toBe(false);
  });

  it('wait in one queue for all addresses of an IPv6 /64, and in one for each IPv4 address', async () => {
    const sources: string[] = [];
    class NotedPool extends HashPool {
      override run<T>(source: string, work: () => Promise<T>): Promise<T> {
        sources.push(source);
        return super.run(source, work);
      }
    }
    const noted = new PasswordService(new NotedPool());
    const stored = await noted.hash('correct-horse-battery-staple', '2001:db8:1:2::3');
    const addresses = ['2001:db8:1:2:ffff::4', '2001:db8:1:3::3', '192.0.2.1', '192.0.2.2'];
    for (const address of addresses) await noted.matches(stored, 'another', address);
    expect(sources).toEqual([...Array(2).fill('2001:db8:1:2'), '2001:db8:1:3', '192.0.2.1', '192.0.2.2']);
  });

  it('never match an account without a password', async () => {
    expect(await passwords.matches(null, 'correct-horse-battery-staple')).toBe(false);
    expect(await passwords.matches(undefined, '')).toBe(false);
  });
});

describe('a hash with other parameters than those of today', () => {
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

const OWNER = { email: 'grace.hopper@globex.test', name: 'Grace Hopper', workspace: 'Globex Rocket Works' };
const policy = new PasswordPolicy();
const reason = (password: string) =>
  policy.assertAcceptable(password, OWNER).then(
    () => undefined,
    (error: unknown) => (error instanceof PlatformError ? error.extra.errors?.[0]?.code : Promise.reject(error)),
  );

describe('the password policy', () => {
  it.each([
    'correct-horse-battery-staple',
    'another-good-password',
    'xK9#mQ2$vL7p',
    'Gardenchair17',
    'der zug fährt um acht',
    '天気がいいから散歩しましょう',
    'grace at the old harbour wall',
  ])('accepts %s', async (password) => {
    expect(await reason(password)).toBeUndefined();
  });

  it.each(['mychemicalromance', 'rumpelstiltzkin', 'MyChemicalRomance', 'q1w2e3r4t5y6u7i8', '3RjQdxCNMRC568'])(
    'refuses %s, which is known from breaches, in whatever case',
    async (password) => {
      expect(await reason(password)).toBe('COMMON_PASSWORD');
    },
  );

  it.each([
    ...'password1234 Password2024! P@ssw0rdP@ssw0rd qwertyuiop12 1qaz2wsx3edc 123456789012 iloveyou2024'.split(' '),
    ...'letmeinplease abcdefghijkl aaaaaaaaaaaaaaaa dragonmaster'.split(' '),
    'password'.repeat(6),
  ])('refuses %s, which is known or follows a pattern', async (password) => {
    expect(await reason(password)).toBe('COMMON_PASSWORD');
  });

  it.each([
    'grace.hopper@globex.test',
    'GraceHopper2026',
    'globex-grace-1906',
    'Globex Rocket Works!',
    'Gr\u00e2ceHopper99',
    'hopper-hopper-hopper',
    'gr4ceh0pper1',
  ])('refuses %s, which is made of what is known of its owner', async (password) => {
    expect(await reason(password)).toBe('OWN_DATA_PASSWORD');
  });

  it('names the member of the body, and never the password', async () => {
    const error = await policy.assertAcceptable('password1234', OWNER, '/newPassword').catch((thrown) => thrown);
    const extra = { errors: [{ pointer: '/newPassword' }] };
    expect(error).toMatchObject({ code: 'WEAK_PASSWORD', status: 422, extra });
    expect(JSON.stringify([error.message, error.extra])).not.toContain('password1234');
  });

  it('accepts every password that a generator makes', async () => {
    const character = fc.constantFrom(...'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghjkmnpqrstuvwxyz23456789');
    const generated = fc.string({ unit: character, minLength: 16, maxLength: 24 });
    await fc.assert(
      fc.asyncProperty(generated, async (password) => {
        fc.pre(new Set(password).size > 9);
        expect(await reason(password)).toBeUndefined();
      }),
      { numRuns: 50 },
    );
  });

  it('decides on any text that a body may carry', async () => {
    const text = fc.string({ unit: 'grapheme', minLength: 12, maxLength: 256 });
    await fc.assert(
      fc.asyncProperty(text, async (password) => {
        await reason(password);
      }),
      { numRuns: 50 },
    );
  });
});
