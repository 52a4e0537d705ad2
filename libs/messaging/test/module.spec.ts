import { RevocationSource } from '@crm/access';
import { CONSUMERS, EVENTS, type EventEnvelope, rpc } from '@crm/contracts';
import { appendEvent, Database, DatabaseModule, newId, storeDeadLetter } from '@crm/database';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, type DynamicModule, type INestMicroservice, Module } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import {
  type EventContext,
  EventHandler,
  MessagingModule,
  NatsConnection,
  NatsStrategy,
  Rpc,
  RpcHandler,
} from '../src/index.js';
import {
  type Broker,
  createApp,
  guards,
  leadCreated,
  PASSWORD,
  startBroker,
  startDatabase,
  type TestDatabase,
  until,
} from './fixture.js';

@Controller()
class DispatcherRpc {
  removed: string[] = [];

  @RpcHandler(rpc.webhooks.removeSubscriptions)
  async remove({ installationId }: { installationId: string }) {
    this.removed.push(installationId);
    return { removed: 1 };
  }
}

@Controller()
class LeadConsumer {
  handled: string[] = [];
  failed: string[] = [];
  /** Thrown at the first delivery of each event, after its effect. */
  error: Error | undefined;

  @EventHandler(CONSUMERS['webhook-dispatcher'], ['lead.created', 'lead.updated'])
  async onLead(@Payload() event: EventEnvelope, @Ctx() { tx }: EventContext): Promise<void> {
    await tx.query('INSERT INTO effect (tenant_id, id, event) VALUES ($1, $2, $3)', [tx.tenantId, newId(), event.id]);
    if (this.error && !this.failed.includes(event.id)) {
      this.failed.push(event.id);
      throw this.error;
    }
    this.handled.push(event.id);
  }
}

@Controller()
class MisplacedConsumer {
  @EventHandler(CONSUMERS['automation-hooks'], 'all')
  async onEvent(): Promise<void> {
    throw new Error('never called');
  }
}

@Module({})
class AppModule {
  static with(imports: DynamicModule[], controllers: (new () => object)[] = []): DynamicModule {
    return { module: AppModule, imports, controllers, providers: guards() };
  }
}

describe('the messaging module', () => {
  let broker: Broker;
  let store: TestDatabase;
  const apps: INestMicroservice[] = [];

  const messaging = (service: 'custom-objects' | 'webhook-dispatcher', outbox = false) =>
    MessagingModule.forService({ config: { url: broker.url, user: service, password: PASSWORD, service }, outbox });
  const database = () => DatabaseModule.forService({ config: store.database.config });
  const start = async (module: DynamicModule) => {
    const app = await createApp(module);
    apps.push(app);
    await app.listen();
    return app;
  };

  const append = (app: INestMicroservice, tenant: string) =>
    app
      .get(Database)
      .transaction(tenant, (tx) =>
        appendEvent(tx, EVENTS['lead.created'], { subject: 's', data: { record: {} as never }, recordVersion: 1 }),
      );

  beforeAll(async () => {
    [broker, store] = await Promise.all([startBroker(), startDatabase()]);
  });
  afterAll(async () => {
    for (const app of apps) await app.close();
    await broker.stop();
    await store.drop();
  });

  it('carries an event from the transaction of one service to the handler of another', async () => {
    const customObjects = await start(AppModule.with([database(), messaging('custom-objects', true)]));
    const dispatcher = await start(
      AppModule.with([database(), messaging('webhook-dispatcher')], [LeadConsumer, DispatcherRpc]),
    );
    await until(() => dispatcher.get(RevocationSource, { strict: false }).ready, 'the cut-offs are known');
    const consumer = dispatcher.get(LeadConsumer);
    const id = await append(customObjects, newId());
    await until(() => consumer.handled.includes(id), 'the event is handled');
    await until(async () => (await store.admin('SELECT 1 FROM effect')).length === 1, 'its effect is committed');
  });

  it('delivers an event again if its handler threw, and rolls back the failed delivery', async () => {
    const [customObjects, dispatcher] = apps as [INestMicroservice, INestMicroservice];
    const consumer = dispatcher.get(LeadConsumer);
    consumer.error = new Error('not yet');
    const id = await append(customObjects, newId());
    const effects = () => store.admin('SELECT 1 FROM effect WHERE event = $1', [id]);
    await until(() => consumer.failed.includes(id), 'the handler has thrown');
    expect(await effects()).toEqual([]);
    await until(() => consumer.handled.includes(id), 'the event is delivered again');
    await until(async () => (await effects()).length === 1, 'its effect is committed');
    consumer.error = undefined;
  });

  it('passes on the original error of a handler, which decides between redelivery and dead letter', async () => {
    const consumers = apps[1]?.get(NatsStrategy).eventConsumers() ?? [];
    expect(consumers.map(({ definition }) => definition.durable)).toEqual(['webhook-dispatcher']);
    const envelope = leadCreated(newId(), { data: {} });
    const message = {
      consumer: 'webhook-dispatcher',
      messageKey: newId(),
      sentAt: Date.now(),
      eventId: envelope.id,
      subject: 'events.lead.created.7',
      payload: Buffer.from(JSON.stringify(envelope)),
      error: 'before',
      deliveries: 10,
    };
    const { id } = await store.database.transaction(envelope.tenantid, (tx) => storeDeadLetter(tx, message));
    const handler = apps[1]?.get(LeadConsumer) as LeadConsumer;
    handler.error = new RangeError('the very one');
    await expect(consumers[0]?.replay(envelope.tenantid, id)).rejects.toBe(handler.error);
    handler.error = undefined;
    await expect(consumers[0]?.replay(envelope.tenantid, id)).resolves.toBe(true);
  });

  it('publishes the last committed events before it closes', async () => {
    const customObjects = await start(AppModule.with([database(), messaging('custom-objects', true)]));
    const tenant = newId();
    const ids = await Promise.all(Array.from({ length: 20 }, () => append(customObjects, tenant)));
    await customObjects.close();
    const consumer = apps[1]?.get(LeadConsumer);
    await until(() => ids.every((id) => consumer?.handled.includes(id)), 'every event is handled');
  });

  it('refuses to start with a handler of another service', async () => {
    const module = AppModule.with([database(), messaging('webhook-dispatcher')], [MisplacedConsumer]);
    const app = await createApp(module);
    await expect(app.listen()).rejects.toThrow('does not belong to webhook-dispatcher');
    await app.close();
  });

  it('reports an unavailable broker when pinged', async () => {
    const app = await start(AppModule.with([messaging('custom-objects')]));
    await expect(app.get(NatsConnection).ping()).resolves.toBeUndefined();
    expect(app.get(Rpc)).toBeDefined();
    await app.get(NatsConnection).close();
    await expect(app.get(NatsConnection).ping()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });
});
