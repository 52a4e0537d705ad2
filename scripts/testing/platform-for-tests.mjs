import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { readRunState } from '../platform/run-state.mjs';
import { run } from '../processes/run.mjs';
import { inRoot, ROOT } from '../root.mjs';

/**
 * A whole platform of its own for end-to-end tests: free ports, a data folder that is deleted at the end.
 * @typedef {object} TestPlatform
 * @property {import('../platform/addresses.mjs').Addresses} addresses
 * @property {(name: string) => Promise<number>} processId of a service or server as it is now; it changes with a
 *   restart
 * @property {() => Promise<void>} stop
 */

/**
 * Starts a platform from what is built. It belongs to nobody's terminal: {@link TestPlatform.stop} must be called.
 * @param {NodeJS.ProcessEnv} [environment] added to ours, such as EGRESS_ALLOW
 * @returns {Promise<TestPlatform>}
 */
export async function startTestPlatform(environment = {}) {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'crm-platform-'));
  const start = [
    inRoot('scripts', 'start.mjs'),
    '--prepared',
    '--ports',
    'free',
    '--json',
    '--detach',
    '--data',
    dataDir,
  ];
  const { TEST_DATABASE_URL: _database, TEST_NATS_URL: _nats, ...outer } = process.env;
  const outcome = await run(process.execPath, start, { cwd: ROOT, env: { ...outer, ...environment } });
  if (outcome.code !== 0) throw new Error(`The platform did not start:\n${outcome.stderr}`);
  return {
    addresses: JSON.parse(outcome.stdout),
    processId: async (name) => {
      const state = await readRunState(dataDir);
      const child = state?.children.find((one) => one.name === name);
      if (!child) throw new Error(`${name} does not run`);
      return child.pid;
    },
    stop: async () => {
      const stopped = await run(process.execPath, [inRoot('scripts', 'stop.mjs'), '--data', dataDir], { cwd: ROOT });
      if (stopped.code !== 0) throw new Error(`The platform did not stop:\n${stopped.stderr}`);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
