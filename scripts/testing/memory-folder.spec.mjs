import { mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { placeForTests, runsPrograms } from './memory-folder.mjs';

/** @type {string} */
let at;
beforeEach(async () => {
  at = await mkdtemp(path.join(os.tmpdir(), 'crm-memory-'));
});
afterEach(() => rm(at, { recursive: true, force: true }));

const ROOM = { folder: 1, memory: 1 };

describe('where tests write', () => {
  it('is in memory, where programs run', async () => {
    expect(await placeForTests({ at, needed: ROOM })).toBe(at);
    expect(await runsPrograms(at)).toBe(true);
    expect(await readdir(at)).toEqual([]);
  });

  it.each([
    ['the file system is too small', { needed: { ...ROOM, folder: Number.MAX_SAFE_INTEGER } }],
    ['memory is short', { needed: { ...ROOM, memory: Number.MAX_SAFE_INTEGER } }],
    ['programs that tests write would not run', { needed: ROOM, canRunPrograms: async () => false }],
    ['the system has no such file system', { needed: ROOM, at: path.join(os.tmpdir(), 'absent') }],
  ])('is the folder of the system where %s', async (_case, options) => {
    expect(await placeForTests({ at, ...options })).toBe(os.tmpdir());
  });
});
