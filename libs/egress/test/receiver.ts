import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer, type ServerOptions } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { generate } from 'selfsigned';

/** A key and a self-signed certificate, in PEM. */
export interface Certificate {
  key: string;
  cert: string;
}

const DAY_MS = 86_400_000;

/** Creates a certificate for names and addresses. */
export async function makeCertificate(
  names: string[],
  {
    ips = ['127.0.0.1'],
    expired = false,
    validMs = DAY_MS,
  }: { ips?: string[]; expired?: boolean; validMs?: number } = {},
): Promise<Certificate> {
  const now = Date.now();
  const altNames = [
    ...names.map((value) => ({ type: 2 as const, value })),
    ...ips.map((ip) => ({ type: 7 as const, ip })),
  ];
  const pem = await generate([{ name: 'commonName', value: names[0] ?? 'receiver' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(now - 10 * DAY_MS),
    notAfterDate: new Date(expired ? now - DAY_MS : now + validMs),
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames },
    ],
  });
  return { key: pem.private, cert: pem.cert };
}

/** Where a server listens: by default on a free port of 127.0.0.1. */
interface Listening {
  port?: number;
  address?: string;
}

/** A server on loopback. */
export interface Receiver {
  port: number;
  /** Number of connections accepted so far. */
  connections: () => number;
  /** Number of connections that are open. */
  open: () => number;
  close(): Promise<void>;
}

async function listen(server: Server, { port = 0, address = '127.0.0.1' }: Listening = {}): Promise<Receiver> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections++;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => {
    server.listen(port, address, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    open: () => sockets.size,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** Starts an https server with this request handler. */
export function httpsReceiver(
  certificate: Certificate,
  handler: (request: IncomingMessage, response: ServerResponse) => void,
  { place, ...options }: ServerOptions & { place?: Listening } = {},
): Promise<Receiver> {
  return listen(createHttpsServer({ ...certificate, ...options }, handler), place);
}

/** Starts a TLS server that sends whatever the handler writes. */
export function tlsReceiver(certificate: Certificate, handler: (socket: TLSSocket) => void): Promise<Receiver> {
  return listen(
    createTlsServer(certificate, (socket) => {
      // The client closes connections in most of these tests; that is not a failure of the receiver.
      socket.on('error', () => socket.destroy());
      handler(socket);
    }),
  );
}

/** Starts a TCP server that sends whatever the handler writes, without TLS. */
export function tcpReceiver(handler: (socket: Socket) => void): Promise<Receiver> {
  return listen(
    createTcpServer((socket) => {
      socket.on('error', () => socket.destroy());
      handler(socket);
    }),
  );
}

/** Starts a plain http server, for tests of the wrong protocol on the port. */
export function httpReceiver(): Promise<Receiver> {
  return listen(createServer((_request, response) => response.end('plain')));
}

/** Answers requests only when so many wait, so that each needs a connection of its own. */
export function answerTogether(count: number): (request: IncomingMessage, response: ServerResponse) => void {
  let waiting: ServerResponse[] = [];
  return (_request, response) => {
    waiting.push(response);
    if (waiting.length < count) return;
    for (const one of waiting) one.end('ok');
    waiting = [];
  };
}
