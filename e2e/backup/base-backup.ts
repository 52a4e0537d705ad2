import { cp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { chownAll, takeBaseBackup } from '../../scripts/servers/base-backup.mjs';
import { unprivilegedUser } from '../../scripts/servers/unprivileged-user.mjs';

/**
 * Backs up a running server that archives its log.
 * @param url of a superuser
 * @param target a folder that does not exist
 */
export async function backUp(url: string, target: string): Promise<void> {
  const session = new pg.Client({ connectionString: url });
  await session.connect();
  try {
    await takeBaseBackup(session, target, { awaitsArchive: true });
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
