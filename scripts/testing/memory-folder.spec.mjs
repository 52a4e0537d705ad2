import { readdir } from 'node:fs/promises';
import os from 'node:os';
import { describe, expect, it } from '@jest/globals';
import { folderForTests, runsPrograms } from './memory-folder.mjs';
import { temporaryFolder } from './temporary-folder.mjs';

const at = temporaryFolder();
const NEEDED = { folder: 1, memory: 1 };

describe('where tests write', () => {
  it('is in memory, where programs run', async () => {
    expect(await folderForTests({ at: at(), needed: NEEDED })).toBe(at());
    expect(await runsPrograms(at())).toBe(true);
    expect(await readdir(at())).toEqual([]);
  });

  it.each([
    ['the file system is too small', { needed: { ...NEEDED, folder: Number.MAX_SAFE_INTEGER } }],
    ['memory is short', { needed: { ...NEEDED, memory: Number.MAX_SAFE_INTEGER } }],
    ['programs that tests write would not run', { needed: NEEDED, canRunPrograms: async () => false }],
    ['the system has no such file system', { needed: NEEDED, at: '/absent' }],
  ])('is the folder of the system where %s', async (_case, options) => {
    expect(await folderForTests({ at: at(), ...options })).toBe(os.tmpdir());
  });
});
