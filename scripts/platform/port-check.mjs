import { once } from 'node:events';
import net from 'node:net';
import { PlainError } from '../plain-error.mjs';

/** @param {readonly { port: number, name: string }[]} wanted @throws {PlainError} naming every port that is in use */
export async function requireFreePorts(wanted) {
  const taken = [];
  for (const one of wanted) if (!(await isFree(one.port))) taken.push(one);
  if (taken.length === 0) return;
  const lines = taken.map(({ port, name }) => `  127.0.0.1:${port}, wanted by ${name}\n`);
  throw new PlainError(
    `${taken.length === 1 ? 'A port is' : `${taken.length} ports are`} in use; nothing was started.\n${lines.join('')}` +
      `Stop what holds it (lsof -i :${taken[0]?.port}), or move the whole platform, for example by 20000: ` +
      'PORT_OFFSET=20000 npm start',
  );
}

/** @param {number} port @returns {Promise<boolean>} */
async function isFree(port) {
  const server = net.createServer().listen({ port, host: '127.0.0.1', exclusive: true });
  try {
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
