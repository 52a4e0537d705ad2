import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { lastLines, run } from '../processes/run.mjs';
import { CACHE_DIR } from '../root.mjs';

/** @returns {Promise<boolean>} whether this machine has Debian's packages */
export const hasDebianPackages = async () =>
  (await run('apt-get', ['--version'])).code === 0 && (await run('dpkg', ['--version'])).code === 0;

/**
 * Downloads packages with apt-get and unpacks them, without needing root and without installing them. The package lists
 * are our own when the machine has none: the machine's can only be refreshed by root.
 * @param {readonly string[]} names of packages; what they depend on is not fetched
 * @param {string} folder an empty one, for the archives and what is in them
 * @returns {Promise<string>} the folder that stands for `/`
 * @throws {Error} with what apt-get or dpkg said
 */
export async function unpackDebianPackages(names, folder) {
  const download = (/** @type {string[]} */ options) =>
    run('apt-get', ['-q', ...options, 'download', ...names], { cwd: folder });
  let outcome = await download([]);
  if (outcome.code !== 0) {
    const own = path.join(CACHE_DIR, 'apt');
    await mkdir(path.join(own, 'lists', 'partial'), { recursive: true });
    await mkdir(path.join(own, 'cache', 'archives', 'partial'), { recursive: true });
    const options = [
      '-o',
      `Dir::State::lists=${path.join(own, 'lists')}`,
      '-o',
      `Dir::Cache=${path.join(own, 'cache')}`,
    ];
    await run('apt-get', ['-q', ...options, 'update']);
    outcome = await download(options);
  }
  const archives = (await readdir(folder)).filter((name) => name.endsWith('.deb'));
  if (outcome.code !== 0 || archives.length < names.length) {
    throw new Error(`apt-get download ${names.join(' ')} failed:\n${lastLines(outcome.stderr, 3)}`);
  }
  for (const archive of archives) {
    const unpacked = await run('dpkg', ['-x', archive, 'unpacked'], { cwd: folder });
    if (unpacked.code !== 0) throw new Error(`dpkg -x ${archive} failed:\n${lastLines(unpacked.stderr, 3)}`);
  }
  return path.join(folder, 'unpacked');
}
