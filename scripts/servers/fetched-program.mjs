import { createHash } from 'node:crypto';
import { access, chmod, constants, copyFile, readdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { run, runOrFail } from '../processes/run.mjs';
import { unpackDebianPackages } from './debian-packages.mjs';
import { inWorkFolder } from './work-folder.mjs';

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

/**
 * Takes the program out of its Debian package; those that the package needs are left where they are.
 * @param {FetchedProgram} program
 */
export async function fromDebianPackage(program) {
  const { cache, debianPackage } = program;
  await inWorkFolder(cache, async (folder) => {
    await unpackDebianPackages(path.join(folder, 'unpacked'), [debianPackage], { alone: true, cache });
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
  await inWorkFolder(program.cache, async (folder) => {
    await writeFile(path.join(folder, asset), archive);
    await runOrFail('tar', ['-xf', asset], { cwd: folder });
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
