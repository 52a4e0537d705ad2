import http from 'node:http';
import net from 'node:net';

/** @param {string} url @returns {Promise<{ status: number, body: string }>} status 0 when nobody answers */
export function get(url) {
  return new Promise((resolve) => {
    const request = http.get(url, { timeout: 2000, agent: false }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (text) => {
        body += text;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
      response.on('error', (error) => resolve({ status: 0, body: error.message }));
    });
    request.on('timeout', () => request.destroy(new Error('no answer within 2 s')));
    request.on('error', (error) => resolve({ status: 0, body: error.message }));
  });
}

/** @param {number} port on 127.0.0.1 @returns {Promise<boolean>} whether somebody accepts connections */
export function accepts(port) {
  return new Promise((resolve) => {
    const socket = net.connect({ host: '127.0.0.1', port });
    socket.setTimeout(1000, () => socket.destroy());
    socket.once('connect', () => {
      resolve(true);
      socket.destroy();
    });
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  });
}
