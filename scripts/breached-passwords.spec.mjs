import { readFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import { breachedPasswordsModule, TARGET } from './breached-passwords.mjs';

it('the list of breached passwords is what its script writes: node scripts/breached-passwords.mjs', async () => {
  // Compared as one value: a difference of 300,000 characters is nothing to print.
  expect((await readFile(TARGET, 'utf8')) === (await breachedPasswordsModule())).toBe(true);
});
