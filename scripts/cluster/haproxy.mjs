import { mkdir, writeFile } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { PlainError } from '../plain-error.mjs';
import { ChildServer } from '../processes/child-server.mjs';
import { run } from '../processes/run.mjs';
import { CACHE_DIR } from '../root.mjs';
import { unpackDebianPackages } from '../servers/debian-packages.mjs';

const CACHE = path.join(CACHE_DIR, 'haproxy');
const START_TIMEOUT_MS = 10_000;
const STOP_MS = 3000;

/** @typedef {'ready' | 'drain' | 'maint'} ServerState `drain`: no new requests; `maint`: none at all */

/**
 * @typedef {object} HaproxyOptions
 * @property {string} folder for its configuration and its control socket
 * @property {string} configuration its proxies
 * @property {import('../processes/guard.mjs').Guard} guard
 * @property {string} logFile
 */

/** A running HAProxy, and the orders that it takes while it runs. */
export class Haproxy {
  #process;
  #socket;

  /**
   * @param {ChildServer} child
   * @param {string} socket
   */
  constructor(child, socket) {
    this.#process = child;
    this.#socket = socket;
  }

  /**
   * @param {HaproxyOptions} options
   * @throws {PlainError} when there is no HAProxy or it does not come up
   */
  static async start({ folder, configuration, guard, logFile }) {
    const { command, env } = await haproxyProgram();
    await mkdir(folder, { recursive: true });
    const socket = path.join(folder, 'haproxy.sock');
    const file = path.join(folder, 'haproxy.cfg');
    await writeFile(file, `global\n  stats socket ${socket} mode 600 level admin\n  maxconn 4000\n\n${configuration}`);
    const checked = await run(command, ['-c', '-f', file], { env });
    if (checked.code !== 0) throw new PlainError(`HAProxy refuses ${file}:\n${checked.stderr}`);
    const child = await ChildServer.start({
      name: 'HAProxy',
      command,
      args: ['-db', '-f', file],
      env,
      logFile,
      guard,
      kind: 'servers',
    });
    const haproxy = new Haproxy(child, socket);
    const deadline = Date.now() + START_TIMEOUT_MS;
    while (!(await haproxy.#answers())) {
      if (child.outcome !== undefined || Date.now() > deadline) {
        throw new PlainError(`HAProxy does not start: ${child.outcome ?? ''}\n${child.lastLines(10).join('\n')}`);
      }
      await delay(50);
    }
    return haproxy;
  }

  /**
   * @param {string} proxy
   * @param {string} server
   * @param {ServerState} state
   */
  async setState(proxy, server, state) {
    await this.#order(`set server ${proxy}/${server} state ${state}`);
  }

  /**
   * Cuts the connections that go to a server.
   * @param {string} proxy
   * @param {string} server
   */
  async cutSessions(proxy, server) {
    await this.#order(`shutdown sessions server ${proxy}/${server}`);
  }

  /**
   * Resolves when the server gets requests.
   * @param {string} proxy
   * @param {string} server
   * @param {number} timeoutMs
   */
  async untilUp(proxy, server, timeoutMs) {
    const deadline = Date.now() + timeoutMs;
    while ((await this.#status(proxy, server)) !== 'UP') {
      if (Date.now() > deadline) throw new Error(`${proxy}/${server} is not up after ${timeoutMs / 1000} s`);
      await delay(50);
    }
  }

  async stop() {
    await this.#process.stop('SIGTERM', STOP_MS);
  }

  /**
   * @param {string} proxy
   * @param {string} server
   */
  async #status(proxy, server) {
    const [header = '', ...rows] = (await this.#order('show stat')).replace(/^# /, '').trim().split('\n');
    const column = header.split(',').indexOf('status');
    const cells = rows.map((row) => row.split(',')).find(([name, one]) => name === proxy && one === server);
    if (!cells) throw new Error(`HAProxy knows no ${proxy}/${server}`);
    return cells[column]?.split(' ')[0];
  }

  #answers() {
    return this.#order('show info').then(
      () => true,
      () => false,
    );
  }

  /**
   * @param {string} line
   * @returns {Promise<string>}
   * @throws {Error} when it is refused
   */
  async #order(line) {
    const answer = await new Promise((resolve, reject) => {
      let text = '';
      const connection = net.connect({ path: this.#socket });
      connection.on('data', (chunk) => {
        text += chunk;
      });
      connection.once('error', reject);
      connection.once('end', () => resolve(text));
      connection.end(`${line}\n`);
    });
    // Orders that are carried out answer nothing.
    if (!line.startsWith('show') && answer.trim() !== '') throw new Error(`HAProxy: ${line}: ${answer.trim()}`);
    return answer;
  }
}

/**
 * The installed one, or Debian's package unpacked into the cache.
 * @returns {Promise<{ command: string, env: NodeJS.ProcessEnv }>}
 * @throws {PlainError} with how to do it by hand
 */
async function haproxyProgram() {
  const installed = await run('haproxy', ['-v']);
  if (installed.code === 0) return { command: 'haproxy', env: process.env };
  const unpacked = path.join(CACHE, 'unpacked');
  try {
    await unpackDebianPackages(unpacked, ['haproxy']);
    const libraries = path.join(
      unpacked,
      'usr',
      'lib',
      process.arch === 'arm64' ? 'aarch64-linux-gnu' : 'x86_64-linux-gnu',
    );
    const program = {
      command: path.join(unpacked, 'usr/sbin/haproxy'),
      env: { ...process.env, LD_LIBRARY_PATH: libraries },
    };
    const outcome = await run(program.command, ['-v'], { env: program.env });
    if (outcome.code !== 0) throw new Error(outcome.stderr);
    return program;
  } catch (error) {
    throw new PlainError(
      `There is no haproxy on this machine, and fetching Debian's package failed: ${error instanceof Error ? error.message : error}\n` +
        'By hand: install it so that "haproxy -v" works (Debian and Ubuntu: apt install haproxy; macOS: brew install haproxy).',
      { cause: error },
    );
  }
}
