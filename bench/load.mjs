// Requests over kept connections, one at a time on each. The client is written by hand because it shares the processor
// with what it measures: a whole HTTP client costs more than the cheapest of the servers.
import net from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');
const ACCEPTED = new Set(['200', '201', '202']);

/**
 * @param {string} method
 * @param {string} path with its query
 * @param {string} headers lines beside those that every request has, each with its end
 * @param {object} [body] sent as JSON
 * @returns {string} the request as it goes over the wire
 */
export function requestText(method, path, headers, body) {
  const text = body === undefined ? '' : JSON.stringify(body);
  const type =
    body === undefined ? '' : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1:8080\r\naccept: application/json\r\nuser-agent: bench\r\n${headers}${type}\r\n${text}`;
}

/**
 * @typedef {object} Load
 * @property {number} port on 127.0.0.1
 * @property {() => string} next the next request, whole, as it goes over the wire
 * @property {number} connections
 * @property {number} milliseconds
 */

/**
 * @param {Load} load
 * @returns {Promise<{ requests: number, seconds: number, latencies: number[] }>} those answered, and the milliseconds of each
 * @throws {Error} for any answer but 200, 201 and 202, and for one without a length
 */
export async function sendLoad({ port, next, connections, milliseconds }) {
  const begun = performance.now();
  const deadline = begun + milliseconds;
  /** @type {number[]} */
  const latencies = [];
  const users = Array.from({ length: connections }, () => useConnection(port, next, deadline, latencies));
  await Promise.all(users);
  return { requests: latencies.length, seconds: (performance.now() - begun) / 1000, latencies };
}

/**
 * @param {number} port
 * @param {() => string} next
 * @param {number} deadline in the time of performance.now()
 * @param {number[]} latencies milliseconds, filled in
 * @returns {Promise<void>}
 */
function useConnection(port, next, deadline, latencies) {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ host: '127.0.0.1', port, noDelay: true });
    let sentAt = 0;
    const send = () => {
      sentAt = performance.now();
      socket.write(next(), 'utf8');
    };
    /** What has arrived of an answer that is not complete. @type {Buffer | undefined} */
    let partial;
    socket.on('connect', send);
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`Port ${port} closed a connection`)));
    socket.on('data', (chunk) => {
      const answer = partial ? Buffer.concat([partial, chunk]) : chunk;
      const length = lengthOf(answer);
      if (length === undefined || answer.length < length) {
        partial = answer;
        return;
      }
      if (!ACCEPTED.has(answer.toString('latin1', 9, 12))) {
        reject(new Error(`Port ${port} answered ${answer.toString('utf8')}`));
        socket.destroy();
        return;
      }
      partial = undefined;
      const now = performance.now();
      latencies.push(now - sentAt);
      if (now < deadline) {
        send();
      } else {
        resolve();
        socket.destroy();
      }
    });
  });
}

/**
 * One request on a connection of its own.
 * @param {number} port on 127.0.0.1
 * @param {string} request as it goes over the wire
 * @returns {Promise<{ status: number, body: string }>}
 */
export function sendOne(port, request) {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ host: '127.0.0.1', port });
    let answer = Buffer.alloc(0);
    socket.on('connect', () => socket.write(request, 'utf8'));
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`Port ${port} closed a connection`)));
    socket.on('data', (chunk) => {
      answer = Buffer.concat([answer, chunk]);
      const length = lengthOf(answer);
      if (length === undefined || answer.length < length) return;
      const body = answer.toString('utf8', answer.indexOf(HEAD_END) + HEAD_END.length);
      resolve({ status: Number(answer.toString('latin1', 9, 12)), body });
      socket.destroy();
    });
  });
}

/**
 * @param {Buffer} answer
 * @returns {number | undefined} bytes of head and body; undefined while the head is not complete
 */
function lengthOf(answer) {
  const headEnd = answer.indexOf(HEAD_END);
  if (headEnd < 0) return undefined;
  const length = /\r\ncontent-length: *(\d+)/i.exec(answer.toString('latin1', 0, headEnd))?.[1];
  if (length === undefined) throw new Error(`An answer without a length: ${answer.toString('latin1')}`);
  return headEnd + HEAD_END.length + Number(length);
}
