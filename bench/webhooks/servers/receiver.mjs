// Receives webhooks over https and answers as the path says: /ok/…, /fail/… (500), /hang/… (never), /slow/<ms>/….
// Written on bare TLS because it shares the processor with what it measures: a whole HTTP server costs several times as
// much. Environment: PORTS (an origin each, separated by commas), CONTROL_PORT, KEY_FILE, CERT_FILE.
import { readFileSync } from 'node:fs';
import tls from 'node:tls';
import { serveCommands } from '../control.mjs';

const HEAD_END = Buffer.from('\r\n\r\n');
const NOTHING = Buffer.alloc(0);
const ACCEPTED = 'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 2\r\n\r\nok';
const FAILED = 'HTTP/1.1 500 Internal Server Error\r\ncontent-type: text/plain\r\ncontent-length: 5\r\n\r\nerror';

/** First receipts of events, in milliseconds since 1970, by path and id; of paths that work. */
/** @type {Map<string, Map<string, number>>} */
let receipts = new Map();
const noCounts = () => ({ requests: 0, receipts: 0, duplicates: 0, slow: 0, failed: 0 });
let counts = noCounts();
/** Requests that wait at this moment for the answer that never comes. */
let hanging = 0;

/**
 * @typedef {object} Request
 * @property {string} path
 * @property {string} id `webhook-id`
 * @property {number} length bytes of head and body
 */

/**
 * @param {Buffer} bytes
 * @returns {Request | undefined} undefined while it is not complete
 */
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

/** @param {Request} request */
function note({ path, id }) {
  let ofPath = receipts.get(path);
  if (!ofPath) {
    ofPath = new Map();
    receipts.set(path, ofPath);
  }
  if (ofPath.has(id)) {
    counts.duplicates += 1;
    return;
  }
  ofPath.set(id, Date.now());
  counts.receipts += 1;
}

/**
 * @param {tls.TLSSocket} socket
 * @param {Request} request
 */
function answer(socket, request) {
  counts.requests += 1;
  const [, behaviour, milliseconds] = request.path.split('/', 3);
  switch (behaviour) {
    case 'ok':
      note(request);
      socket.write(ACCEPTED, 'latin1');
      return;
    case 'slow':
      counts.slow += 1;
      setTimeout(() => socket.write(ACCEPTED, 'latin1'), Number(milliseconds));
      return;
    case 'fail':
      counts.failed += 1;
      socket.write(FAILED, 'latin1');
      return;
    case 'hang':
      hanging += 1;
      socket.once('close', () => {
        hanging -= 1;
      });
      return;
    default:
      throw new Error(`Nothing is known of ${request.path}`);
  }
}

/** @param {tls.TLSSocket} socket */
function serve(socket) {
  socket.setNoDelay(true);
  let rest = NOTHING;
  socket.on('data', (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (;;) {
      const request = readRequest(rest);
      if (!request) return;
      rest = rest.subarray(request.length);
      answer(socket, request);
    }
  });
  // A client that leaves is nothing to report.
  socket.on('error', () => socket.destroy());
}

const { PORTS = '', CONTROL_PORT, KEY_FILE = '', CERT_FILE = '' } = process.env;
const certificate = { key: readFileSync(KEY_FILE), cert: readFileSync(CERT_FILE), ALPNProtocols: ['http/1.1'] };
for (const port of PORTS.split(',')) tls.createServer(certificate, serve).listen(Number(port), '127.0.0.1');

serveCommands(Number(CONTROL_PORT), {
  counts: () => ({ ...counts, hanging }),
  receipts: () => Object.fromEntries([...receipts].map(([path, ofPath]) => [path, [...ofPath]])),
  forget: () => {
    receipts = new Map();
    counts = noCounts();
  },
});
