import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { waitUntil } from './wait-until.js';

export interface ReceivedRequest {
  method: string;
  path: string;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string;
  receivedAt: Date;
}

export interface ReceiverAnswer {
  status: number;
  headers?: Record<string, string>;
  body?: string;
  delayMs?: number;
}

/** An answer, or what a broken receiver does instead: never answer, or break the connection. */
export type ReceiverReaction = ReceiverAnswer | 'hang' | 'reset';

export interface Receiver {
  /** `https://127.0.0.1:port`, or http without TLS. */
  url: string;
  /** Certificate to trust, PEM; empty without TLS. */
  ca: string;
  requests: ReceivedRequest[];
  /** The first request that fits, received already or still to come; 5 s when no time is given. */
  waitFor(predicate: (request: ReceivedRequest) => boolean, timeoutMs?: number): Promise<ReceivedRequest>;
  /** How requests are answered from now on; with 200 at first. */
  respondWith(respond: (request: ReceivedRequest) => ReceiverReaction | Promise<ReceiverReaction>): void;
  close(): Promise<void>;
}

/** PEM of what a receiver presents, and of the authority that signed it. */
export interface ReceiverCertificate {
  key: string;
  cert: string;
  ca: string;
}

/** On loopback; keeps what it gets and misbehaves on demand. `tls`: a certificate for it alone, or a shared one. */
export async function startReceiver(options: { tls?: boolean | ReceiverCertificate } = {}): Promise<Receiver> {
  const requests: ReceivedRequest[] = [];
  let respond: (request: ReceivedRequest) => ReceiverReaction | Promise<ReceiverReaction> = () => ({ status: 200 });

  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const received = await readRequest(request);
    requests.push(received);
    const reaction = await respond(received);
    if (reaction === 'hang') return;
    if (reaction === 'reset') {
      request.socket.resetAndDestroy();
      return;
    }
    if (reaction.delayMs) await delay(reaction.delayMs);
    response.writeHead(reaction.status, reaction.headers).end(reaction.body ?? '');
  };
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    // A client that leaves while it is read or answered is nothing to report.
    receive(request, response).catch((error: Error) => response.destroy(error));
  };

  const certificate = options.tls === true ? await selfSigned() : options.tls || undefined;
  const server = certificate
    ? https.createServer({ key: certificate.key, cert: certificate.cert }, listener)
    : http.createServer(listener);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `${certificate ? 'https' : 'http'}://127.0.0.1:${port}`,
    ca: certificate?.ca ?? '',
    requests,
    async waitFor(predicate, timeoutMs = 5_000) {
      await waitUntil(() => requests.some(predicate), { timeoutMs, describe: 'the receiver gets the request' });
      return requests.find(predicate) as ReceivedRequest;
    },
    respondWith(next) {
      respond = next;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readRequest(request: IncomingMessage): Promise<ReceivedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)])),
    body: Buffer.concat(chunks).toString('utf8'),
    receivedAt: new Date(),
  };
}

const IP_ADDRESS = 7;
const DNS_NAME = 2;

async function selfSigned(): Promise<ReceiverCertificate> {
  // Loaded by the few tests that need it: every test file would pay for its many modules.
  const { generate } = await import('selfsigned');
  const { private: key, cert } = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: IP_ADDRESS, ip: '127.0.0.1' },
          { type: DNS_NAME, value: 'localhost' },
        ],
      },
    ],
  });
  return { key, cert, ca: cert };
}
