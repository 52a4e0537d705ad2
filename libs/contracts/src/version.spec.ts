import { readFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import { PLATFORM_VERSION } from './version.js';

it('the version of the platform is that of the package', async () => {
  const text = await readFile(new URL('../../../package.json', import.meta.url), 'utf8');
  expect(PLATFORM_VERSION).toBe(JSON.parse(text).version);
});
