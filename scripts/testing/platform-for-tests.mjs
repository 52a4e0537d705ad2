import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { inRoot, ROOT } from '../root.mjs';

/** A whole platform of its own for end-to-end tests, on free ports. @typedef {Awaited<ReturnType<typeof startTestPlatform>>} TestPlatform */

/** Starts a platform from what is built. It ends, with its data, when it is stopped or this process ends, in whatever
 * way. @param {NodeJS.ProcessEnv} [environment] added to ours, such as EGRESS_ALLOW */
export async function startTestPlatform(environment = {}) {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'crm-platform-'));
  const { TEST_DATABASE_URL: _database, TEST_NATS_URL: _nats, ...outer } = process.env;
  const child = spawn(
    process.execPath,
    [inRoot('scripts', 'start.mjs'), '--prepared', '--ports', 'free', '--json', '--throwaway', '--data', dataDir],
    {
      cwd: ROOT,
      env: { ...outer, ...environment },
      // Ctrl-C in the terminal must not reach it before the tests have ended; the channel tells it when we are gone.
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    },
  );
  const ended = once(child, 'exit');
  const errors = text(/** @type {import('node:stream').Readable} */ (child.stderr));
  /** @type {import('../platform/addresses.mjs').Addresses} */
  const addresses = await new Promise((resolve, reject) => {
    child.on('message', (/** @type {import('../platform/run-state.mjs').Message} */ { ready }) => {
      if (ready) resolve(JSON.parse(ready));
    });
    child.once('exit', async () => reject(new Error(`The platform did not start:\n${await errors}`)));
  });
  return {
    addresses,
    stop: async () => {
      child.kill('SIGTERM');
      const [code] = await ended;
      if (code !== 0) throw new Error(`The platform did not stop in order:\n${await errors}`);
    },
  };
}
