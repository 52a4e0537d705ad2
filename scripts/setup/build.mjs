import os from 'node:os';
import path from 'node:path';
import { PlainError } from '../plain-error.mjs';
import { lastLines, run } from '../processes/run.mjs';
import { inRoot, ROOT } from '../root.mjs';
import { isBuilt, rememberBuild } from './build-stamp.mjs';
import { pnpmProgram, withoutNpmVariables } from './pnpm.mjs';

/**
 * Builds every package. nx remembers what it has built: only what changed is built again.
 * @param {readonly string[]} [packages] build these alone (names); default all
 * @returns {Promise<string>} what was done, for people: `up to date` or `2 of 20 packages changed`
 * @throws {PlainError} when a package does not build
 */
export async function buildPackages(packages = []) {
  if (packages.length === 0 && (await isBuilt())) return 'up to date';
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
  if (packages.length === 0) await rememberBuild();
  const [, hits, total] = /Cache:\s+(\d+)\/(\d+) hit/.exec(outcome.stdout) ?? [];
  return hits && total ? `${Number(total) - Number(hits)} of ${total} packages changed` : 'built';
}

/**
 * @returns {Promise<NodeJS.ProcessEnv>} for nx: with pnpm, without a daemon, which would outlive us, and without the terminal
 *   interface, which needs a terminal
 */
export async function buildEnvironment() {
  return { ...withoutNpmVariables(process.env), ...(await pathWithPnpm()), NX_DAEMON: 'false', NX_TUI: 'false' };
}

/** @returns {Promise<NodeJS.ProcessEnv>} the search path with the right pnpm first: nx runs the packages' scripts with it */
async function pathWithPnpm() {
  const program = await pnpmProgram();
  return path.isAbsolute(program) ? { PATH: `${path.dirname(program)}${path.delimiter}${process.env.PATH}` } : {};
}
