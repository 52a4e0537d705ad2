import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { runInForeground } from '../processes/foreground.mjs';
import { inRoot, ROOT } from '../root.mjs';
import { countsOf } from './tally.mjs';

/**
 * Runs Jest in the foreground and counts its tests.
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} environment added to ours
 * @returns {Promise<{ passed: number, failed: number, skipped: number }>}
 */
export async function runJest(args, environment = {}) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'crm-jest-'));
  const reportFile = path.join(folder, 'report.json');
  try {
    const exitCode = await runInForeground(
      process.execPath,
      [
        // Jest runs ES modules through an interface of Node that still calls itself experimental.
        '--experimental-vm-modules',
        '--disable-warning=ExperimentalWarning',
        inRoot('node_modules', 'jest', 'bin', 'jest.js'),
        '--json',
        `--outputFile=${reportFile}`,
        `--cacheDirectory=${inRoot('.cache', 'jest')}`,
        ...args,
      ],
      {
        cwd: ROOT,
        // --json also prints the report to standard output; the readable results go to standard error.
        stdio: ['ignore', 'ignore', 'inherit'],
        env: { ...process.env, ...environment },
      },
    );
    const report = await readFile(reportFile, 'utf8').then(JSON.parse, () => undefined);
    return countsOf(report, exitCode);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
