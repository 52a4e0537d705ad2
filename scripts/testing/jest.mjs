import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { runInForeground } from '../processes/run.mjs';
import { inRoot, ROOT } from '../root.mjs';
import { nodeProgram, USERS_NODE } from '../setup/node.mjs';

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

/** Runs Jest in the foreground.
 * @param {readonly string[]} args @param {NodeJS.ProcessEnv} environment added to ours @returns {Promise<Counts>} */
export async function runJest(args, environment = {}) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'crm-jest-'));
  const results = path.join(folder, 'results.json');
  const exitCode = await runInForeground(
    nodeProgram(),
    [
      // Jest runs ES modules through an interface of Node that still calls itself experimental.
      '--experimental-vm-modules',
      '--disable-warning=ExperimentalWarning',
      // Test files make many objects that die young: with the usual 16 MiB for these a tenth of the time was their copying.
      '--max-semi-space-size=64',
      // What V8 takes from its cache it does not count block by block.
      ...(args.includes('--coverage') ? ['--no-compilation-cache'] : []),
      inRoot('node_modules', 'jest', 'bin', 'jest.js'),
      '--json',
      `--outputFile=${results}`,
      `--cacheDirectory=${inRoot('.cache', 'jest')}`,
      ...args,
    ],
    { cwd: ROOT, env: { ...process.env, npm_node_execpath: USERS_NODE, ...environment } },
  );
  const written = await readFile(results, 'utf8').catch(() => '{}');
  await rm(folder, { recursive: true, force: true });
  return countsOf(JSON.parse(written), exitCode);
}

/** @param {Partial<Record<'numPassedTests' | 'numFailedTests' | 'numPendingTests' | 'numRuntimeErrorTestSuites', number>>} results of Jest; none when it ended before
 * @param {number} exitCode of Jest
 * @returns {Counts} a file that did not run counts as a failed test; at least one failure if Jest itself says that it failed */
export function countsOf(results, exitCode) {
  const { numPassedTests = 0, numFailedTests = 0, numPendingTests = 0, numRuntimeErrorTestSuites = 0 } = results;
  const failed = numFailedTests + numRuntimeErrorTestSuites;
  return { passed: numPassedTests, failed: failed === 0 && exitCode !== 0 ? 1 : failed, skipped: numPendingTests };
}
