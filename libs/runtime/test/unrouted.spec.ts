import { connect } from 'node:net';
import { Public } from '@crm/access';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Delete, Get, Param, Post } from '@nestjs/common';
import type { RunningService } from '../src/index.js';
import { startWith } from './harness.js';

@Controller('api/things')
@Public()
class ThingsController {
  @Get(':id')
  read(@Param('id') id: string) {
    return { id };
  }

  @Delete(':id')
  remove() {
    return {};
  }

  @Post()
  create() {
    return {};
  }
}

let service: RunningService;
beforeAll(async () => {
  // An edge, whose answers have the headers for browsers.
  service = await startWith({
    controllers: [ThingsController],
    config: { name: 'marketplace-admin', operatorsPort: undefined },
  });
});
afterAll(() => service?.close());

/** @returns the answer, once the connection has ended */
function send(text: string): Promise<{ status: number; headers: Headers; body: Record<string, unknown> }> {
  const { hostname, port } = new URL(service.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(text, 'latin1'));
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
    });
    socket.on('error', reject);
    socket.on('close', () => {
      const [head = '', body = ''] = answer.split('\r\n\r\n', 2);
      const [first = '', ...lines] = head.split('\r\n');
      const headers = new Headers(lines.map((line) => line.split(': ', 2) as [string, string]));
      resolve({ status: Number(first.split(' ')[1]), headers, body: body.startsWith('{') ? JSON.parse(body) : {} });
    });
  });
}
const HOST = 'Host: a.test\r\nConnection: close';
const request = (line: string, headers = HOST) => send(`${line} HTTP/1.1\r\n${headers}\r\n\r\n`);

describe('what no handler answers is a problem, with the headers of every answer', () => {
  it.each([
    ['an odd escape in a query', 'GET /api/things/1?x=%00', HOST, 400, 'INVALID_QUERY'],
    ['NUL in a path', 'GET /api/things/%00', HOST, 400, 'MALFORMED_REQUEST'],
    ['half a character in a path', 'GET /api/things/%ED%A0%80', HOST, 400, 'MALFORMED_REQUEST'],
    ['a wrong escape in a path', 'GET /api/things/%', HOST, 400, 'MALFORMED_REQUEST'],
    ['a wrong escape in a path without a route', 'GET /other/%', HOST, 400, 'MALFORMED_REQUEST'],
    ['a parameter that is too long', `GET /api/things/${'a'.repeat(600)}`, HOST, 400, 'MALFORMED_REQUEST'],
    [
      'headers that are too large',
      'GET /api/things/1',
      `${HOST}\r\nX: ${'x'.repeat(20_000)}`,
      431,
      'HEADERS_TOO_LARGE',
    ],
    ['a name of a header with a space', 'GET /api/things/1', `${HOST}\r\na b: c`, 400, 'MALFORMED_REQUEST'],
    ['an unknown method', 'FOO /api/things/1', HOST, 400, 'MALFORMED_REQUEST'],
    ['two lengths', 'POST /api/things', `${HOST}\r\nContent-Length: 1\r\nContent-Length: 2`, 400, 'MALFORMED_REQUEST'],
    ['no host', 'GET /api/things/1', 'Connection: close', 400, 'MALFORMED_REQUEST'],
    ['two hosts', 'GET /api/things/1', `${HOST}\r\nhost: a.test`, 400, 'MALFORMED_REQUEST'],
    ['an unknown path', 'GET /other', HOST, 404, 'NOT_FOUND'],
    ['a method that the path does not have', 'PATCH /api/things/1', HOST, 405, 'METHOD_NOT_ALLOWED'],
  ])('%s', async (_what, line, headers, status, code) => {
    const answer = await request(line, headers);
    expect([answer.status, answer.body.code, answer.headers.get('content-type')]).toEqual([
      status,
      code,
      'application/problem+json',
    ]);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it.each([
    ['PUT', '/api/things/1', 'DELETE, GET, HEAD'],
    ['OPTIONS', '/api/things/1?x=1', 'DELETE, GET, HEAD'],
    ['GET', '/api/things', 'POST'],
    ['GET', '/api/things/', null],
    ['POST', '/api/things/1/2', null],
  ])('%s %s names the methods of the path: %s', async (method, path, allow) => {
    const answer = await request(`${method} ${path}`);
    expect([answer.status, answer.headers.get('allow')]).toEqual([allow === null ? 404 : 405, allow]);
  });

  it('and does not tell what may be the secret of a mistyped address', async () => {
    const { body } = await request('POST /api/thing/0199aa00-0000-7000-8000-000000000001/Zm9vYmFyc2VjcmV0MTIzNDU2');
    expect(body.instance).toBe('/api/thing/0199aa00-0000-7000-8000-000000000001/[redacted]');
    const metrics = await (await fetch(`${service.operationsUrl}/metrics`)).text();
    expect(metrics).toContain('method="POST",route="unmatched",status="404"');
    expect(metrics).not.toContain('Zm9v');
  });

  it('and a request of HTTP/1.0 needs no host', async () => {
    expect((await send('GET /api/things/1 HTTP/1.0\r\n\r\n')).status).toBe(200);
  });
});
