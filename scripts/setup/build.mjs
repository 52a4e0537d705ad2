import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { PlainError } from '../plain-error.mjs';
import { lastLines, run } from '../processes/run.mjs';
import { CACHE_DIR, inRoot, ROOT } from '../root.mjs';
import { pnpmProgram, withoutNpmVariables } from './pnpm.mjs';

/** Of the last complete build: what it read and wrote. nx knows too, but to ask it takes longer than to start a service. */
const STAMP = path.join(CACHE_DIR, 'built');
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

/**
 * Builds every package that has changed.
 * @param {readonly string[]} [packages] build these alone (names); default all
 * @returns {Promise<string>} what was done, for people: `up to date` or `2 of 20 packages changed`
 * @throws {PlainError} when a package does not build
 */
export async function buildPackages(packages = []) {
  const stamp = await readFile(STAMP, 'utf8').catch(() => '');
  if (packages.length === 0 && stamp === (await fingerprint())) return 'up to date';
  const outcome = await run(
    inRoot('node_modules', '.bin', 'nx'),
    [
      'run-many',
      '--target=build',
      ...(packages.length > 0 ? [`--projects=${packages.join(',')}`] : []),
      '--outputStyle=static',
      `--parallel=${Math.max(2, os.availableParallelism())}`,
    ],
    {
      cwd: ROOT,
      env: { ...(await buildEnvironment()), NO_COLOR: '1', FORCE_COLOR: '0' },
    },
  );
  if (outcome.code !== 0) {
    throw new PlainError(
      `The build failed:\n${lastLines(`${outcome.stdout}\n${outcome.stderr}`, 40)}\nBy hand: npm run build`,
    );
  }
  if (packages.length === 0) {
    await mkdir(CACHE_DIR, { recursive: true });
    await writeFile(STAMP, await fingerprint());
  }
  const [, hits, total] = /Cache:\s+(\d+)\/(\d+) hit/.exec(outcome.stdout) ?? [];
  return hits && total ? `${Number(total) - Number(hits)} of ${total} packages changed` : 'built';
}

/** @returns {Promise<NodeJS.ProcessEnv>} for nx: with pnpm, without a daemon, which would outlive us, and without the terminal interface, which needs a terminal */
export async function buildEnvironment() {
  return { ...withoutNpmVariables(process.env), ...(await pathWithPnpm()), NX_DAEMON: 'false', NX_TUI: 'false' };
}

/** @returns {Promise<NodeJS.ProcessEnv>} the search path with the right pnpm first: nx runs the packages' scripts with it */
async function pathWithPnpm() {
  const program = await pnpmProgram();
  return path.isAbsolute(program) ? { PATH: `${path.dirname(program)}${path.delimiter}${process.env.PATH}` } : {};
}

/** @returns {Promise<string>} a hash of the size and the time of everything that builds read and write */
async function fingerprint() {
  const parents = await Promise.all(
    ['apps', 'libs'].map(async (parent) => (await readdir(inRoot(parent))).map((name) => `${parent}/${name}`)),
  );
  const packages = [...parents.flat(), 'examples/receivers'];
  const read = packages.flatMap((folder) => ['package.json', 'src', 'dist'].map((name) => `${folder}/${name}`));
  const hash = createHash('sha256');
  for (const entry of [...SETTINGS, ...read.sort()]) {
    const below = await readdir(inRoot(entry), { recursive: true }).catch(() => []);
    for (const file of ['', ...below.sort()].filter((name) => !name.endsWith('.spec.ts'))) {
      const found = await stat(inRoot(entry, file)).catch(() => undefined);
      hash.update(`${entry}/${file} ${found?.mtimeMs} ${found?.size}\n`);
    }
  }
  return hash.digest('hex');
}
