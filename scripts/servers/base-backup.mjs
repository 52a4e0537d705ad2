import { chown, copyFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** What does not belong into a base backup: PostgreSQL's manual, "Making a Base Backup Using the Low Level API".
 * Folders stay, empty. */
const EMPTIED = /^pg_(dynshmem|notify|replslot|serial|snapshots|stat_tmp|subtrans|wal)$/;
const LEFT_OUT = /^(postmaster\.(pid|opts)|pg_internal\.init|pgsql_tmp.*|backup_label(\.old)?|tablespace_map(\.old)?)$/;
/** Anyone who starts the copy begins the recovery where the label says, so this is copied when everything else is. */
const CONTROL = path.join('global', 'pg_control');

/** Takes a base backup as pg_basebackup would, by SQL and copies of files, an interface that PostgreSQL documents.
 * @param {import('pg').Client} session of a superuser; the backup would end with it
 * @param {string} target a folder that does not exist
 * @param {{ awaitsArchive: boolean }} options whether to wait until the log that the copy needs is archived */
export async function takeBaseBackup(session, target, { awaitsArchive }) {
  const { rows: settings } = await session.query(
    `SELECT current_setting('data_directory') AS folder FROM pg_backup_start('copy', fast => true)`,
  );
  await copyFolder(settings[0].folder, target, '');
  await copyFile(path.join(settings[0].folder, CONTROL), path.join(target, CONTROL));
  const { rows } = await session.query('SELECT labelfile, spcmapfile FROM pg_backup_stop(wait_for_archive => $1)', [
    awaitsArchive,
  ]);
  await writeFile(path.join(target, 'backup_label'), rows[0].labelfile);
  // Each link is a folder elsewhere, which nothing here has copied.
  if (rows[0].spcmapfile) throw new Error(`There are tablespaces: ${rows[0].spcmapfile}`);
}

/** Gives a folder and everything in it to a user.
 * @param {string} folder @param {import('./unprivileged-user.mjs').UnixUser} user */
export async function chownAll(folder, { uid, gid }) {
  const entries = await readdir(folder, { recursive: true });
  for (const entry of ['', ...entries]) await chown(path.join(folder, entry), uid, gid);
}

/** @param {string} source @param {string} target @param {string} inside from both */
async function copyFolder(source, target, inside) {
  // PostgreSQL starts on a folder only when nobody else can read it.
  await mkdir(path.join(target, inside), { recursive: true, mode: 0o700 });
  if (EMPTIED.test(inside)) return;
  for (const entry of await readdir(path.join(source, inside), { withFileTypes: true })) {
    const name = path.join(inside, entry.name);
    if (LEFT_OUT.test(entry.name) || name === CONTROL) continue;
    if (entry.isDirectory()) await copyFolder(source, target, name);
    else if (entry.isFile()) {
      await copyFile(path.join(source, name), path.join(target, name)).catch((error) => {
        // A table that was dropped since the folder was read; the log drops it in the copy, too.
        if (error.code !== 'ENOENT') throw error;
      });
    }
  }
}
