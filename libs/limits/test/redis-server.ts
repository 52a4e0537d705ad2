import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/** A Redis server on a free port that keeps nothing on disk, and that a test can stop, freeze and start again. */
export class TestRedis {
  private child: ChildProcess | undefined;

  private constructor(
    private readonly program: string,
    private readonly port: number,
  ) {}

  /** Needs TEST_REDIS_PROGRAM. */
  static async start(): Promise<TestRedis> {
    const program = process.env.TEST_REDIS_PROGRAM;
    if (!program) throw new Error('TEST_REDIS_PROGRAM is not set: run with node scripts/with-test-servers.mjs');
    const redis = new TestRedis(program, await freePort());
    await redis.start();
    return redis;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Resolves when it answers. */
  async start(): Promise<void> {
    const args = ['--port', String(this.port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    this.child = spawn(this.program, args, { stdio: 'ignore' });
    while (!(await this.answers())) {
      if (this.child.exitCode !== null) throw new Error(`${this.program} does not start`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  /** It accepts connections and answers nothing, like a machine that is out of reach. */
  freeze(): void {
    this.child?.kill('SIGSTOP');
  }

  thaw(): void {
    this.child?.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  private answers(): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect(this.port, '127.0.0.1', () => socket.write('PING\r\n'));
      socket.on('data', () => socket.end());
      socket.on('data', (text) => resolve(String(text).startsWith('+PONG')));
      socket.on('error', () => resolve(false));
    });
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
