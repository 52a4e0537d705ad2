import { Access, type Principal, ProofSource, Public } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Controller, Delete, Get, Param, Post, Put } from '@nestjs/common';
import type { RunningService } from '../src/index.js';
import { startWith, TestRevocations, tokenOf } from './harness.js';

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

/** Rules that say nothing of a proof. */
@Controller()
class SilentController {
  @Delete('api/things')
  @Access({ right: 'administer' })
  administer(): object {
    return {};
  }

  @Put('api/things/owner')
  @Access({ right: 'own' })
  own(): object {
    return {};
  }

  @Get('operators/api/things')
  @Access({ right: 'read' })
  ofOperators(): object {
    return {};
  }

  @Post('api/things')
  @Access({ right: 'write' })
  everyday(): object {
    return {};
  }
}

@Controller('api/undecided')
class UndecidedController {
  @Delete()
  @Access({ right: 'write', scope: 'tasks', proof: true })
  erase(): object {
    return {};
  }
}

@Controller('api/secrets')
class SecretController {
  @Get()
  @Access({ right: 'read', scope: 'tasks' })
  list(): object {
    return {};
  }

  @Put()
  @Access({ right: 'write', scope: 'tasks' })
  write(): object {
    return {};
  }

  @Delete()
  @Access({ right: 'administer', proof: false })
  administer(): object {
    return {};
  }

  @Delete('all')
  @Access({ right: 'own', proof: false })
  own(): object {
    return {};
  }

  @Post()
  @Access({ right: 'write', scope: 'tasks', key: true, proof: true })
  issue(): object {
    return { secret: 'new' };
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

  it('refuses to start with a rule for administrators, owners or operators that does not say whether it asks for a proof', async () => {
    await expect(startWith({ controllers: [ThingController, SilentController] })).rejects.toThrow(
      [
        'The rules of these routes do not say whether they ask for a proof (`proof: true` or `false`):',
        '  - DELETE /api/things (SilentController.administer)',
        '  - PUT /api/things/owner (SilentController.own)',
        '  - GET /operators/api/things (SilentController.ofOperators)',
      ].join('\n'),
    );
  });

  it('refuses to start with a scope that asks for a proof and does not say whether a key, which has none, passes', async () => {
    await expect(startWith({ controllers: [UndecidedController] })).rejects.toThrow(
      [
        'The rules of these routes ask for a proof, and do not say whether API keys pass without one (`key: true` or `false`):',
        '  - DELETE /api/undecided (UndecidedController.erase)',
      ].join('\n'),
    );
  });

  it('asks for a proof where a rule says so: of people, once they may call at all, and of no API key', async () => {
    const asked: string[] = [];
    class Proofs extends ProofSource {
      override async assert({ roles, sessionId }: Principal): Promise<void> {
        asked.push(roles.join());
        if (sessionId !== 'proven') throw new PlatformError('STEP_UP_REQUIRED');
      }
    }
    await start({ controllers: [SecretController], proofs: new Proofs() });
    const issue = async (claims: Record<string, unknown>) => {
      const headers = { authorization: `Bearer ${await tokenOf(claims)}` };
      const answer = await fetch(`${service.url}/api/secrets`, { method: 'POST', headers });
      return [answer.status, ((await answer.json()) as { code?: string }).code];
    };
    expect(await issue({ sid: 'old' })).toEqual([403, 'STEP_UP_REQUIRED']);
    expect(await issue({})).toEqual([403, 'STEP_UP_REQUIRED']);
    expect(await issue({ sid: 'proven' })).toEqual([201, undefined]);
    expect(asked).toEqual(['member', 'member', 'member']);
    expect(await issue({ sid: 'old', roles: ['viewer'] })).toEqual([403, 'FORBIDDEN']);
    expect(await issue({ sid: 'key', api_key: true, scopes: ['tasks'] })).toEqual([201, undefined]);
    expect(await issue({ sid: 'key', api_key: true, scopes: ['leads'] })).toEqual([403, 'INSUFFICIENT_SCOPE']);
    expect(asked).toHaveLength(3);
  });

  it('refuses what administers, and nothing else, while cut-offs may be missing for over 5 s', async () => {
    const revocations = new TestRevocations();
    const proofs = new (class extends ProofSource {
      override async assert(): Promise<void> {
        return undefined;
      }
    })();
    await start({ controllers: [SecretController], proofs, revocations });
    const headers = { authorization: `Bearer ${await tokenOf({ roles: ['owner'] })}` };
    const answers = () =>
      Promise.all(
        ['GET', 'PUT', 'DELETE', 'DELETE /all', 'POST'].map(async (call) => {
          const [method, path = ''] = call.split(' ') as [string, string?];
          const answer = await fetch(`${service.url}/api/secrets${path}`, { method, headers });
          return [call, answer.status, answer.headers.get('retry-after')];
        }),
      );
    const accepted = [
      ['GET', 200, null],
      ['PUT', 200, null],
      ['DELETE', 200, null],
      ['DELETE /all', 200, null],
      ['POST', 201, null],
    ];
    revocations.age = 5_000;
    expect(await answers()).toEqual(accepted);
    revocations.age = 5_001;
    const refused = accepted.slice(2).map(([call]) => [call, 503, '5']);
    expect(await answers()).toEqual([...accepted.slice(0, 2), ...refused]);
    expect((await get(`${service.operationsUrl}/readyz`)).status).toBe(200);
    revocations.age = 0;
    expect(await answers()).toEqual(accepted);
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
