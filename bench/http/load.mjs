// Requests over kept connections, one at a time on each. The client is written by hand because it shares the processor
// with what it measures: a whole HTTP client costs more than the cheapest of the servers.
import net from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');

/**
 * @typedef {object} Load
 * @property {number} port on 127.0.0.1
 * @property {string} request the whole request as it goes over the wire, without a body
 * @property {number} connections
 * @property {number} milliseconds
 */

/**
 * @param {Load} load
 * @returns {Promise<{ requests: number, seconds: number }>} those answered
 * @throws {Error} for any answer but 200, and for one without a length
 */
export async function sendLoad({ port, request, connections, milliseconds }) {
  const bytes = Buffer.from(request, 'latin1');
  const begun = performance.now();
  const deadline = begun + milliseconds;
  const counts = await Promise.all(Array.from({ length: connections }, () => useConnection(port, bytes, deadline)));
  return { requests: counts.reduce((sum, count) => sum + count, 0), seconds: (performance.now() - begun) / 1000 };
}

/**
 * @param {number} port
 * @param {Buffer} request
 * @param {number} deadline in the time of performance.now()
 * @returns {Promise<number>} answers
 */
function useConnection(port, request, deadline) {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ host: '127.0.0.1', port, noDelay: true });
    let answers = 0;
    /** What has arrived of an answer that is not complete. @type {Buffer | undefined} */
    let partial;
    socket.on('connect', () => socket.write(request));
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`Port ${port} closed a connection`)));
    socket.on('data', (chunk) => {
      const answer = partial ? Buffer.concat([partial, chunk]) : chunk;
      const length = lengthOf(answer);
      if (length === undefined || answer.length < length) {
        partial = answer;
        return;
      }
      if (answer.toString('latin1', 9, 12) !== '200') {
        reject(new Error(`Port ${port} answered ${answer.toString('utf8')}`));
        socket.destroy();
        return;
      }
      partial = undefined;
      answers += 1;
      if (performance.now() < deadline) {
        socket.write(request);
      } else {
        resolve(answers);
        socket.destroy();
      }
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
