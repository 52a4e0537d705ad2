import { runInForeground } from '../processes/foreground.mjs';
import { inRoot, ROOT } from '../root.mjs';
import { withExitCode } from './counts-reporter.mjs';

/**
 * Runs Jest in the foreground; its reporter counts-reporter.mjs sends what is counted.
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} environment added to ours
 * @returns {Promise<import('./counts-reporter.mjs').Counts>}
 */
export async function runJest(args, environment = {}) {
  /** @type {import('./counts-reporter.mjs').Counts | undefined} */
  let counts;
  const exitCode = await runInForeground(
    process.execPath,
    [
      // Jest runs ES modules through an interface of Node that still calls itself experimental.
      '--experimental-vm-modules',
      '--disable-warning=ExperimentalWarning',
      inRoot('node_modules', 'jest', 'bin', 'jest.js'),
      '--reporters=default',
      `--reporters=${inRoot('scripts', 'testing', 'counts-reporter.mjs')}`,
      `--cacheDirectory=${inRoot('.cache', 'jest')}`,
      ...args,
    ],
    {
      cwd: ROOT,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: { ...process.env, ...environment },
    },
    (message) => {
      counts = message.counts;
    },
  );
  return withExitCode(counts, exitCode);
}
