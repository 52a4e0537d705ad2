import { createHash } from 'node:crypto';
import { access, chmod, constants, copyFile, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PlainError } from '../plain-error.mjs';
import { lastLines, run } from '../processes/run.mjs';
import { CACHE_DIR } from '../root.mjs';
import { hasDebianPackages, unpackDebianPackages } from './debian-packages.mjs';

/** The release that is downloaded where there is neither a nats-server nor a Debian package of it. */
export const NATS_RELEASE = '2.11.17';
/** The first version with everything the platform uses (JetStream and key-value as of 2.9). */
export const OLDEST_NATS = [2, 9];
/** The first version that can be told how often to write to disk what it has acknowledged. */
const OLDEST_WITH_SYNC_INTERVAL = [2, 10];

const NATS_CACHE = path.join(CACHE_DIR, 'nats');
const CACHED_PROGRAM = path.join(NATS_CACHE, 'nats-server');

/** @typedef {'path' | 'cache' | 'debian-package' | 'release'} NatsSource */

/**
 * Where a nats-server can come from on a machine, in the order to try.
 * @param {{ onPath: boolean, cached: boolean, apt: boolean, platform: string, arch: string }} machine
 * @returns {NatsSource[]}
 */
export function natsSources({ onPath, cached, apt, platform, arch }) {
  if (onPath) return ['path'];
  if (cached) return ['cache'];
  /** @type {NatsSource[]} */
  const sources = [];
  if (apt) sources.push('debian-package');
  if (releaseAsset(platform, arch)) sources.push('release');
  return sources;
}

/**
 * The file of a release for a machine: `node`'s names of platforms and processors in, the project's out.
 * @param {string} platform
 * @param {string} arch
 * @returns {string | undefined} undefined when there is none
 */
export function releaseAsset(platform, arch) {
  const processor = { x64: 'amd64', arm64: 'arm64' }[arch];
  if (!processor) return undefined;
  if (platform === 'linux') return `nats-server-v${NATS_RELEASE}-linux-${processor}.tar.gz`;
  // Its tar also unpacks zip.
  if (platform === 'darwin') return `nats-server-v${NATS_RELEASE}-darwin-${processor}.zip`;
  return undefined;
}

/**
 * @param {string} printed by `nats-server --version`, such as `nats-server: v2.9.10`
 * @returns {boolean} whether it is new enough
 */
export const isNewEnough = (printed) => isAtLeast(printed, OLDEST_NATS);

/**
 * @param {string} printed by `nats-server --version`
 * @returns {boolean} whether it starts with a `sync_interval` in its configuration
 */
export const knowsSyncInterval = (printed) => isAtLeast(printed, OLDEST_WITH_SYNC_INTERVAL);

/**
 * @param {string} printed
 * @param {readonly number[]} oldest major and minor number
 */
function isAtLeast(printed, oldest) {
  const [, major, minor] = /v?(\d+)\.(\d+)\.\d+/.exec(printed) ?? [];
  if (!major || !minor) return false;
  const [needMajor, needMinor] = /** @type {[number, number]} */ (oldest);
  return Number(major) > needMajor || (Number(major) === needMajor && Number(minor) >= needMinor);
}

/**
 * Finds or fetches a nats-server, without needing root.
 * @returns {Promise<string>} the program to run
 * @throws {PlainError} with what was tried and how to do it by hand
 */
export async function natsProgram() {
  const installed = await run('nats-server', ['--version']);
  const sources = natsSources({
    onPath: installed.code === 0 && isNewEnough(installed.stdout + installed.stderr),
    cached: await isProgram(CACHED_PROGRAM),
    apt: await hasDebianPackages(),
    platform: process.platform,
    arch: process.arch,
  });
  /** @type {string[]} */
  const failures = installed.code === 0 ? [`the installed one is too old: ${installed.stdout.trim()}`] : [];
  for (const source of sources) {
    if (source === 'path') return 'nats-server';
    if (source === 'cache') return CACHED_PROGRAM;
    try {
      await (source === 'debian-package' ? fromDebianPackage() : fromRelease());
      return CACHED_PROGRAM;
    } catch (error) {
      failures.push(`${source}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  throw new PlainError(
    `There is no nats-server (${OLDEST_NATS.join('.')} or newer) on this machine, and fetching one failed.\n` +
      `${failures.map((failure) => `  - ${failure.replaceAll('\n', '\n    ')}`).join('\n')}\n` +
      'By hand: install it so that "nats-server --version" works (Debian and Ubuntu: apt install nats-server; macOS:\n' +
      `brew install nats-server), or put the program at ${CACHED_PROGRAM},\n` +
      'or give the address of a server that runs already as NATS_URL.',
  );
}

/** @param {string} file */
const isProgram = (file) =>
  access(file, constants.X_OK).then(
    () => true,
    () => false,
  );

async function fromDebianPackage() {
  await withWorkFolder(async (folder) => {
    await unpackDebianPackages(['nats-server'], folder);
    await keep(folder, 'nats-server');
  });
}

/** Downloads the archive of the project's release, checks it against the release's own sums, and unpacks it. */
async function fromRelease() {
  const asset = /** @type {string} */ (releaseAsset(process.platform, process.arch));
  const base = `https://github.com/nats-io/nats-server/releases/download/v${NATS_RELEASE}`;
  const [archive, sums] = await Promise.all([download(`${base}/${asset}`), download(`${base}/SHA256SUMS`)]);
  const expected = sums
    .toString('utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+\*?/))
    .find(([, name]) => name === asset)?.[0];
  const actual = createHash('sha256').update(archive).digest('hex');
  if (actual !== expected) throw new Error(`${asset} has the wrong checksum: ${actual}, expected ${expected}`);
  await withWorkFolder(async (folder) => {
    await writeFile(path.join(folder, asset), archive);
    const unpacked = await run('tar', ['-xf', asset], { cwd: folder });
    if (unpacked.code !== 0) throw new Error(`tar -xf ${asset} failed:\n${lastLines(unpacked.stderr, 3)}`);
    await keep(folder, 'nats-server');
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

/** @param {(folder: string) => Promise<void>} work in a folder that is removed afterwards */
async function withWorkFolder(work) {
  await mkdir(NATS_CACHE, { recursive: true });
  const folder = await mkdtemp(path.join(NATS_CACHE, 'unpack-'));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Puts the program from an unpacked archive in its place in the cache, in one step, after checking that it runs.
 * @param {string} folder
 * @param {string} name
 */
async function keep(folder, name) {
  const found = (await readdir(folder, { recursive: true, withFileTypes: true })).find(
    (entry) => entry.isFile() && entry.name === name && !entry.parentPath.includes('doc'),
  );
  if (!found) throw new Error(`the archive holds no ${name}`);
  const ready = path.join(folder, `${name}.ready`);
  await copyFile(path.join(found.parentPath, found.name), ready);
  await chmod(ready, 0o755);
  const version = await run(ready, ['--version']);
  if (version.code !== 0 || !isNewEnough(version.stdout + version.stderr)) {
    throw new Error(
      `the program fetched does not run or is too old: ${version.stdout.trim() || version.stderr.trim()}`,
    );
  }
  await rename(ready, CACHED_PROGRAM);
}
