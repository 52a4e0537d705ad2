// Receives webhooks over https and answers as the path says: /ok/…, /fail/… (500), /hang/… (never).
// Written on bare TLS because it shares the processor with what it measures: a whole HTTP server costs several times as
// much. Environment: PORT (of commands), PORTS (an origin each, separated by commas), KEY_FILE, CERT_FILE.
import { readFileSync } from 'node:fs';
import http from 'node:http';
import tls from 'node:tls';

const HEAD_END = Buffer.from('\r\n\r\n');
const ACCEPTED = 'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 2\r\n\r\nok';
const FAILED = 'HTTP/1.1 500 Internal Server Error\r\ncontent-type: text/plain\r\ncontent-length: 5\r\n\r\nerror';

/** First receipts of events, in milliseconds since 1970, by path and id; of paths that work. @type {Map<string, Map<string, number>>} */
const receipts = new Map();
/** Requests that wait at this moment for the answer that never comes. */
let hanging = 0;

/** The request at the beginning; undefined while it is not complete. @param {Buffer} bytes */
function readRequest(bytes) {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd < 0) return undefined;
  const head = bytes.toString('latin1', 0, headEnd + 2);
  const size = /\r\ncontent-length: *(\d+)\r\n/i.exec(head)?.[1];
  const id = /\r\nwebhook-id: *(\S+)\r\n/i.exec(head)?.[1];
  if (size === undefined || id === undefined) throw new Error(`Not a webhook with a length:\n${head}`);
  const length = headEnd + HEAD_END.length + Number(size);
  if (bytes.length < length) return undefined;
  const pathStart = head.indexOf(' ') + 1;
  return { path: head.slice(pathStart, head.indexOf(' ', pathStart)), id, length };
}

/** @type {Readonly<Record<string, (socket: tls.TLSSocket, request: { path: string, id: string }) => void>>} */
const BEHAVIOURS = {
  ok(socket, { path, id }) {
    const ofPath = receipts.get(path) ?? new Map();
    if (!ofPath.has(id)) receipts.set(path, ofPath.set(id, Date.now()));
    socket.write(ACCEPTED, 'latin1');
  },
  fail: (socket) => void socket.write(FAILED, 'latin1'),
  hang(socket) {
    hanging += 1;
    socket.once('close', () => {
      hanging -= 1;
    });
  },
};

/** @param {tls.TLSSocket} socket */
function serve(socket) {
  socket.setNoDelay(true);
  let rest = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let request = readRequest(rest); request; request = readRequest(rest)) {
      rest = rest.subarray(request.length);
      const [, behaviour = ''] = request.path.split('/', 2);
      BEHAVIOURS[behaviour]?.(socket, request);
    }
  });
  // A client that leaves is nothing to report.
  socket.on('error', () => socket.destroy());
}

const { PORT, PORTS = '', KEY_FILE = '', CERT_FILE = '' } = process.env;
const certificate = { key: readFileSync(KEY_FILE), cert: readFileSync(CERT_FILE), ALPNProtocols: ['http/1.1'] };
for (const port of PORTS.split(',')) tls.createServer(certificate, serve).listen(Number(port), '127.0.0.1');

/** What this process is asked while it receives. @type {Readonly<Record<string, () => unknown>>} */
const COMMANDS = {
  '/counts': () => ({ receipts: [...receipts.values()].reduce((sum, { size }) => sum + size, 0), hanging }),
  '/receipts': () => Object.fromEntries([...receipts].map(([path, ofPath]) => [path, [...ofPath]])),
  '/forget': () => receipts.clear(),
};
http
  .createServer(({ url = '' }, response) => response.end(JSON.stringify(COMMANDS[url]?.() ?? null)))
  .listen(Number(PORT), '127.0.0.1');
