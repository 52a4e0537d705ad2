import { createHash } from 'node:crypto';
import { access, chmod, constants, copyFile, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { lastLines, run } from '../processes/run.mjs';

/**
 * A program that is fetched into the cache, without needing root.
 * @typedef {object} FetchedProgram
 * @property {string} name of the program's file, also in the archives
 * @property {string} cache folder that it is kept in
 * @property {string} debianPackage
 * @property {(printed: string) => boolean} suits whether what `--version` prints is new enough
 */

/**
 * An archive of the project's own release.
 * @typedef {object} Release
 * @property {string} base address of the folder
 * @property {string} asset file with the program
 * @property {string} sums file with the SHA-256 sums of all assets
 */

/**
 * @param {string} file
 * @returns {Promise<boolean>}
 */
export const isProgram = (file) =>
  access(file, constants.X_OK).then(
    () => true,
    () => false,
  );

/** @returns {Promise<boolean>} whether the machine has what a Debian package is fetched and unpacked with */
export const hasApt = async () =>
  (await run('apt-get', ['--version'])).code === 0 && (await run('dpkg', ['--version'])).code === 0;

/**
 * Downloads the package with apt-get and unpacks it. The package lists are our own when the machine has none: the
 * machine's can only be refreshed by root.
 * @param {FetchedProgram} program
 */
export async function fromDebianPackage(program) {
  const { cache, debianPackage } = program;
  await withWorkFolder(cache, async (folder) => {
    const fetchPackage = (/** @type {string[]} */ options) =>
      run('apt-get', ['-q', ...options, 'download', debianPackage], { cwd: folder });
    let outcome = await fetchPackage([]);
    if (outcome.code !== 0) {
      const lists = path.join(cache, 'lists');
      await mkdir(path.join(lists, 'partial'), { recursive: true });
      const options = ['-o', `Dir::State::lists=${lists}`, '-o', `Dir::Cache=${path.join(cache, 'apt')}`];
      await mkdir(path.join(cache, 'apt', 'archives', 'partial'), { recursive: true });
      await run('apt-get', ['-q', ...options, 'update']);
      outcome = await fetchPackage(options);
    }
    const archive = (await readdir(folder)).find((name) => name.endsWith('.deb'));
    if (outcome.code !== 0 || !archive) {
      throw new Error(`apt-get download ${debianPackage} failed:\n${lastLines(outcome.stderr, 3)}`);
    }
    const unpacked = await run('dpkg', ['-x', archive, 'unpacked'], { cwd: folder });
    if (unpacked.code !== 0) throw new Error(`dpkg -x ${archive} failed:\n${lastLines(unpacked.stderr, 3)}`);
    await keep(program, folder);
  });
}

/**
 * Downloads the archive of the project's release, checks it against the release's own sums, and unpacks it.
 * @param {FetchedProgram} program
 * @param {Release} release
 */
export async function fromRelease(program, { base, asset, sums }) {
  const [archive, listed] = await Promise.all([download(`${base}/${asset}`), download(`${base}/${sums}`)]);
  const expected = listed
    .toString('utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+\*?/))
    .find(([, name]) => name === asset)?.[0];
  const actual = createHash('sha256').update(archive).digest('hex');
  if (actual !== expected) throw new Error(`${asset} has the wrong checksum: ${actual}, expected ${expected}`);
  await withWorkFolder(program.cache, async (folder) => {
    await writeFile(path.join(folder, asset), archive);
    const unpacked = await run('tar', ['-xf', asset], { cwd: folder });
    if (unpacked.code !== 0) throw new Error(`tar -xf ${asset} failed:\n${lastLines(unpacked.stderr, 3)}`);
    await keep(program, folder);
  });
}

/**
 * @param {string} url
 * @returns {Promise<Buffer>}
 */
async function download(url) {
  const response = await fetch(url, { signal: AbortSignal.timeout(120_000) }).catch((error) => {
    throw new Error(`${url}: ${error.cause?.message ?? error.message}`);
  });
  if (!response.ok) throw new Error(`${url}: HTTP ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

/**
 * @param {string} cache
 * @param {(folder: string) => Promise<void>} work in a folder that is removed afterwards
 */
async function withWorkFolder(cache, work) {
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(path.join(cache, 'unpack-'));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Puts the program from an unpacked archive in its place in the cache, in one step, after checking that it runs.
 * @param {FetchedProgram} program
 * @param {string} folder
 */
async function keep({ name, cache, suits }, folder) {
  const found = (await readdir(folder, { recursive: true, withFileTypes: true })).find(
    (entry) => entry.isFile() && entry.name === name && !entry.parentPath.includes('doc'),
  );
  if (!found) throw new Error(`the archive holds no ${name}`);
  const ready = path.join(folder, `${name}.ready`);
  await copyFile(path.join(found.parentPath, found.name), ready);
  await chmod(ready, 0o755);
  const version = await run(ready, ['--version']);
  if (version.code !== 0 || !suits(version.stdout + version.stderr)) {
    throw new Error(
      `the program fetched does not run or is too old: ${version.stdout.trim() || version.stderr.trim()}`,
    );
  }
  await rename(ready, path.join(cache, name));
}
