import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { rpc } from '@crm/contracts';
import { newId } from '@crm/database';
import { waitUntil } from '@crm/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { IDLE, task, useAutomations } from './automations-service.js';

const MAX_CLAIMS = 2;
/** The built service, as it runs in production. */
const PROGRAM = fileURLToPath(new URL('../dist/main.js', import.meta.url));

let worker: ChildProcess | undefined;
let deaths = 0;
/** It accepts runs and executes none. */
const { world, tenant } = useAutomations([IDLE]);
beforeAll(() => world.answer(rpc.identity.getKeys, async () => (await world.tokens.keySource.getKeys()) as never));
afterAll(() => void worker?.kill('SIGKILL'));

/** Starts a process that executes runs; it is started again when it dies, as an operator's platform does. */
function keepWorkerRunning(until: AbortSignal): Promise<void> {
  const { database, encryptionKey } = world.configure();
  const run = async () => {
    while (!until.aborted) {
      worker = spawn(process.execPath, [PROGRAM], {
        stdio: ['ignore', 'ignore', 'inherit'],
        env: {
          PATH: process.env.PATH,
          PROFILE: 'test',
          PORT: '0',
          LOG_LEVEL: 'error',
          NATS_URL: world.nats.url,
          NATS_PASSWORD: world.nats.passwords['automation-hooks'],
          DATABASE_URL: database.url,
          DATABASE_NARROW_URL: database.narrowUrl,
          KEY_ENCRYPTION_KEY: encryptionKey,
          RUN_LEASE_SECONDS: '1',
          RUN_MAX_CLAIMS: String(MAX_CLAIMS),
          RUN_POLL_MS: '20',
        },
      });
      const [code, signal] = await once(worker, 'exit');
      if (until.aborted) return;
      if (signal !== 'SIGKILL') throw new Error(`The worker ended with ${code ?? signal}`);
      deaths += 1;
    }
  };
  until.addEventListener('abort', () => worker?.kill('SIGTERM'));
  return run();
}

it('a run whose processes die with it fails with a reason, and delays other runs no longer', async () => {
  world.customObjects.create = ({ values }) => {
    // As a step does that fills the memory: the process is gone, with nothing stored and nothing said.
    if (values.title === 'poison') worker?.kill('SIGKILL');
    return { id: newId() };
  };
  const start = async (title: string) => tenant.start((await tenant.hooked({ actions: [task(title)] })).path);
  const poison = await start('poison');
  const stop = new AbortController();
  const workers = keepWorkerRunning(stop.signal);
  try {
    const run = () => tenant.run(poison);
    await waitUntil(async () => (await run()).status === 'failed', { timeoutMs: 90_000, describe: 'the run to fail' });
    expect(await run()).toMatchObject({ error: { code: 'RUN_ABANDONED' }, steps: [] });
    expect(tenant.createdNames()).toHaveLength(MAX_CLAIMS);
    expect(deaths).toBe(MAX_CLAIMS);
    const fine = await start('fine');
    await waitUntil(async () => (await tenant.run(fine)).status === 'succeeded', { timeoutMs: 30_000 });
    expect(await world.sql('SELECT 1 FROM run_queue WHERE run_id = $1', poison)).toEqual([]);
  } finally {
    stop.abort();
    await workers;
  }
}, 150_000);
