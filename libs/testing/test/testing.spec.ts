import https from 'node:https';
import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { DATABASES, EVENTS, rpc } from '@crm/contracts';
import {
  appendEvent,
  createInboxTable,
  createOutboxTable,
  Database,
  DatabaseModule,
  newId,
  ServiceMigration,
} from '@crm/database';
import { MessagingModule, Rpc } from '@crm/messaging';
import { afterAll, describe, expect, it } from '@jest/globals';
import { Controller, type DynamicModule, Get, Module } from '@nestjs/common';
import type { QueryRunner } from 'typeorm';
import {
  answerRpc,
  startReceiver,
  startTestService,
  testDatabase,
  testNats,
  testTokens,
  waitUntil,
} from '../src/index.js';

class EventTables1700000000000 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await createOutboxTable(runner, DATABASES['custom-objects']);
    await createInboxTable(runner, DATABASES['custom-objects']);
  }
}

@Controller('api/whoami')
class WhoAmIController {
  constructor(private readonly calls: Rpc) {}

  @Get()
  @Access({ right: 'read', app: true, embed: true })
  async whoAmI(@CurrentPrincipal() principal: Principal): Promise<unknown> {
    return this.calls.call(rpc.identity.getTenant, { tenantId: principal.tenantId });
  }
}

@Module({})
class AppModule {
  static with(imports: DynamicModule[]): DynamicModule {
    return { module: AppModule, imports, controllers: [WhoAmIController] };
  }
}

const serviceConfig = () => {
  const nats = testNats();
  return {
    name: 'custom-objects' as const,
    profile: 'test' as const,
    host: '127.0.0.1',
    port: 0,
    operationsPort: 0,
    logLevel: 'silent' as const,
    issuer: 'http://127.0.0.1:8080',
    baseUrl: 'http://127.0.0.1:8080',
    embedApiUrl: 'http://127.0.0.1:8081',
    trustedProxies: [],
    drainSeconds: 1,
    nats: {
      url: nats.url,
      user: 'custom-objects',
      password: nats.passwords['custom-objects'],
      service: 'custom-objects' as const,
    },
  };
};

describe('testDatabase', () => {
  it('gives each caller a migrated database of its own, from one template', async () => {
    const databases = await Promise.all(
      [1, 2, 3].map(() => testDatabase('custom-objects', [EventTables1700000000000])),
    );
    const tenant = newId();
    const opened = databases.map(({ config }) => new Database(config));
    await opened[0]?.transaction(tenant, (tx) =>
      appendEvent(tx, EVENTS['lead.created'], { subject: 's', data: { record: {} as never } }),
    );
    const counts = await Promise.all(
      opened.map((database) => database.crossTenant((tx) => tx.query('SELECT 1 FROM outbox'))),
    );
    expect(counts.map((rows) => rows.length)).toEqual([1, 0, 0]);
    await Promise.all(opened.map((database) => database.close()));
    await Promise.all(databases.map((database) => database.drop()));
  });
});

describe('startReceiver', () => {
  it('is an https server that keeps what it gets and answers as told', async () => {
    const receiver = await startReceiver({ tls: true });
    const post = (body: string) =>
      new Promise<number>((resolve, reject) => {
        const request = https.request(`${receiver.url}/hook?x=1`, { method: 'POST', ca: receiver.ca }, (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        });
        request.on('error', reject);
        request.end(body);
      });
    expect(await post('one')).toBe(200);
    receiver.respondWith(() => ({ status: 503 }));
    expect(await post('two')).toBe(503);
    receiver.respondWith(() => 'reset');
    await expect(post('three')).rejects.toThrow();
    expect(await receiver.waitFor((request) => request.body === 'two')).toMatchObject({
      method: 'POST',
      path: '/hook?x=1',
    });
    await receiver.close();
  });
});

describe('startTestService', () => {
  const closing: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const close of closing) await close();
  });

  it('runs a service against real servers, with a stand-in for its neighbour', async () => {
    const database = await testDatabase('custom-objects', [EventTables1700000000000]);
    const tokens = testTokens();
    const identity = await answerRpc(rpc.identity.getTenant, ({ tenantId }) => ({
      id: tenantId,
      name: 'Acme',
      plan: 'business' as const,
      timeZone: 'Europe/Berlin',
      country: null,
    }));
    const config = { service: serviceConfig(), database: database.config };
    const module = AppModule.with([
      DatabaseModule.forService({ config: config.database }),
      MessagingModule.forService({ config: config.service.nats, outbox: true }),
    ]);
    const service = await startTestService(config, module, { keySource: tokens.keySource });
    closing.push(service.close, identity.close, database.drop);

    await waitUntil(async () => (await fetch(`${service.operationsUrl}/readyz`)).status === 200, { describe: 'ready' });
    const tenant = newId();
    const token = await tokens.sign({ tid: tenant });
    const answer = await service.request('GET', '/api/whoami', { token });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ id: tenant, name: 'Acme' });
    expect((await service.request('GET', '/api/whoami')).status).toBe(401);

    await service
      .get(Database)
      .transaction(tenant, (tx) =>
        appendEvent(tx, EVENTS['lead.created'], { subject: 's', data: { record: {} as never } }),
      );
    await waitUntil(
      async () => {
        const waiting = await service
          .get(Database)
          .crossTenant((tx) =>
            tx.query('SELECT 1 FROM outbox WHERE NOT EXISTS (SELECT 1 FROM outbox_position WHERE published @> seq)'),
          );
        return waiting.length === 0;
      },
      { describe: 'the relay has published' },
    );
  });
});

describe('waitUntil', () => {
  it('says what it waited for', async () => {
    await expect(waitUntil(() => false, { timeoutMs: 30, describe: 'pigs fly' })).rejects.toThrow('pigs fly');
  });

  it('counts a machine that stands still as a moment', async () => {
    const standstill = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 150);
    let looks = 0;
    const comesTrue = () => {
      standstill();
      looks += 1;
      return looks === 4;
    };
    await waitUntil(comesTrue, { timeoutMs: 200 });
    expect(looks).toBe(4);
  });
});
