import { request as send } from 'node:http';
import type { ServiceName } from '@crm/contracts';
import { type SpanDescription, useRecorder } from '@crm/telemetry';
import { afterEach, describe, expect, it } from '@jest/globals';
import fastify, { type FastifyInstance } from 'fastify';
import { receivesRequests } from './adapter.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SAMPLED = `00-${TRACE}-00f067aa0ba902b7-01`;
const SECRET = 'whk-very-secret';

interface Recorded extends SpanDescription {
  readonly parent: string | undefined;
  readonly noted: Record<string, unknown>;
  failure?: unknown;
}

let server: FastifyInstance;
afterEach(async () => {
  useRecorder(undefined);
  await server.close();
});

/** A server with a hook's route, and the spans that end. */
async function start(service: ServiceName, samples: boolean) {
  const ended: Recorded[] = [];
  useRecorder({
    samples: () => samples,
    start: (description, parent) => {
      const recorded: Recorded = { ...description, parent: parent?.spanId, noted: {} };
      return {
        traceparent: `00-${parent?.traceId ?? '1'.repeat(32)}-2222222222222222-01`,
        set: (name, value) => {
          recorded.noted[name] = value;
        },
        fail: (reason) => {
          recorded.failure = reason;
        },
        end: () => ended.push(recorded),
      };
    },
  });
  server = fastify();
  const traceparents: string[] = [];
  const receive = receivesRequests(service);
  server.addHook('onRequest', (request, reply, done) => {
    traceparents.push(receive(request, reply));
    done();
  });
  server.post('/hooks/:id/:secret', (request, reply) => {
    request.problemCode = (request.query as { problem?: string }).problem;
    return reply.code(Number((request.query as { status?: string }).status ?? 202)).send('');
  });
  server.get('/never', () => undefined);
  const url = await server.listen({ port: 0, host: '127.0.0.1' });
  const call = async (query = '', traceparent?: string) => {
    const headers = { ...(traceparent && { traceparent }) };
    await (await fetch(`${url}/hooks/7/${SECRET}${query}`, { method: 'POST', headers })).text();
  };
  return { ended, traceparents, call, url };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

describe('the span of a request', () => {
  it('is named by its route; nothing of it has the path, which may have a secret', async () => {
    const { ended, traceparents, call } = await start('automation-hooks', true);
    await call('?status=202', SAMPLED);
    await until(() => ended.length === 1);
    expect(ended).toEqual([
      {
        name: 'POST /hooks/:id/:secret',
        kind: 'server',
        attributes: { 'http.request.method': 'POST', 'url.scheme': 'http', 'http.route': '/hooks/:id/:secret' },
        parent: '00f067aa0ba902b7',
        noted: { 'http.response.status_code': 202 },
      },
    ]);
    expect(JSON.stringify(ended)).not.toContain(SECRET);
    expect(traceparents).toEqual([`00-${TRACE}-2222222222222222-01`]);
  });

  it('notes a refusal, and fails with the code of a failure', async () => {
    const { ended, call } = await start('automation-hooks', true);
    await call('?status=404&problem=NOT_FOUND');
    await call('?status=503&problem=SERVICE_UNAVAILABLE');
    await call('?status=500');
    await until(() => ended.length === 3);
    expect(ended.map(({ noted, failure }) => [noted['error.type'], failure])).toEqual([
      ['NOT_FOUND', undefined],
      [undefined, 'SERVICE_UNAVAILABLE'],
      [undefined, '500'],
    ]);
  });

  it('ends when the client goes away before the answer', async () => {
    const { ended, traceparents, url } = await start('automation-hooks', true);
    const request = send(`${url}/never`);
    request.on('error', () => undefined);
    request.end();
    await until(() => traceparents.length === 1);
    request.destroy();
    await until(() => ended.length === 1);
    expect(ended[0]?.noted).toEqual({ 'error.type': 'client_closed_connection' });
  });

  it('is made for whom the sender has recorded, except at an edge, where chance decides', async () => {
    const unsampled = SAMPLED.replace(/01$/, '00');
    const behind = await start('automation-hooks', true);
    await behind.call('', unsampled);
    await server.close();
    const edge = await start('gateway', false);
    await edge.call('', SAMPLED);
    expect([behind.ended, edge.ended]).toEqual([[], []]);
    for (const [traceparent] of [behind.traceparents, edge.traceparents]) {
      expect(traceparent).toMatch(new RegExp(`^00-${TRACE}-(?!00f067aa0ba902b7)[0-9a-f]{16}-00$`));
    }
  });
});
