import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { PlainError } from '../plain-error.mjs';
import { lastLines, run } from '../processes/run.mjs';

/**
 * Unpacks Debian packages, with those that they need and this machine has not, into a folder of ours. Nothing is installed.
 * @param {string} folder holds a file system afterwards: usr/bin, usr/lib, …
 * @param {readonly string[]} packages
 * @throws {PlainError} when they cannot be fetched
 */
export async function unpackDebianPackages(folder, packages) {
  if (existsSync(folder)) return;
  const parent = path.dirname(folder);
  await mkdir(parent, { recursive: true });
  const work = await mkdtemp(path.join(parent, 'unpack-'));
  try {
    const options = await packageLists(parent, packages);
    const names = installedBy(await apt([...options, '--simulate', '--no-install-recommends', 'install', ...packages]));
    if (names.length === 0)
      throw new PlainError(`Nothing is left to fetch of the Debian packages ${packages.join(', ')}.`);
    await apt([...options, 'download', ...names], work);
    const unpacked = path.join(work, 'unpacked');
    for (const archive of (await readdir(work)).filter((name) => name.endsWith('.deb'))) {
      const outcome = await run('dpkg', ['-x', path.join(work, archive), unpacked]);
      if (outcome.code !== 0) throw new PlainError(`dpkg -x ${archive} failed:\n${lastLines(outcome.stderr, 3)}`);
    }
    await rename(unpacked, folder);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/**
 * @param {string} simulated what `apt-get --simulate install` prints
 * @returns {string[]} the packages it would install or replace
 */
export const installedBy = (simulated) =>
  [...simulated.matchAll(/^Inst (\S+)/gm)].map(([, name]) => /** @type {string} */ (name));

/**
 * The options that make apt-get find the packages: none when this machine has lists of packages, else lists of our own,
 * because the machine's may only be refreshed by its owner.
 * @param {string} parent
 * @param {readonly string[]} packages
 * @returns {Promise<string[]>}
 */
async function packageLists(parent, packages) {
  const known = await run('apt-cache', ['show', ...packages]);
  if (known.code === 0 && known.stdout !== '') return [];
  const [lists, cache] = [path.join(parent, 'apt-lists'), path.join(parent, 'apt-cache')];
  await mkdir(path.join(lists, 'partial'), { recursive: true });
  await mkdir(path.join(cache, 'archives', 'partial'), { recursive: true });
  const options = ['-o', `Dir::State::lists=${lists}`, '-o', `Dir::Cache=${cache}`];
  await apt([...options, 'update']);
  return options;
}

/**
 * @param {readonly string[]} args
 * @param {string} [cwd]
 * @returns {Promise<string>} what it prints
 */
async function apt(args, cwd) {
  const outcome = await run('apt-get', ['-q', ...args], { cwd, env: { ...process.env, LC_ALL: 'C' } });
  if (outcome.code === 0) return outcome.stdout;
  throw new PlainError(`apt-get ${args.join(' ')} failed:\n${lastLines(outcome.stderr, 5)}`);
}
