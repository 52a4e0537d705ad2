import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';

/**
 * @param {string} parent made when it is missing. What is ready is moved to its place in here, in one step
 * @param {(folder: string) => Promise<void>} work in a folder that every user can enter, and that is removed afterwards
 */
export async function inWorkFolder(parent, work) {
  await mkdir(parent, { recursive: true });
  const folder = await mkdtemp(path.join(parent, 'work-'));
  try {
    await chmod(folder, 0o755);
    await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
