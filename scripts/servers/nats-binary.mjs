import path from 'node:path';
import { PlainError } from '../plain-error.mjs';
import { run } from '../processes/run.mjs';
import { CACHE_DIR } from '../root.mjs';
import { hasApt } from './debian-packages.mjs';
import { fromDebianPackage, fromRelease, isProgram } from './fetched-program.mjs';

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
    apt: await hasApt(),
    platform: process.platform,
    arch: process.arch,
  });
  /** @type {string[]} */
  const failures = installed.code === 0 ? [`the installed one is too old: ${installed.stdout.trim()}`] : [];
  for (const source of sources) {
    if (source === 'path') return 'nats-server';
    if (source === 'cache') return CACHED_PROGRAM;
    try {
      await (source === 'debian-package' ? fromDebianPackage(PROGRAM) : fromRelease(PROGRAM, release()));
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

/** @type {import('./fetched-program.mjs').FetchedProgram} */
const PROGRAM = { name: 'nats-server', cache: NATS_CACHE, debianPackage: 'nats-server', suits: isNewEnough };

/** @returns {import('./fetched-program.mjs').Release} */
const release = () => ({
  base: `https://github.com/nats-io/nats-server/releases/download/v${NATS_RELEASE}`,
  asset: /** @type {string} */ (releaseAsset(process.platform, process.arch)),
  sums: 'SHA256SUMS',
});
