import { readdir, readFile, readlink } from 'node:fs/promises';
import net from 'node:net';
import { PlainError } from '../plain-error.mjs';
import { run } from '../processes/run.mjs';

/** @typedef {{ port: number, name: string, holder?: string }} TakenPort */

/** @param {readonly { port: number, name: string }[]} wanted
 * @throws {PlainError} naming every port that is in use, and who holds it where that can be found out */
export async function requireFreePorts(wanted) {
  /** @type {TakenPort[]} */
  const taken = [];
  for (const { port, name } of wanted) {
    if (await isFree(port)) continue;
    const holder = await holderOf(port);
    taken.push({ port, name, ...(holder ? { holder } : {}) });
  }
  if (taken.length > 0) throw new PlainError(portsInUseMessage(taken));
}

/** @param {readonly TakenPort[]} taken */
export function portsInUseMessage(taken) {
  const lines = taken.map(
    ({ port, name, holder }) => `  127.0.0.1:${port}, wanted by ${name}, is held by ${holder ?? 'another program'}`,
  );
  return (
    `${taken.length === 1 ? 'A port is' : `${taken.length} ports are`} in use; nothing was started.\n${lines.join('\n')}\n` +
    'Stop what holds it, or move the whole platform, for example by 20000: PORT_OFFSET=20000 npm start'
  );
}

/** @param {number} port @returns {Promise<boolean>} */
function isFree(port) {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** @param {number} port @returns {Promise<string | undefined>} such as `node server.js (process 4711)` */
async function holderOf(port) {
  const pid = process.platform === 'linux' ? await listenerOnLinux(port) : await listenerByLsof(port);
  if (!pid) return undefined;
  const command = (await run('ps', ['-ww', '-o', 'args=', '-p', String(pid)])).stdout.trim();
  return `${command.length > 80 ? `${command.slice(0, 80)}…` : command || 'a program'} (process ${pid})`;
}

/** From /proc, because a small machine has neither lsof nor ss. Other users' processes are visible to root only.
 * @param {number} port */
async function listenerOnLinux(port) {
  const LISTEN = '0A';
  const inodes = new Set();
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    const text = await readFile(table, 'utf8').catch(() => '');
    for (const line of text.split('\n').slice(1)) {
      const [, local, , state, , , , , , inode] = line.trim().split(/\s+/);
      if (state === LISTEN && Number.parseInt(local?.split(':')[1] ?? '', 16) === port) inodes.add(`socket:[${inode}]`);
    }
  }
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => []);
    for (const descriptor of descriptors) {
      if (inodes.has(await readlink(`/proc/${pid}/fd/${descriptor}`).catch(() => ''))) return Number(pid);
    }
  }
  return undefined;
}

/** @param {number} port */
async function listenerByLsof(port) {
  const { stdout } = await run('lsof', ['-nP', '-t', `-iTCP:${port}`, '-sTCP:LISTEN']);
  const pid = Number(stdout.split('\n')[0]);
  return pid > 0 ? pid : undefined;
}
