import { Access, Public } from '@crm/access';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Controller, Get, Param } from '@nestjs/common';
import type { RunningService } from '../src/index.js';
import { startWith, TestRevocations } from './harness.js';

class Connection {
  failure: Error | undefined;
  hangs = false;
  async ping(): Promise<void> {
    if (this.hangs) await new Promise(() => undefined);
    if (this.failure) throw this.failure;
  }
}

let release: (() => void) | undefined;
let entered: (() => void) | undefined;

@Controller('api/things')
class ThingController {
  @Get('slow')
  @Public()
  async slow(): Promise<object> {
    await new Promise<void>((resolve) => {
      release = resolve;
      entered?.();
    });
    return { done: true };
  }

  @Get(':id')
  @Access({ right: 'read', scope: 'tasks' })
  read(@Param('id') id: string): object {
    return { id };
  }
}

@Controller('api/forgotten')
class ForgottenController {
  @Get()
  read(): object {
    return {};
  }
}

const get = async (url: string) => {
  const response = await fetch(url);
  return { status: response.status, body: await response.text() };
};

describe('a service in operation', () => {
  let service: RunningService;
  const start = async (parts: Parameters<typeof startWith>[0] = { controllers: [ThingController] }) => {
    service = await startWith(parts);
  };
  afterEach(() => service?.close());

  /** Begins a request that is answered when it is released. @returns its answer */
  const askSlowly = async () => {
    const inside = new Promise<void>((resolve) => {
      entered = resolve;
    });
    const answer = fetch(`${service.url}/api/things/slow`);
    await inside;
    return { answer };
  };

  it('refuses to start with a route without an access rule', async () => {
    await expect(startWith({ controllers: [ThingController, ForgottenController] })).rejects.toThrow(
      /neither @Access nor @Public:\n {2}- GET \/api\/forgotten \(ForgottenController.read\)$/,
    );
  });

  it('is ready when every connection answers and the cut-offs are known', async () => {
    const connection = new Connection();
    const revocations = new TestRevocations();
    await start({ revocations, providers: [{ provide: Connection, useValue: connection }] });
    const ready = async () => (await get(`${service.operationsUrl}/readyz`)).status;
    expect(await ready()).toBe(200);
    connection.failure = new Error('connection refused');
    expect(await ready()).toBe(503);
    expect(JSON.parse((await get(`${service.operationsUrl}/readyz`)).body)).toMatchObject({
      status: 'unavailable',
      checks: { Connection: { status: 'failed' }, Revocations: { status: 'ok' } },
    });
    connection.failure = undefined;
    connection.hangs = true;
    expect(await ready()).toBe(503);
    connection.hangs = false;
    revocations.ready = false;
    expect(await ready()).toBe(503);
    revocations.ready = true;
    expect(await ready()).toBe(200);
    expect((await get(`${service.operationsUrl}/livez`)).status).toBe(200);
    // Not on the public port.
    for (const path of ['readyz', 'metrics']) expect((await get(`${service.url}/${path}`)).status).toBe(404);
  });

  it('lists its routes with their access rules', async () => {
    await start();
    const routes = JSON.parse((await get(`${service.operationsUrl}/routes`)).body);
    expect(routes).toContainEqual({
      method: 'GET',
      path: '/api/things/:id',
      handler: 'ThingController.read',
      public: false,
      access: { right: 'read', scope: 'tasks' },
    });
    const document = { method: 'GET', path: '/api/openapi.json', handler: 'OpenApiController.read' };
    expect(routes).toContainEqual({ ...document, public: true });
  });

  it('measures by route template, never by path', async () => {
    await start();
    await get(`${service.url}/api/things/very-secret`);
    await get(`${service.url}/nowhere/very-secret`);
    const { body } = await get(`${service.operationsUrl}/metrics`);
    expect(body).toMatch(
      /http_request_duration_seconds_count\{method="GET",route="\/api\/things\/:id",status="401",service="custom-objects"/,
    );
    expect(body).toMatch(/route="unmatched"/);
    expect(body).toMatch(/process_cpu_user_seconds_total/);
    expect(body).not.toContain('very-secret');
  });

  it('lets requests in progress finish at shutdown, and accepts no more', async () => {
    await start();
    const { answer: slow } = await askSlowly();
    const closing = service.close();
    expect((await get(`${service.operationsUrl}/readyz`)).status).toBe(503);
    await expect(fetch(`${service.url}/api/things/1`, { headers: { connection: 'close' } })).rejects.toThrow();
    release?.();
    const answer = await slow;
    expect([answer.status, await answer.json()]).toEqual([200, { done: true }]);
    expect(answer.headers.get('connection')).toBe('close');
    await closing;
    await expect(fetch(`${service.operationsUrl}/livez`)).rejects.toThrow();
  });

  it('aborts requests that do not finish in time', async () => {
    await start({ controllers: [ThingController], config: { drainSeconds: 0 } });
    const { answer: slow } = await askSlowly();
    await Promise.all([expect(slow).rejects.toThrow(), service.close()]);
    release?.();
  });
});
