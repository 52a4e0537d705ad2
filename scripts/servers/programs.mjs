import { createHash } from 'node:crypto';
import { access, chmod, constants, copyFile, readdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PlainError } from '../plain-error.mjs';
import { run, runOrFail } from '../processes/run.mjs';
import { CACHE_DIR } from '../root.mjs';
import { hasApt, inWorkFolder, LIBRARIES, unpackDebianPackages } from './debian-packages.mjs';

/** The release that is downloaded where there is neither a nats-server nor a Debian package of it. */
export const NATS_RELEASE = '2.11.17';
/** Of the long-term support at the time. */
const PROMETHEUS_RELEASE = '2.53.4';
/** The first nats-server that can be told how often to write to disk. */
const SYNC_INTERVAL_SINCE = /** @type {const} */ ([2, 10]);

/** Node's names of processors, and those of releases. @type {Partial<Record<string, string>>} */
const PROCESSORS = { x64: 'amd64', arm64: 'arm64' };

/**
 * @typedef {object} Program
 * @property {string} name of its file, also in archives
 * @property {readonly string[]} installed names that it may have where it is installed
 * @property {readonly [number, number]} oldest version that does; Debian 12 has it
 * @property {string} debianPackage
 * @property {boolean} [hasLibraries] whether it needs libraries that the machine may not have
 * @property {{ base: string, asset: (platform: string, processor: string) => string, sums: string }} [release] of the project, for
 *   machines without Debian packages: folder, file in it, file with the SHA-256 sums
 */

/** @type {Record<'nats' | 'redis' | 'promtool', Program>} */
export const PROGRAMS = {
  // JetStream and key-value as of 2.9.
  nats: {
    name: 'nats-server',
    installed: ['nats-server'],
    oldest: [2, 9],
    debianPackage: 'nats-server',
    release: {
      base: `https://github.com/nats-io/nats-server/releases/download/v${NATS_RELEASE}`,
      // The tar of macOS also unpacks zip.
      asset: (platform, processor) =>
        `nats-server-v${NATS_RELEASE}-${platform}-${processor}.${platform === 'darwin' ? 'zip' : 'tar.gz'}`,
      sums: 'SHA256SUMS',
    },
  },
  // As of 7 scripts may write what they have made of the clock, without asking for it.
  redis: {
    name: 'redis-server',
    installed: ['valkey-server', 'redis-server'],
    oldest: [7, 0],
    debianPackage: 'redis-server',
    hasLibraries: true,
  },
  promtool: {
    name: 'promtool',
    installed: ['promtool'],
    oldest: [2, 42],
    debianPackage: 'prometheus',
    release: {
      base: `https://github.com/prometheus/prometheus/releases/download/v${PROMETHEUS_RELEASE}`,
      asset: (platform, processor) => `prometheus-${PROMETHEUS_RELEASE}.${platform}-${processor}.tar.gz`,
      sums: 'sha256sums.txt',
    },
  },
};

/** @returns {Promise<string>} a nats-server with JetStream */
export const natsProgram = () => find(PROGRAMS.nats);
/** @returns {Promise<string>} a Redis or Valkey server */
export const redisProgram = () => find(PROGRAMS.redis);
/** @returns {Promise<string>} promtool, which checks Prometheus rules and runs their tests */
export const promtoolProgram = () => find(PROGRAMS.promtool);

/** @param {string} printed by `nats-server --version`
 * @returns {boolean} whether it starts with a `sync_interval` in its configuration */
export const knowsSyncInterval = (printed) => isAtLeast(printed, SYNC_INTERVAL_SINCE);

/** @param {string} printed by `--version`, such as `nats-server: v2.9.10` or `Redis server v=7.0.15 sha=…`
 * @param {readonly [number, number]} oldest major and minor number */
export function isAtLeast(printed, [needMajor, needMinor]) {
  const [, major = 0, minor = 0] = (/(?:: v?|v=|version )(\d+)\.(\d+)\.\d+/.exec(printed) ?? []).map(Number);
  return major > needMajor || (major === needMajor && minor >= needMinor);
}

/** Where a program can be fetched from, in the order to try.
 * @param {Program} program @param {{ apt: boolean, platform: string, arch: string }} machine in Node's names */
export function sourcesOf({ debianPackage, release }, { apt, platform, arch }) {
  const processor = PROCESSORS[arch];
  const hasRelease = release && processor && ['linux', 'darwin'].includes(platform);
  return [
    ...(apt ? [{ from: /** @type {const} */ ('Debian package'), asset: debianPackage }] : []),
    ...(hasRelease ? [{ from: /** @type {const} */ ('release'), asset: release.asset(platform, processor) }] : []),
  ];
}

/** Finds or fetches a program, without needing root.
 * @param {Program} program @returns {Promise<string>} what to run
 * @throws {PlainError} with what was tried and how to do it by hand */
async function find(program) {
  const { name, installed, oldest } = program;
  /** @type {string[]} */
  const failures = [];
  for (const candidate of installed) {
    const { code, stdout, stderr } = await run(candidate, ['--version']);
    if (code !== 0) continue;
    if (isAtLeast(stdout + stderr, oldest)) return candidate;
    failures.push(`the installed one is too old: ${stdout.trim()}`);
  }
  const cached = path.join(CACHE_DIR, name, name);
  if (await isExecutable(cached)) return cached;
  const machine = { apt: await hasApt(), platform: process.platform, arch: process.arch };
  for (const { from, asset } of sourcesOf(program, machine)) {
    try {
      await (from === 'Debian package' ? fromDebianPackage(program, cached) : fromRelease(program, asset, cached));
      return cached;
    } catch (error) {
      failures.push(`${from}: ${error instanceof Error ? error.message : error}`.replaceAll('\n', '\n    '));
    }
  }
  throw new PlainError(
    `There is no ${installed.join(' or ')} (${oldest.join('.')} or newer) on this machine, and fetching one failed.\n` +
      `${failures.map((failure) => `  - ${failure}\n`).join('')}` +
      `By hand: install it so that "${name} --version" works (Debian and Ubuntu: apt install ${program.debianPackage}; macOS:\n` +
      `Homebrew), or put the program at ${cached}.`,
  );
}

/** @param {string} file */
const isExecutable = (file) =>
  access(file, constants.X_OK).then(
    () => true,
    () => false,
  );

/** @param {Program} program @param {string} target */
async function fromDebianPackage(program, target) {
  const cache = path.dirname(target);
  if (program.hasLibraries) {
    const unpacked = path.join(cache, 'unpacked');
    await unpackDebianPackages(unpacked, [program.debianPackage]);
    const start = `LD_LIBRARY_PATH='${path.join(unpacked, LIBRARIES)}' exec '${path.join(unpacked, 'usr/bin', program.name)}'`;
    await inWorkFolder(cache, async (folder) => {
      await writeFile(path.join(folder, program.name), `#!/bin/sh\n${start} "$@"\n`);
      await keep(program, folder, target);
    });
    return;
  }
  await inWorkFolder(cache, async (folder) => {
    await unpackDebianPackages(path.join(folder, 'unpacked'), [program.debianPackage], { alone: true, cache });
    await keep(program, folder, target);
  });
}

/** Checks the archive against the release's own sums.
 * @param {Program} program @param {string} asset @param {string} target */
async function fromRelease(program, asset, target) {
  const { base, sums } = /** @type {NonNullable<Program['release']>} */ (program.release);
  const [archive, listed] = await Promise.all([download(`${base}/${asset}`), download(`${base}/${sums}`)]);
  const lines = listed.toString('utf8').split('\n');
  const expected = lines.map((line) => line.trim().split(/\s+\*?/)).find(([, name]) => name === asset)?.[0];
  const actual = createHash('sha256').update(archive).digest('hex');
  if (actual !== expected) throw new Error(`${asset} has the wrong checksum: ${actual}, expected ${expected}`);
  await inWorkFolder(path.dirname(target), async (folder) => {
    await writeFile(path.join(folder, asset), archive);
    await runOrFail('tar', ['-xf', asset], { cwd: folder });
    await keep(program, folder, target);
  });
}

/** @param {string} url */
async function download(url) {
  const response = await fetch(url, { signal: AbortSignal.timeout(120_000) }).catch((error) => {
    throw new Error(`${url}: ${error.cause?.message ?? error.message}`);
  });
  if (!response.ok) throw new Error(`${url}: HTTP ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

/** Puts the program from an unpacked archive in its place in the cache, in one step, after checking that it runs.
 * @param {Program} program @param {string} folder @param {string} target */
async function keep({ name, oldest }, folder, target) {
  const found = (await readdir(folder, { recursive: true, withFileTypes: true })).find(
    (entry) => entry.isFile() && entry.name === name && !entry.parentPath.includes('doc'),
  );
  if (!found) throw new Error(`the archive holds no ${name}`);
  const ready = path.join(folder, `${name}.ready`);
  await copyFile(path.join(found.parentPath, found.name), ready);
  await chmod(ready, 0o755);
  const { code, stdout, stderr } = await run(ready, ['--version']);
  if (code !== 0 || !isAtLeast(stdout + stderr, oldest)) {
    throw new Error(`the program fetched does not run or is too old: ${stdout.trim() || stderr.trim()}`);
  }
  await rename(ready, target);
}
