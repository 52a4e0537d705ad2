import { chown, readdir } from 'node:fs/promises';
import path from 'node:path';

/**
 * Gives a folder and everything in it to a user.
 * @param {string} folder
 * @param {import('../servers/unprivileged-user.mjs').UnixUser} user
 */
export async function chownAll(folder, { uid, gid }) {
  await chown(folder, uid, gid);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    await chown(path.join(entry.parentPath, entry.name), uid, gid);
  }
}
