import { PlatformError } from '@crm/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PasswordPolicy } from './password.service.js';

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
    expect(error).toMatchObject({
      code: 'WEAK_PASSWORD',
      status: 422,
      extra: { errors: [{ pointer: '/newPassword' }] },
    });
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
