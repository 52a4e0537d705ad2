// Installs and builds the packages of the workspace.
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { PlainError } from '../plain-error.mjs';
import { lastLines, run } from '../processes/run.mjs';
import { CACHE_DIR, inRoot, ROOT } from '../root.mjs';
import { pnpmProgram, withoutNpmVariables } from './pnpm.mjs';

/** Inside node_modules, so that deleting that folder also forgets the installation. */
const INSTALLED = inRoot('node_modules', '.installed');

/** Installs the packages of the lockfile, unless node_modules already holds them.
 * @param {{ toRun?: boolean }} [options] toRun: those alone that building and running the platform takes (`dependencies`), half of all; default: also those of tests and checks
 * @throws {PlainError} when pnpm fails */
export async function installPackages({ toRun = false } = {}) {
  const all = await installFingerprint();
  const wanted = toRun ? `${all} to run` : all;
  const present = await readFile(INSTALLED, 'utf8').catch(() => '');
  if (present === wanted || present === all) return 'up to date';

  const pnpm = await pnpmProgram();
  // pnpm would ask the registry how old each version is, which takes almost as long as fetching them. The job audit of
  // .github/workflows/ci.yml asks instead.
  const trusted = ['--frozen-lockfile', '--trust-lockfile'];
  const args = ['install', ...trusted, '--reporter=append-only', ...(toRun ? ['--prod'] : [])];
  const outcome = await run(pnpm, args, {
    cwd: ROOT,
    // Without a terminal pnpm may want to ask whether it may replace node_modules; CI means yes.
    env: { ...withoutNpmVariables(process.env), CI: 'true' },
  });
  if (outcome.code !== 0) {
    throw new PlainError(
      `The packages could not be installed (pnpm ${args.join(' ')}, exit code ${outcome.code}):\n` +
        `${lastLines(`${outcome.stdout}\n${outcome.stderr}`, 12)}\n` +
        `By hand: ${pnpm} ${args.join(' ')}`,
    );
  }
  await writeFile(INSTALLED, wanted);
  return 'installed';
}

/** What decides the content of node_modules: the lockfile, every package.json, and the machine. */
async function installFingerprint() {
  const hash = createHash('sha256');
  hash.update(`${process.platform} ${process.arch}\n`);
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', '.npmrc', 'package.json', ...(await packageFiles())]) {
    hash.update(`${file}\n`);
    hash.update(await readFile(inRoot(file)).catch(() => ''));
  }
  return hash.digest('hex');
}

/** @returns {Promise<string[]>} the package.json files of the workspace, relative to the top folder, sorted */
export async function packageFiles() {
  const folders = ['bench', 'e2e', 'examples/embed-host', 'examples/receivers'];
  for (const parent of ['apps', 'libs']) {
    const entries = await readdir(inRoot(parent), { withFileTypes: true });
    folders.push(...entries.filter((entry) => entry.isDirectory()).map((entry) => path.posix.join(parent, entry.name)));
  }
  return folders.sort().map((folder) => `${folder}/package.json`);
}

/** The last complete build: what it read and wrote, by folder. nx knows too, but to ask it takes longer than to start a service,
 * and it puts what is there already in its place again, under the feet of anyone who reads it. */
const BUILT = path.join(CACHE_DIR, 'built.json');
/** What decides the outcome besides the packages. */
const SETTINGS = [
  'pnpm-lock.yaml',
  'nx.json',
  '.swcrc',
  'scripts/build-page.mjs',
  'scripts/bundle.mjs',
  'scripts/bundle',
  'scripts/nx',
];

/** Builds every package that has changed. @param {readonly string[]} [libraries] build these alone (names without `@crm/`); default all packages
 * @returns {Promise<string>} what was done, for people: `up to date` or `2 of 20 packages changed` @throws {PlainError}
 * when a package does not build */
export async function buildPackages(libraries = []) {
  const folders = libraries.length > 0 ? libraries.map((name) => `libs/${name}`) : await packageFolders();
  if (await isBuilt(folders)) return 'up to date';
  const outcome = await run(
    inRoot('node_modules', '.bin', 'nx'),
    [
      'run-many',
      '--target=build',
      ...(libraries.length > 0 ? [`--projects=${libraries.map((name) => `@crm/${name}`).join(',')}`] : []),
      '--outputStyle=static',
      `--parallel=${Math.max(2, os.availableParallelism())}`,
    ],
    { cwd: ROOT, env: { ...(await buildEnvironment()), NO_COLOR: '1', FORCE_COLOR: '0' } },
  );
  if (outcome.code !== 0) {
    throw new PlainError(
      `The build failed:\n${lastLines(`${outcome.stdout}\n${outcome.stderr}`, 40)}\nBy hand: npm run build`,
    );
  }
  if (libraries.length === 0) {
    await mkdir(CACHE_DIR, { recursive: true });
    await writeFile(BUILT, JSON.stringify(await buildFingerprints(folders)));
  }
  const [, hits, total] = /Cache:\s+(\d+)\/(\d+) hit/.exec(outcome.stdout) ?? [];
  return hits && total ? `${Number(total) - Number(hits)} of ${total} packages changed` : 'built';
}

/** @returns {Promise<NodeJS.ProcessEnv>} for nx: with the right pnpm first, by which it runs the packages' scripts, without a daemon, which would outlive us, and without the terminal interface, which needs a terminal */
export async function buildEnvironment() {
  const folder = path.dirname(await pnpmProgram());
  const own = folder === '.' ? {} : { PATH: `${folder}${path.delimiter}${process.env.PATH}` };
  return { ...withoutNpmVariables(process.env), ...own, NX_DAEMON: 'false', NX_TUI: 'false' };
}

async function packageFolders() {
  const parents = await Promise.all(
    ['apps', 'libs'].map(async (parent) => (await readdir(inRoot(parent))).map((name) => `${parent}/${name}`)),
  );
  return [...parents.flat(), 'examples/receivers'];
}

/** @param {readonly string[]} folders */
async function isBuilt(folders) {
  const built = JSON.parse(await readFile(BUILT, 'utf8').catch(() => '{}'));
  return Object.entries(await buildFingerprints(folders)).every(([name, fingerprint]) => built[name] === fingerprint);
}

/** @param {readonly string[]} folders
 * @returns {Promise<Record<string, string>>} by folder, and of the settings: a hash of the size and the time of what builds read and write */
async function buildFingerprints(folders) {
  const ofFolder = (/** @type {string} */ folder) => ['package.json', 'src', 'dist'].map((name) => `${folder}/${name}`);
  /** @type {[string, string[]][]} */
  const read = [
    ['settings', SETTINGS],
    ...folders.map((folder) => /** @type {[string, string[]]} */ ([folder, ofFolder(folder)])),
  ];
  return Object.fromEntries(
    await Promise.all(read.map(async ([name, entries]) => [name, await fingerprintOf(entries)])),
  );
}

/** @param {readonly string[]} entries files and folders */
async function fingerprintOf(entries) {
  const hash = createHash('sha256');
  for (const entry of entries) {
    const below = await readdir(inRoot(entry), { recursive: true }).catch(() => []);
    for (const file of ['', ...below.sort()].filter((name) => !name.endsWith('.spec.ts'))) {
      const found = await stat(inRoot(entry, file)).catch(() => undefined);
      hash.update(`${entry}/${file} ${found?.mtimeMs} ${found?.size}\n`);
    }
  }
  return hash.digest('hex');
}
