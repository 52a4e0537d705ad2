import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, createServer as createNetServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Edge } from './harness.js';

const MEGABYTE = 1024 * 1024;
const HEAD = 'POST /api/crm/leads HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';

/** What the pieces that arrived make together. */
const textOf = (pieces: readonly Buffer[]): string => Buffer.concat(pieces).toString();

describe('a body on its way through the gateway', () => {
  /** What arrived at the service, as it was read from its connections. */
  const pieces: Buffer[] = [];
  /** Called with the connection after every piece. */
  let onPiece: (socket: Socket) => void;
  const service = createNetServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (piece) => {
      pieces.push(piece);
      onPiece(socket);
    });
  });
  const edge = Edge.before(service);
  beforeEach(() => {
    pieces.length = 0;
    onPiece = (socket) =>
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}');
  });

  const connectClient = async (): Promise<Socket> => {
    const { hostname, port } = new URL(edge.gateway.url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    return socket;
  };

  it('leaves with its head in one write, and so does the answer', async () => {
    const client = await connectClient();
    const body = JSON.stringify({ lastName: 'Ä'.repeat(500) });
    client.write(`${HEAD}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    const [answer] = (await once(client, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 [\s\S]*\r\n\r\n\{\}$/);
    expect(pieces).toHaveLength(1);
    expect(textOf(pieces).split('\r\n\r\n')[1]).toBe(body);
    client.destroy();
  });

  it('is sent with its length and without chunks, however it came', async () => {
    const chunks = '3\r\n{"a\r\n4\r\n":1}\r\n0\r\n\r\n';
    const answer = await edge.raw(`${HEAD}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`);
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    const [head = '', body] = textOf(pieces).split('\r\n\r\n');
    expect(body).toBe('{"a":1}');
    expect(head.toLowerCase().match(/^content-length: .*$/gm)).toEqual(['content-length: 7']);
    expect(head.toLowerCase()).not.toContain('transfer-encoding');
  });

  it.each([
    ['a length and chunks', 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['two lengths', 'Content-Length: 5\r\nContent-Length: 6\r\n\r\n{"a":1'],
    ['a length that is no number', 'Content-Length: +5\r\n\r\n{"a":'],
    ['chunks inside another coding', 'Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n'],
    ['chunks with a size that is no number', 'Transfer-Encoding: chunked\r\n\r\n0x3\r\n{"a\r\n0\r\n\r\n'],
  ])('is refused with %s, and nothing of it reaches a service', async (_what, rest) => {
    const answer = await edge.raw(`${HEAD}Connection: close\r\n${rest}`);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(pieces).toEqual([]);
  });

  it('never reaches a service when the client goes away before its end', async () => {
    const gone = await connectClient();
    gone.write(`${HEAD}Content-Length: 1000\r\n\r\n{"a":`);
    gone.end();
    await once(gone.resume(), 'close');
    const body = '{"b":2}';
    const answer = await edge.raw(`${HEAD}Connection: close\r\nContent-Length: 7\r\n\r\n${body}`);
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(textOf(pieces).split('POST ')).toHaveLength(2);
    expect(textOf(pieces)).not.toContain('"a"');
  });

  it('that breaks off in the middle of a long answer ends the connection of the client', async () => {
    const sent = MEGABYTE;
    onPiece = (socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${2 * sent}\r\n\r\n`);
      socket.write(Buffer.alloc(sent, 'x'), () => socket.destroy());
    };
    const client = await connectClient();
    client.on('error', () => undefined);
    const read: Buffer[] = [];
    client.on('data', (piece) => read.push(piece));
    client.write('GET /api/crm/leads HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(client, 'close');
    const [head = '', ...rest] = textOf(read).split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 200 /);
    // Its length is promised and not kept: no client can take it for complete.
    expect(head).toContain(`content-length: ${2 * sent}`);
    expect(rest.join('').length).toBeLessThan(2 * sent);
  });
});

describe('an answer that the gateway forwards', () => {
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  /** Methods of the requests that arrived. */
  const received: string[] = [];
  const service = createServer((request, response) => {
    received.push(request.method ?? '');
    request.resume().on('end', () => answer(request, response));
  });
  const edge = Edge.before(service);
  afterAll(() => service.closeAllConnections());

  const call = (method: string) => edge.fetch('/api/crm/leads', { method });

  it('arrives complete, whatever its size, with and without a length', async () => {
    for (const size of [0, 1, 64 * 1024, 64 * 1024 + 1, 5 * MEGABYTE]) {
      for (const hasLength of [true, false]) {
        const body = Buffer.alloc(size, 'abcdefg');
        answer = (_request, response) => {
          const length = hasLength && { 'content-length': String(size) };
          response.writeHead(200, { 'content-type': 'application/json', ...length });
          for (let at = 0; at < size; at += 10_000) response.write(body.subarray(at, at + 10_000));
          response.end();
        };
        const response = await call('GET');
        expect(response.headers.get('content-type')).toBe('application/json');
        expect(Buffer.from(await response.arrayBuffer()).equals(body)).toBe(true);
      }
    }
  });

  it('keeps the length of a HEAD answer, and has no content type when the service sets none', async () => {
    answer = (_request, response) => response.writeHead(200, { 'content-length': '123' }).end();
    expect((await call('HEAD')).headers.get('content-length')).toBe('123');
    answer = (_request, response) => response.writeHead(200).end('text');
    const untyped = await call('GET');
    expect([untyped.headers.get('content-type'), await untyped.text()]).toEqual([null, 'text']);
    answer = (_request, response) => response.writeHead(204).end();
    expect((await call('DELETE')).status).toBe(204);
  });

  it('does not have the headers that are for the connection to the service', async () => {
    answer = (_request, response) => {
      response.writeHead(200, {
        'content-type': 'application/json',
        connection: 'keep-alive, X-Hop',
        'x-hop': '1',
        'x-kept': '1',
        'proxy-authenticate': 'Basic',
        trailer: 'x-sum',
        upgrade: 'h2c',
      });
      response.end('{}');
    };
    const { status, headers } = await call('GET');
    expect(status).toBe(200);
    expect(headers.get('x-kept')).toBe('1');
    for (const name of ['x-hop', 'proxy-authenticate', 'trailer', 'upgrade']) expect(headers.get(name)).toBeNull();
  });

  it('is requested again after a kept connection was closed, for reading methods only', async () => {
    for (const [method, attempts, status] of [
      ['GET', 2, 200],
      ['POST', 1, 503],
    ] as const) {
      answer = (_request, response) => response.end('{}');
      await (await call('GET')).text();
      received.length = 0;
      answer = (request, response) => {
        if (received.length === 1) request.socket.destroy();
        else response.end('{}');
      };
      expect((await call(method)).status).toBe(status);
      expect(received).toEqual(Array(attempts).fill(method));
    }
  });

  it('is a problem document when the service breaks off in the middle of a short answer', async () => {
    answer = (request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '10' });
      response.write('{');
      setTimeout(() => request.socket.destroy(), 20);
    };
    const response = await call('GET');
    expect([response.status, await response.json()]).toMatchObject([503, { code: 'SERVICE_UNAVAILABLE' }]);
  });

  it('is not read further after the client has gone', async () => {
    const ended = new Promise<boolean>((resolve) => {
      answer = (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': String(1024 * MEGABYTE) });
        const chunk = Buffer.alloc(MEGABYTE);
        const write = () => {
          while (!response.destroyed && response.write(chunk));
        };
        response.on('drain', write);
        response.on('close', () => resolve(response.writableFinished));
        write();
      };
    });
    const request = get(`${edge.gateway.url}/api/crm/leads`);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    await once(response, 'data');
    // No faster than the client reads: nothing accumulates in the gateway.
    response.pause();
    await delay(200);
    request.on('error', () => undefined);
    request.destroy();
    expect(await ended).toBe(false);
  });
});
