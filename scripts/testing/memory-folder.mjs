import { access, constants, rm, statfs, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

const GIB = 2 ** 30;
/** Linux mounts a file system in memory here. Containers often have 64 MB of it, which is not enough. */
const MEMORY = '/dev/shm';
/** A whole run of the tests has held less than 1 GiB at its peak; the rest is for PostgreSQL, the services and the browser. */
const NEEDED = { folder: 3 * GIB, memory: 8 * GIB };

/** Where tests write what they throw away: making a database in memory takes a tenth of the time that it takes on a
 * disk.
 * @param {object} [options] @param {string} [options.at]
 * @param {{ folder: number, memory: number }} [options.needed] in bytes
 * @param {(folder: string) => Promise<boolean>} [options.canRunPrograms]
 * @returns {Promise<string>} a folder in memory, or that of the system where there is too little memory or where the programs that tests write would not run */
export async function folderForTests({ at = MEMORY, needed = NEEDED, canRunPrograms = runsPrograms } = {}) {
  if (!(await isAllowed(at, constants.W_OK)) || process.availableMemory() < needed.memory) return os.tmpdir();
  const { bavail, bsize } = await statfs(at);
  return bavail * bsize >= needed.folder && (await canRunPrograms(at)) ? at : os.tmpdir();
}

/** Containers and hardened systems mount memory with `noexec`, and the system says so of a file that may be run
 * elsewhere. @param {string} folder */
export async function runsPrograms(folder) {
  const program = path.join(folder, `crm-program-${process.pid}`);
  await writeFile(program, '#!/bin/sh\n', { mode: 0o700 });
  const runs = await isAllowed(program, constants.X_OK);
  await rm(program);
  return runs;
}

/** @param {string} place @param {number} mode @returns {Promise<boolean>} false also where there is nothing */
const isAllowed = (place, mode) =>
  access(place, mode).then(
    () => true,
    () => false,
  );
