import { readdir } from 'node:fs/promises';
import os from 'node:os';
import { describe, expect, it } from '@jest/globals';
import { placeForTests, runsPrograms } from './memory-folder.mjs';
import { temporaryFolder } from './temporary-folder.mjs';

const at = temporaryFolder();
const ROOM = { folder: 1, memory: 1 };

describe('where tests write', () => {
  it('is in memory, where programs run', async () => {
    expect(await placeForTests({ at: at(), needed: ROOM })).toBe(at());
    expect(await runsPrograms(at())).toBe(true);
    expect(await readdir(at())).toEqual([]);
  });

  it.each([
    ['the file system is too small', { needed: { ...ROOM, folder: Number.MAX_SAFE_INTEGER } }],
    ['memory is short', { needed: { ...ROOM, memory: Number.MAX_SAFE_INTEGER } }],
    ['programs that tests write would not run', { needed: ROOM, canRunPrograms: async () => false }],
    ['the system has no such file system', { needed: ROOM, at: '/absent' }],
  ])('is the folder of the system where %s', async (_case, options) => {
    expect(await placeForTests({ at: at(), ...options })).toBe(os.tmpdir());
  });
});
