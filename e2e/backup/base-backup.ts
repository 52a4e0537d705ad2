import { chown, copyFile, cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { type UnixUser, unprivilegedUser } from '../../scripts/servers/unprivileged-user.mjs';

/**
 * What does not belong into a base backup: PostgreSQL's manual, "Making a Base Backup Using the Low Level API". Folders stay,
 * empty.
 */
const EMPTIED = [
  'pg_dynshmem',
  'pg_notify',
  'pg_replslot',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
  'pg_wal',
];
const LEFT_OUT = /^(postmaster\.(pid|opts)|pg_internal\.init|pgsql_tmp.*|backup_label(\.old)?|tablespace_map(\.old)?)$/;
/** Whoever starts the copy begins the recovery where the label says, so this is copied when everything else is. */
const CONTROL = path.join('global', 'pg_control');

/**
 * Takes a base backup of a running server as pg_basebackup would, whose place here is taken by SQL and copies of files. Both
 * are the interface that PostgreSQL documents; what is written meanwhile is in the log, which must be archived.
 * @param url of a superuser
 * @param target a folder that does not exist
 */
export async function takeBaseBackup(url: string, target: string): Promise<void> {
  const session = new pg.Client({ connectionString: url });
  await session.connect();
  try {
    // One session for both: the backup would end with it.
    const { rows: settings } = await session.query<{ folder: string }>(
      `SELECT current_setting('data_directory') AS folder FROM pg_backup_start('rehearsal', fast => true)`,
    );
    const folder = settings[0]?.folder ?? '';
    await copyData(folder, target);
    // Waits until the log that the copy needs is archived.
    const { rows } = await session.query<{ labelfile: string; spcmapfile: string }>(
      'SELECT labelfile, spcmapfile FROM pg_backup_stop(wait_for_archive => true)',
    );
    await writeFile(path.join(target, 'backup_label'), rows[0]?.labelfile ?? '');
    // Each link is a folder elsewhere, which nothing here has copied.
    if (rows[0]?.spcmapfile) throw new Error(`There are tablespaces: ${rows[0].spcmapfile}`);
  } finally {
    await session.end();
  }
}

/**
 * Puts a base backup where a server can be started on it; the server then fetches the log by its `restore_command`.
 * @param dataDir a folder that does not exist
 */
export async function restoreBaseBackup(backup: string, dataDir: string): Promise<void> {
  await cp(backup, dataDir, { recursive: true });
  await writeFile(path.join(dataDir, 'recovery.signal'), '');
  const user = await unprivilegedUser();
  if (user) await chownAll(dataDir, user);
}

async function copyData(source: string, target: string): Promise<void> {
  await copyFolder(source, target, '');
  await copyFile(path.join(source, CONTROL), path.join(target, CONTROL));
}

async function copyFolder(source: string, target: string, inside: string): Promise<void> {
  // PostgreSQL starts on a folder only when nobody else can read it.
  await mkdir(path.join(target, inside), { recursive: true, mode: 0o700 });
  if (EMPTIED.includes(inside)) return;
  for (const entry of await readdir(path.join(source, inside), { withFileTypes: true })) {
    const name = path.join(inside, entry.name);
    if (entry.isDirectory() && !LEFT_OUT.test(entry.name)) await copyFolder(source, target, name);
    else if (entry.isFile() && !LEFT_OUT.test(entry.name) && name !== CONTROL) await copyOne(source, target, name);
  }
}

async function copyOne(source: string, target: string, name: string): Promise<void> {
  try {
    await copyFile(path.join(source, name), path.join(target, name));
  } catch (error) {
    // A table that was dropped since the folder was read; the log drops it in the copy, too.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

async function chownAll(folder: string, user: UnixUser): Promise<void> {
  const entries = await readdir(folder, { recursive: true });
  for (const entry of ['', ...entries]) await chown(path.join(folder, entry), user.uid, user.gid);
}
