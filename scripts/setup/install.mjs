import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PlainError } from '../plain-error.mjs';
import { lastLines, run } from '../processes/run.mjs';
import { inRoot, ROOT } from '../root.mjs';
import { pnpmProgram, withoutNpmVariables } from './pnpm.mjs';

/** Inside node_modules, so that deleting that folder also forgets the installation. */
const STAMP = inRoot('node_modules', '.installed');

/**
 * Installs the packages of the lockfile, unless node_modules already holds them. toRun: without those of tests and
 * checks.
 * @param {{ toRun?: boolean }} [options] toRun: those alone that building and running the platform takes (`dependencies`), half of all; default: also those of tests and checks
 * @throws {PlainError} when pnpm fails
 */
export async function installPackages({ toRun = false } = {}) {
  const all = await fingerprint();
  const wanted = toRun ? `${all} to run` : all;
  const present = await readFile(STAMP, 'utf8').catch(() => '');
  if (present === wanted || present === all) return 'up to date';

  const pnpm = await pnpmProgram();
  const args = ['install', '--frozen-lockfile', '--reporter=append-only', ...(toRun ? ['--prod'] : [])];
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
  await writeFile(STAMP, wanted);
  return 'installed';
}

/** What decides the content of node_modules: the lockfile, every package.json, and the machine. */
async function fingerprint() {
  const hash = createHash('sha256');
  hash.update(`${process.platform} ${process.arch} ${process.versions.modules}\n`);
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
