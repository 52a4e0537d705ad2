import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import tls from 'node:tls';

const START_TIMEOUT_MS = 10_000;

/**
 * What a Redis server answers to commands, once it has started.
 * @param {number} port on this machine @param {readonly string[]} commands
 * @param {string} [authority] PEM of the authority of its certificate; undefined for a connection without TLS
 * @returns {Promise<string[]>} the first line of each answer
 */
export async function redisAnswers(port, commands, authority) {
  for (const deadline = Date.now() + START_TIMEOUT_MS; ; await delay(20)) {
    try {
      return await ask(port, commands, authority);
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ECONNREFUSED' || Date.now() > deadline) throw error;
    }
  }
}

/** @param {number} port @param {readonly string[]} commands @param {string} [authority] @returns {Promise<string[]>} */
function ask(port, commands, authority) {
  return new Promise((resolve, reject) => {
    let text = '';
    const target = { host: '127.0.0.1', port };
    const socket = authority ? tls.connect({ ...target, ca: authority, servername: 'valkey' }) : net.connect(target);
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('end', () => resolve(text.split('\r\n').slice(0, commands.length)));
    socket.write(`${[...commands, 'QUIT'].join('\r\n')}\r\n`);
  });
}
