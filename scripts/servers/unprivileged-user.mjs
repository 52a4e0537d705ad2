import { stat } from 'node:fs/promises';
import path from 'node:path';
import { PlainError } from '../plain-error.mjs';
import { run } from '../processes/run.mjs';

/** @typedef {{ uid: number, gid: number, name: string }} UnixUser */

/** PostgreSQL refuses to run as root: as root it runs as `postgres` or `nobody` (initdb wants a user with a name).
 * @returns {Promise<UnixUser | undefined>} undefined when this process is not root and nothing is needed */
export async function unprivilegedUser() {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
    if (uid.code === 0 && gid.code === 0) return { uid: Number(uid.stdout), gid: Number(gid.stdout), name };
  }
  throw new PlainError(
    'PostgreSQL does not run as root, and this machine has neither a user "postgres" nor a user "nobody".\n' +
      'Create one (useradd --system postgres), or run the command as an ordinary user.',
  );
}

/** Returns whether a user can pass through every folder above a path (the x bit of each).
 * @param {string} target @param {UnixUser} user */
export async function canReach(target, user) {
  for (let folder = path.dirname(target); ; folder = path.dirname(folder)) {
    const { mode, uid, gid } = await stat(folder);
    const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
    if ((mode & bit) === 0) return false;
    if (folder === path.dirname(folder)) return true;
  }
}
