import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../demo/client.mjs';
import { inRoot } from '../root.mjs';
import { memoryFolder, runsPrograms } from './memory-folder.mjs';

/** @type {string} */
let at;
beforeEach(async () => {
  at = await mkdtemp(path.join(os.tmpdir(), 'crm-memory-'));
});
afterEach(() => rm(at, { recursive: true, force: true }));

const ROOM = { folder: 1, memory: 1 };

describe('the folder in memory', () => {
  it('lets others through and not in, and goes with what is in it', async () => {
    const folder = await memoryFolder({ at, needed: ROOM });
    expect((await stat(folder?.path ?? '')).mode & 0o777).toBe(0o711);
    await writeFile(path.join(folder?.path ?? '', 'file'), '');
    await folder?.remove();
    expect(await readdir(at)).toEqual([]);
  });

  it.each([
    ['the file system is too small', { ...ROOM, folder: Number.MAX_SAFE_INTEGER }],
    ['memory is short', { ...ROOM, memory: Number.MAX_SAFE_INTEGER }],
  ])('is not made where %s', async (_case, needed) => {
    expect(await memoryFolder({ at, needed })).toBeUndefined();
    expect(await readdir(at)).toEqual([]);
  });

  it('is not made where programs that tests write would not run', async () => {
    const canRunPrograms = async () => false;
    expect(await memoryFolder({ at, needed: ROOM, canRunPrograms })).toBeUndefined();
    expect(await readdir(at)).toEqual([]);
  });

  it('is looked at for that with a program, of which nothing stays', async () => {
    expect(await runsPrograms(at)).toBe(true);
    expect(await readdir(at)).toEqual([]);
  });

  it('is not made where the system has no such file system', async () => {
    expect(await memoryFolder({ at: path.join(at, 'absent'), needed: ROOM })).toBeUndefined();
  });

  it('goes with a process that is killed', async () => {
    const module = JSON.stringify(inRoot('scripts', 'testing', 'memory-folder.mjs'));
    const options = JSON.stringify({ at, needed: ROOM });
    const script = `const { memoryFolder } = await import(${module}); await memoryFolder(${options}); setInterval(() => {}, 1e6);`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: 'ignore' });
    await eventually(async () => (await readdir(at)).length === 1 || undefined, 'the folder');
    child.kill('SIGKILL');
    await eventually(async () => (await readdir(at)).length === 0 || undefined, 'the folder to be gone');
  });
});
