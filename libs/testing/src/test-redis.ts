import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { waitUntil } from './wait-until.js';

export interface TestRedis {
  url: string;
  stop(): void;
}

/** The server runs as long as someone holds the other end of standard input: it ends with us, however we end. */
const RUN_WHILE_HELD = '"$0" "$@" & child=$!; cat > /dev/null; kill "$child"; wait "$child"';

/** A Redis server of the test file on a free port, which keeps nothing on disk. Needs TEST_REDIS_PROGRAM. */
export async function testRedis(): Promise<TestRedis> {
  const program = process.env.TEST_REDIS_PROGRAM;
  if (!program) throw new Error('TEST_REDIS_PROGRAM is not set: run with node scripts/with-test-servers.mjs');
  const port = await freePort();
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const shell = spawn('sh', ['-c', RUN_WHILE_HELD, program, ...settings], { stdio: ['pipe', 'ignore', 'ignore'] });
  shell.unref();
  const stop = () => {
    shell.stdin.destroy();
  };
  try {
    await waitUntil(() => answers(port), { describe: `${program} to answer`, timeoutMs: 10_000 });
  } catch (error) {
    stop();
    throw error;
  }
  return { url: `redis://127.0.0.1:${port}`, stop };
}

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
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('The server listens on no port');
  return address.port;
}
