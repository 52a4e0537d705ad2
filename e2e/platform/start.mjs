import { spawn } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';

/** Starts a platform of its own for the run; its addresses go to the tests through the environment. */
export default async function start() {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'crm-e2e-'));
  const script = path.resolve(import.meta.dirname, '../../scripts/start.mjs');
  // Failed attempts come again within a second, so that a test sees what takes minutes in production.
  /** @type {NodeJS.ProcessEnv} */
  const env = { ...process.env, WEBHOOK_RETRY_DELAYS: '0s,300ms,500ms,1s,2s,2s,2s,2s', LOG_LEVEL: 'info' };
  for (const name of ['DATABASE_URL', 'NATS_URL', 'SMTP_URL', 'EGRESS_ALLOW', 'EGRESS_CA_FILE']) delete env[name];
  const child = spawn(process.execPath, [script, '--prepared', '--json', '--ports', 'free', '--data', dataDir], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ready = await new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`The platform did not start (exit code ${code})`)));
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.startsWith('{')) resolve(JSON.parse(line));
    });
  });
  process.env.E2E_ADDRESSES = JSON.stringify(ready);
  globalThis.e2ePlatform = { child, dataDir };
}
