import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it } from '@jest/globals';
import { Edge } from './harness.js';

const MEGABYTE = 1024 * 1024;

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
          response.writeHead(200, {
            'content-type': 'application/json',
            ...(hasLength && { 'content-length': String(size) }),
          });
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
