import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { ChildServer } from '../../scripts/processes/child-server.mjs';
import { Guard } from '../../scripts/processes/guard.mjs';
import { freePorts } from '../../scripts/servers/free-port.mjs';
import { redisProgram } from '../../scripts/servers/programs.mjs';

const START_TIMEOUT_MS = 10_000;
const STOP_MS = 5_000;

/**
 * A Redis server on a free port that keeps nothing on disk: the services count limits in it, as replicas do.
 * @returns {Promise<{ url: string, stop(): Promise<void> }>}
 */
export async function startRedis() {
  const [port] = /** @type {[number]} */ (await freePorts(1));
  const guard = new Guard();
  const server = await ChildServer.start({
    name: 'Redis',
    command: await redisProgram(),
    args: ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
    guard,
  });
  const stop = async () => {
    await server.stop('SIGTERM', STOP_MS);
    guard.dismiss();
  };
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!(await accepts(port))) {
    if (server.outcome !== undefined || Date.now() > deadline) {
      const lines = server.lastLines(10).join('\n');
      await stop();
      throw new Error(`Redis did not start: ${lines}`);
    }
    await delay(25);
  }
  return { url: `redis://127.0.0.1:${port}`, stop };
}

/**
 * @param {number} port
 * @returns {Promise<boolean>}
 */
const accepts = (port) =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.end();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
