import { RevocationSource } from '@crm/access';
import { CONSUMERS, EVENTS, type EventEnvelope, rpc } from '@crm/contracts';
import { appendEvent, Database, DatabaseModule, newId, type TenantTransaction } from '@crm/database';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type DynamicModule, type INestApplicationContext, Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { EventHandler, MessagingModule, NatsConnection, Rpc, RpcHandler } from '../src/index.js';
import { type Broker, PASSWORD, startBroker, startDatabase, type TestDatabase, until } from './fixture.js';

@Injectable()
class DispatcherRpc {
  removed: string[] = [];

  @RpcHandler(rpc.webhooks.removeSubscriptions)
  async remove({ installationId }: { installationId: string }) {
    this.removed.push(installationId);
    return { removed: 1 };
  }
}

@Injectable()
class LeadConsumer {
  handled: string[] = [];

  @EventHandler(CONSUMERS['webhook-dispatcher'], ['lead.created', 'lead.updated'])
  async onLead(event: EventEnvelope, tx: TenantTransaction): Promise<void> {
    await tx.query('INSERT INTO effect (tenant_id, id, event) VALUES ($1, $2, $3)', [tx.tenantId, newId(), event.id]);
    this.handled.push(event.id);
  }
}

@Injectable()
class MisplacedConsumer {
  @EventHandler(CONSUMERS['automation-hooks'], 'all')
  async onEvent(): Promise<void> {
    throw new Error('never called');
  }
}

@Module({})
class AppModule {
  static with(imports: DynamicModule[], providers: (new () => object)[] = []): DynamicModule {
    return { module: AppModule, imports, providers };
  }
}

describe('the messaging module', () => {
  let broker: Broker;
  let store: TestDatabase;
  const apps: INestApplicationContext[] = [];

  const messaging = (service: 'crm' | 'webhook-dispatcher', outbox = false) =>
    MessagingModule.forService({ config: { url: broker.url, user: service, password: PASSWORD, service }, outbox });
  const database = () => DatabaseModule.forService({ config: store.database.config });
  const start = async (module: DynamicModule) => {
    const app = await NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
    apps.push(app);
    return app;
  };

  beforeAll(async () => {
    [broker, store] = await Promise.all([startBroker(), startDatabase()]);
  });
  afterAll(async () => {
    for (const app of apps) await app.close();
    await broker.stop();
    await store.drop();
  });

  it('carries an event from the transaction of one service to the handler of another', async () => {
    const crm = await start(AppModule.with([database(), messaging('crm', true)]));
    const dispatcher = await start(
      AppModule.with([database(), messaging('webhook-dispatcher')], [LeadConsumer, DispatcherRpc]),
    );
    await until(() => dispatcher.get(RevocationSource, { strict: false }).ready, 'the cut-offs are known');
    const consumer = dispatcher.get(LeadConsumer);
    const tenant = newId();
    const id = await crm
      .get(Database)
      .transaction(tenant, (tx) =>
        appendEvent(tx, EVENTS['lead.created'], { subject: 's', data: { record: {} as never }, recordVersion: 1 }),
      );
    await until(() => consumer.handled.includes(id), 'the event is handled');
    await until(async () => (await store.admin('SELECT 1 FROM effect')).length === 1, 'its effect is committed');
  });

  it('closes without losing what was committed last', async () => {
    const crm = await start(AppModule.with([database(), messaging('crm', true)]));
    const tenant = newId();
    const done = Array.from({ length: 20 }, () =>
      crm
        .get(Database)
        .transaction(tenant, (tx) =>
          appendEvent(tx, EVENTS['lead.created'], { subject: 's', data: { record: {} as never } }),
        ),
    );
    const ids = await Promise.all(done);
    await crm.close();
    const consumer = apps[1]?.get(LeadConsumer);
    await until(() => ids.every((id) => consumer?.handled.includes(id)), 'every event is handled');
  });

  it('refuses to start with a handler of another service', async () => {
    const module = AppModule.with([database(), messaging('webhook-dispatcher')], [MisplacedConsumer]);
    const app = await Test.createTestingModule({ imports: [module] }).compile();
    await expect(app.init()).rejects.toThrow('not one of webhook-dispatcher');
    await app.close();
  });

  it('reports the loss of the broker when pinged', async () => {
    const app = await start(AppModule.with([messaging('crm')]));
    await expect(app.get(NatsConnection).ping()).resolves.toBeUndefined();
    expect(app.get(Rpc)).toBeDefined();
    await app.get(NatsConnection).close();
    await expect(app.get(NatsConnection).ping()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });
});
