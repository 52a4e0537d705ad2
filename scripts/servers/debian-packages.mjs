import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { PlainError } from '../plain-error.mjs';
import { run, runOrFail } from '../processes/run.mjs';

/** Where packages put libraries, for the processor of this machine. */
export const LIBRARIES = `usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`;

/** @returns {Promise<boolean>} whether the machine has what Debian packages are fetched and unpacked with */
export const hasApt = async () =>
  (await run('apt-get', ['--version'])).code === 0 && (await run('dpkg', ['--version'])).code === 0;

/** Unpacks Debian packages, with those that they need and this machine has not, without root. Does nothing when it is
 * there.
 * @param {string} folder holds a file system afterwards: usr/bin, usr/lib, … @param {readonly string[]} packages
 * @param {{ alone?: boolean, cache?: string, newest?: boolean }} [options] alone: without those that they need. cache: folder that keeps lists of packages, where the machine's own do not do; default: that of the folder. newest: the machine's own lists, which may be old, are not asked
 * @throws {PlainError} when they cannot be fetched */
export async function unpackDebianPackages(
  folder,
  packages,
  { alone = false, cache = path.dirname(folder), newest = false } = {},
) {
  if (existsSync(folder)) return;
  await inWorkFolder(path.dirname(folder), async (work) => {
    const fetchWith = (/** @type {readonly string[]} */ options) => fetchArchives({ options, packages, alone, work });
    // The machine's lists may be missing, or name what the mirror has replaced since; only root may refresh them.
    const fetchNewest = async () => fetchWith(await ownLists(cache));
    const archives = await (newest ? fetchNewest() : fetchWith([]).catch(fetchNewest));
    const unpacked = path.join(work, 'unpacked');
    for (const archive of (await readdir(archives)).filter((name) => name.endsWith('.deb'))) {
      await runOrFail('dpkg', ['-x', path.join(archives, archive), unpacked], { env: inEnglish() });
    }
    await rename(unpacked, folder);
  });
}

/** @param {{ options: readonly string[], packages: readonly string[], alone: boolean, work: string }} order
 * @returns {Promise<string>} the folder that holds them */
async function fetchArchives({ options, packages, alone, work }) {
  const simulation = [...options, '--simulate', '--no-install-recommends', 'install', ...packages];
  const names = alone ? packages : installedBy(await apt(simulation));
  if (names.length === 0)
    throw new PlainError(`Nothing is left to fetch of the Debian packages ${packages.join(', ')}.`);
  const folder = await mkdtemp(path.join(work, 'archives-'));
  await apt([...options, 'download', ...names], folder);
  return folder;
}

/** @param {string} simulated what `apt-get --simulate install` prints
 * @returns {string[]} the packages it would install or replace */
export const installedBy = (simulated) =>
  [...simulated.matchAll(/^Inst (\S+)/gm)].map(([, name]) => /** @type {string} */ (name));

/** @param {string} cache
 * @returns {Promise<string[]>} the options that make apt-get use lists of packages of our own, which are fresh now */
async function ownLists(cache) {
  const [lists, archives] = [path.join(cache, 'apt', 'lists'), path.join(cache, 'apt', 'cache')];
  await mkdir(path.join(lists, 'partial'), { recursive: true });
  await mkdir(path.join(archives, 'archives', 'partial'), { recursive: true });
  const options = ['-o', `Dir::State::lists=${lists}`, '-o', `Dir::Cache=${archives}`];
  await apt([...options, 'update']);
  return options;
}

/** @param {readonly string[]} args @param {string} [cwd] @returns {Promise<string>} what it prints */
const apt = (args, cwd) => runOrFail('apt-get', ['-q', ...args], { cwd, env: inEnglish(), lines: 5 });

const inEnglish = () => ({ ...process.env, LC_ALL: 'C' });

/** @param {string} parent made when it is missing. What is ready is moved to its place in here, in one step
 * @param {(folder: string) => Promise<void>} work in a folder that every user can enter, and that is removed afterwards */
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
