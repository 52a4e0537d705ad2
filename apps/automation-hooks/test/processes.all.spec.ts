import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { rpc } from '@crm/contracts';
import { newId } from '@crm/database';
import { waitUntil } from '@crm/testing';
import { afterAll, describe, expect, it } from '@jest/globals';
import { IDLE, task, useAutomations } from './automations-service.js';

const { world, service, tenant } = useAutomations();

/** The built service, as it runs in production. */
const PROGRAM = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const MAX_CLAIMS = 2;

// The last: the service of this file executes no runs any more.
describe('a run whose processes die with it', () => {
  let worker: ChildProcess | undefined;
  let deaths = 0;
  afterAll(() => void worker?.kill('SIGKILL'));

  /** Starts a process that executes runs; it is started again when it dies, as an operator's platform does. */
  async function keepWorkerRunning(until: AbortSignal): Promise<void> {
    until.addEventListener('abort', () => worker?.kill('SIGTERM'));
    const { database, encryptionKey, service } = world.configure();
    const env = {
      PATH: process.env.PATH,
      PROFILE: 'test',
      PORT: '0',
      LOG_LEVEL: 'error',
      NATS_URL: service.nats.url,
      NATS_PASSWORD: service.nats.password,
      DATABASE_URL: database.url,
      DATABASE_NARROW_URL: database.narrowUrl,
      KEY_ENCRYPTION_KEY: encryptionKey,
      RUN_LEASE_SECONDS: '1',
      RUN_MAX_CLAIMS: String(MAX_CLAIMS),
      RUN_POLL_MS: '20',
    };
    while (!until.aborted) {
      worker = spawn(process.execPath, [PROGRAM], { stdio: ['ignore', 'ignore', 'inherit'], env });
      const [code, signal] = await once(worker, 'exit');
      if (until.aborted) return;
      if (signal !== 'SIGKILL') throw new Error(`The worker ended with ${code ?? signal}`);
      deaths += 1;
    }
  }

  it('fails with a reason, and delays other runs no longer', async () => {
    await world.answer(rpc.identity.getKeys, async () => (await world.tokens.keySource.getKeys()) as never);
    // From now on it accepts runs and executes none.
    await service.close();
    Object.assign(service, await world.start(IDLE));
    world.customObjects.create = ({ values }) => {
      // A step that fills the memory ends like this: the process has died, with nothing stored and nothing said.
      if (values.title === 'poison') worker?.kill('SIGKILL');
      return { id: newId() };
    };
    const start = async (title: string) => tenant.start((await tenant.hooked({ actions: [task(title)] })).path);
    const poison = await start('poison');
    const stop = new AbortController();
    const workers = keepWorkerRunning(stop.signal);
    try {
      const hasFailed = async () => (await tenant.run(poison)).status === 'failed';
      await waitUntil(hasFailed, { timeoutMs: 90_000, describe: 'the run to fail' });
      expect(await tenant.run(poison)).toMatchObject({ error: { code: 'RUN_ABANDONED' }, steps: [] });
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
});
