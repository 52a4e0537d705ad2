import { access, chmod, constants, mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Guard } from '../processes/guard.mjs';

const GIB = 2 ** 30;
/** Linux mounts a file system in memory here. Containers often have 64 MB of it, which is not enough. */
const MEMORY = '/dev/shm';
/** A whole run of the tests has held less than 1 GiB at its peak; the rest is for PostgreSQL, the services and the browser. */
const NEEDED = { folder: 3 * GIB, memory: 8 * GIB };

/**
 * A folder in memory for what tests write and throw away: databases, streams, profiles of browsers. Making the hundreds of
 * files of a database there takes a tenth of the time that it takes on a disk.
 * @param {object} [options]
 * @param {string} [options.at]
 * @param {{ folder: number, memory: number }} [options.needed] in bytes
 * @param {(folder: string) => Promise<boolean>} [options.canRunPrograms]
 * @returns {Promise<{ path: string, remove: () => Promise<void> } | undefined>} undefined where there is too little room, or where
 *   the programs that tests write would not run; it goes with this process in any case
 */
export async function memoryFolder({ at = MEMORY, needed = NEEDED, canRunPrograms = runsPrograms } = {}) {
  if (!(await isAllowed(at, constants.W_OK)) || process.availableMemory() < needed.memory) return;
  const { bavail, bsize } = await statfs(at);
  if (bavail * bsize < needed.folder) return;
  const folder = await mkdtemp(path.join(at, 'crm-tests-'));
  if (!(await canRunPrograms(folder))) {
    await rm(folder, { recursive: true });
    return;
  }
  // PostgreSQL's user must get through; what is inside is closed to others.
  await chmod(folder, 0o711);
  const guard = new Guard({ throwawayFolder: folder });
  return {
    path: folder,
    remove: async () => {
      await rm(folder, { recursive: true, force: true });
      guard.dismiss();
    },
  };
}

/**
 * Containers and hardened systems mount memory with `noexec`, and the system says so of a file that may be run elsewhere.
 * @param {string} folder
 */
export async function runsPrograms(folder) {
  const program = path.join(folder, 'program');
  await writeFile(program, '#!/bin/sh\n', { mode: 0o700 });
  const runs = await isAllowed(program, constants.X_OK);
  await rm(program);
  return runs;
}

/**
 * @param {string} place
 * @param {number} mode
 * @returns {Promise<boolean>} false also where there is nothing
 */
const isAllowed = (place, mode) =>
  access(place, mode).then(
    () => true,
    () => false,
  );
