import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { accepts } from '../../../scripts/processes/readiness.mjs';
import { freePorts } from '../../../scripts/servers/free-port.mjs';

/** A Redis server on a free port that keeps nothing on disk, and that a test can stop, freeze and start again. */
export async function startRedis() {
  const program = process.env.TEST_REDIS_PROGRAM;
  if (!program) throw new Error('TEST_REDIS_PROGRAM is not set: run with node scripts/with-test-servers.mjs');
  const [port = 0] = await freePorts(1);
  let server: ChildProcess;
  const hasEnded = () => server.exitCode !== null || server.signalCode !== null;
  /** Resolves when it accepts connections. @throws Error when it ends before that */
  const start = async () => {
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    server = spawn(program, args, { stdio: 'ignore' });
    while (!(await accepts(port))) {
      if (hasEnded()) throw new Error(`${program} ended before it accepted connections`);
      await delay(20);
    }
  };
  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    start,
    /** It accepts connections and answers nothing, like a machine that is out of reach. */
    freeze: () => server.kill('SIGSTOP'),
    thaw: () => server.kill('SIGCONT'),
    async stop() {
      if (hasEnded()) return;
      const ended = once(server, 'exit');
      server.kill('SIGKILL');
      await ended;
    },
  };
}

export type TestRedis = Awaited<ReturnType<typeof startRedis>>;
