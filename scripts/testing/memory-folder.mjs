import { access, chmod, constants, mkdtemp, rm, statfs } from 'node:fs/promises';
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
 * @param {{ at?: string, needed?: { folder: number, memory: number } }} [options] in bytes
 * @returns {Promise<{ path: string, remove: () => Promise<void> } | undefined>} undefined where there is too little room; it goes
 *   with this process in any case
 */
export async function memoryFolder({ at = MEMORY, needed = NEEDED } = {}) {
  if (!(await isWritable(at)) || process.availableMemory() < needed.memory) return;
  const { bavail, bsize } = await statfs(at);
  if (bavail * bsize < needed.folder) return;
  const folder = await mkdtemp(path.join(at, 'crm-tests-'));
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
 * @param {string} folder
 * @returns {Promise<boolean>} false also where there is none
 */
const isWritable = (folder) =>
  access(folder, constants.W_OK).then(
    () => true,
    () => false,
  );
