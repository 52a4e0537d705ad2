import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** A Redis server on a free port that keeps nothing on disk, and that a test can stop, freeze and start again. */
export async function startRedis() {
  const program = process.env.TEST_REDIS_PROGRAM;
  if (!program) throw new Error('TEST_REDIS_PROGRAM is not set: run with node scripts/with-test-servers.mjs');
  const port = await freePort();
  let server: ChildProcess;
  /** Resolves when it answers. */
  const start = async () => {
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    server = spawn(program, args, { stdio: 'ignore' });
    while (server.exitCode === null && !(await answers(port))) await delay(20);
  };
  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    start,
    /** It accepts connections and answers nothing, like a machine that is out of reach. */
    freeze: () => server.kill('SIGSTOP'),
    thaw: () => server.kill('SIGCONT'),
    async stop() {
      if (server.exitCode !== null || server.signalCode !== null) return;
      const ended = once(server, 'exit');
      server.kill('SIGKILL');
      await ended;
    },
  };
}

export type TestRedis = Awaited<ReturnType<typeof startRedis>>;

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    socket.on('data', (text) => {
      socket.end();
      resolve(String(text).startsWith('+PONG'));
    });
    socket.on('error', () => resolve(false));
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
