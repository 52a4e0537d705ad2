import { Access, CurrentPrincipal, type Principal, RevocationSource } from '@crm/access';
import {
  type Audience,
  CONSUMERS,
  EVENTS,
  type EventEnvelope,
  PlatformError,
  type RpcRequest,
  rpc,
  type ServiceName,
} from '@crm/contracts';
import { appendEvent, Database, DatabaseModule, newId, storeDeadLetter } from '@crm/database';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  Controller,
  type DynamicModule,
  type INestMicroservice,
  Injectable,
  type NestInterceptor,
  type Type,
} from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, ModulesContainer } from '@nestjs/core';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { firstValueFrom, type Observable } from 'rxjs';
import { OriginalErrorFilter } from '../src/events/event-handling.js';
import {
  type EventContext,
  EventHandler,
  EventReceipt,
  IdempotentEventHandler,
  MessagingModule,
  NatsStrategy,
  Rpc,
  RpcContext,
  RpcHandler,
} from '../src/index.js';
import { checkHandlers } from '../src/nats-strategy.js';
import {
  type Broker,
  CreateTables1700000000000,
  createApp,
  guards,
  leadCreated,
  PASSWORD,
  publishLead,
  startBroker,
  startDatabase,
  type TestDatabase,
  until,
} from './fixture.js';

const { getTenant, describeEmbedCredentials, revokePreviousEmbedSecret, getEmbedOrigins } = rpc.identity;
const DISPATCHER = CONSUMERS['webhook-dispatcher'];
const NOT_THERE = newId();
const BROKEN = newId();
const tenantView = (id: string) => ({ id, name: 'Acme', plan: 'business' as const, timeZone: 'UTC', country: null });

const member = { kind: 'user', roles: ['member'], scopes: [], tenantId: newId(), token: 'member' };
const admin = { ...member, roles: ['admin'], token: 'admin' };
const PRINCIPALS = [member, admin] as unknown as Principal[];

/** What the handlers saw. */
let seen: unknown[] = [];

@Controller()
class IdentityRpc {
  @RpcHandler(getTenant)
  async get(request: RpcRequest<typeof getTenant>) {
    seen.push(request);
    if (request.tenantId === NOT_THERE) throw new PlatformError('NOT_FOUND', 'No such tenant');
    if (request.tenantId === BROKEN) throw new Error('password=hunter2');
    return tenantView(request.tenantId);
  }

  @RpcHandler(revokePreviousEmbedSecret)
  @Access({ right: 'administer', proof: false })
  async revoke(
    @Payload() _request: RpcRequest<typeof revokePreviousEmbedSecret>,
    @CurrentPrincipal() principal: Principal,
    @Ctx() context: RpcContext,
  ) {
    seen.push({ principal, context });
    return { revoked: true };
  }
}

@Controller()
class LeadConsumer {
  handled: string[] = [];
  failed: string[] = [];
  /** Thrown at the first delivery of each event, after its effect. */
  error: Error | undefined;

  @EventHandler(DISPATCHER, ['lead.created', 'lead.updated'])
  async onLead(@Payload() event: EventEnvelope, @Ctx() { tx }: EventContext): Promise<void> {
    await tx.query('INSERT INTO effect (tenant_id, id, event) VALUES ($1, $2, $3)', [tx.tenantId, newId(), event.id]);
    if (this.error && !this.failed.includes(event.id)) {
      this.failed.push(event.id);
      throw this.error;
    }
    this.handled.push(event.id);
  }
}

/** Makes Observables of what handlers return, as every interceptor does. */
@Injectable()
class PassingInterceptor implements NestInterceptor {
  intercept(_context: unknown, next: { handle(): Observable<unknown> }): Observable<unknown> {
    return next.handle();
  }
}

class AppModule {}

let broker: Broker;
beforeAll(async () => {
  broker = await startBroker();
});
afterAll(() => broker.stop());

const messaging = (service: ServiceName, outbox = false): DynamicModule =>
  MessagingModule.forService({ config: { url: broker.url, user: service, password: PASSWORD, service }, outbox });

describe('a handler of calls in a Nest application', () => {
  let app: INestMicroservice;
  let caller: Rpc;
  let marketplace: Rpc;
  let verified: { token: string; audiences: readonly Audience[] }[] = [];
  const AUDIENCES = ['platform-api', 'platform-internal'];
  const verifier = {
    recallFrom: () => undefined,
    verify: async (token: string, audiences: readonly Audience[]) => {
      verified.push({ token, audiences });
      const principal = PRINCIPALS.find((candidate) => candidate.token === token);
      if (!principal) throw new PlatformError('TOKEN_EXPIRED');
      return principal;
    },
  };

  const create = (controllers: Type[], providers: Type[] = []) =>
    createApp({
      module: AppModule,
      controllers,
      imports: [messaging('identity')],
      providers: [
        ...guards(verifier),
        { provide: APP_INTERCEPTOR, useClass: PassingInterceptor },
        { provide: APP_FILTER, useClass: OriginalErrorFilter },
        ...providers,
      ],
    });
  beforeAll(async () => {
    app = await create([IdentityRpc]);
    await app.listen();
    caller = new Rpc(await broker.service('custom-objects'));
    marketplace = new Rpc(await broker.service('marketplace-certification'));
  });
  beforeEach(() => {
    seen = [];
    verified = [];
  });
  afterAll(() => app.close());

  it('replies with its return value', async () => {
    const tenantId = newId();
    await expect(caller.call(getTenant, { tenantId })).resolves.toEqual(tenantView(tenantId));
    expect(verified).toEqual([]);
  });

  it('is not called with a request that does not match the contract', async () => {
    await expect(caller.call(getTenant, { tenantId: 'not a uuid' })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      extra: { errors: [{ pointer: '/tenantId' }] },
    });
    expect(seen).toEqual([]);
  });

  it('passes its PlatformError to the caller but hides the message of a defect', async () => {
    const notThere = caller.call(getTenant, { tenantId: NOT_THERE });
    await expect(notThere).rejects.toMatchObject({ code: 'NOT_FOUND', message: 'No such tenant' });
    const broken = caller.call(getTenant, { tenantId: BROKEN });
    const message = expect.not.stringContaining('hunter2');
    await expect(broken).rejects.toMatchObject({ code: 'INTERNAL_ERROR', message });
  });

  const revoke = (token?: string, requestId?: string) =>
    marketplace.call(revokePreviousEmbedSecret, { appKey: 'fleet' }, { token, requestId });

  it('gets the principal of the token in the call, verified for the audience of its callers', async () => {
    await revoke('admin');
    await revoke('admin', 'r');
    expect(verified).toEqual([1, 2].map(() => ({ token: 'admin', audiences: AUDIENCES })));
    expect(seen[1]).toMatchObject({
      principal: { ...admin, requestId: 'r', traceparent: expect.stringMatching(/^00-/) },
      context: {
        principal: admin,
        caller: 'marketplace-certification',
        callContext: { requestId: 'r', principal: admin },
        contract: revokePreviousEmbedSecret,
      },
    });
    expect((seen[1] as { context: unknown }).context).toBeInstanceOf(RpcContext);
  });

  it.each([
    ['with a token that is no longer valid', 'old', 'TOKEN_EXPIRED'],
    ['without a token', undefined, 'UNAUTHENTICATED'],
    ['for a principal whom its access rule does not allow', 'member', 'FORBIDDEN'],
  ])('is not called %s', async (_what, token, code) => {
    await expect(revoke(token)).rejects.toMatchObject({ code });
    expect(seen).toEqual([]);
  });

  it('can be called with the methods of any ClientProxy', async () => {
    const tenantId = newId();
    for (const pattern of [getTenant, getTenant.subject]) {
      await expect(firstValueFrom(caller.send(pattern, { tenantId }))).resolves.toEqual(tenantView(tenantId));
    }
    const notThere = firstValueFrom(caller.send(getTenant, { tenantId: NOT_THERE }));
    await expect(notThere).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(firstValueFrom(caller.send('rpc.no.such.subject', {}))).rejects.toThrow('No contract has the subject');
    await expect(firstValueFrom(caller.emit('lead.created', {}))).rejects.toThrow('outbox');
  });

  it.each<[string, () => MethodDecorator, string]>([
    ['has a pattern without a contract', () => MessagePattern('rpc.identity.tenants.get'), 'marked with @RpcHandler'],
    [
      'gets the events of another service',
      () => EventHandler(CONSUMERS['automation-hooks'], 'all') as MethodDecorator,
      'does not belong to identity',
    ],
  ])('keeps the service from starting when it %s', async (_what, mark, problem) => {
    @Controller()
    class Misplaced {
      @mark()
      async handle() {
        return null;
      }
    }
    const refused = await create([Misplaced]);
    await expect(refused.listen()).rejects.toThrow(problem);
    await refused.close();
  });

  it('is checked for mistakes that Nest ignores silently', async () => {
    @Injectable()
    class Provider {
      @RpcHandler(getEmbedOrigins)
      async origins() {
        return { allowedOrigins: [] };
      }

      @EventHandler(DISPATCHER, 'all')
      async onEvent() {
        return undefined;
      }
    }
    @Controller()
    class Careless {
      @RpcHandler(revokePreviousEmbedSecret)
      async revoke(_request: RpcRequest<typeof revokePreviousEmbedSecret>) {
        return { revoked: true };
      }

      @RpcHandler(describeEmbedCredentials)
      @Access({ right: 'administer' })
      async describe(_request: RpcRequest<typeof describeEmbedCredentials>) {
        return { credentials: null };
      }

      @RpcHandler(getTenant)
      @Access({ right: 'read' })
      async get({ tenantId }: RpcRequest<typeof getTenant>) {
        return tenantView(tenantId);
      }
    }
    const careless = await create([Careless], [Provider]);
    const check = () => checkHandlers(careless.get(ModulesContainer, { strict: false }));
    expect(check).toThrow('Provider.origins is in a provider');
    expect(check).toThrow('Provider.onEvent is in a provider');
    expect(check).toThrow(
      "Careless.revoke has no @Access, though rpc.identity.embedClients.revokePrevious is called with a user's",
    );
    expect(check).toThrow('Careless.describe has a rule that does not say whether it asks for a proof');
    expect(check).toThrow('Careless.get has @Access, though rpc.identity.tenants.get is called without a token');
    await careless.close();
    expect(() => checkHandlers(app.get(ModulesContainer, { strict: false }))).not.toThrow();
  });

  it('is rejected when its payload would be empty', () => {
    expect(() => {
      class Forgetful {
        @RpcHandler(revokePreviousEmbedSecret)
        async revoke(_: RpcRequest<typeof revokePreviousEmbedSecret>, @CurrentPrincipal() _principal: Principal) {
          return { revoked: true };
        }
      }
      return Forgetful;
    }).toThrow('The first parameter of Forgetful.revoke needs @Payload()');
  });
});

describe('a handler of events in a Nest application', () => {
  let store: TestDatabase;
  let customObjects: INestMicroservice;
  let dispatcher: INestMicroservice;
  let consumer: LeadConsumer;

  const start = async (service: ServiceName, controllers: Type[]) => {
    // They share a database, and the dispatcher may not publish the events of the other.
    const outbox = service === 'custom-objects';
    const imports = [
      DatabaseModule.forService({ config: store.database.config, migrations: [CreateTables1700000000000] }),
      messaging(service, outbox),
    ];
    const app = await createApp({ module: AppModule, imports, controllers, providers: guards() });
    await app.listen().catch(async (refusal: unknown) => {
      await app.close();
      throw refusal;
    });
    return app;
  };
  const append = (tenant: string) =>
    customObjects
      .get(Database)
      .transaction(tenant, (tx) =>
        appendEvent(tx, EVENTS['lead.created'], { subject: 's', data: { record: {} as never }, recordVersion: 1 }),
      );

  beforeAll(async () => {
    store = await startDatabase();
    customObjects = await start('custom-objects', []);
    dispatcher = await start('webhook-dispatcher', [LeadConsumer]);
    consumer = dispatcher.get(LeadConsumer);
  });
  afterAll(() => store.drop());

  it('gets an event from the transaction of another service', async () => {
    await until(() => dispatcher.get(RevocationSource, { strict: false }).ready, 'the cut-offs are known');
    const id = await append(newId());
    await until(() => consumer.handled.includes(id), 'the event is handled');
    await until(async () => (await store.admin('SELECT 1 FROM effect')).length === 1, 'its effect is committed');
  });

  it('gets an event again after it has thrown, and what it did before is rolled back', async () => {
    consumer.error = new Error('not yet');
    const id = await append(newId());
    const effects = () => store.admin('SELECT 1 FROM effect WHERE event = $1', [id]);
    await until(() => consumer.failed.includes(id), 'the handler has thrown');
    expect(await effects()).toEqual([]);
    await until(() => consumer.handled.includes(id), 'the event is delivered again');
    consumer.error = undefined;
    await broker.settled(DISPATCHER);
    expect(await effects()).toHaveLength(1);
  });

  it('passes on its original error, which decides between redelivery and dead letter', async () => {
    const consumers = dispatcher.get(NatsStrategy).eventConsumers();
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
    consumer.error = new RangeError('the very one');
    await expect(consumers[0]?.replay(envelope.tenantid, id)).rejects.toBe(consumer.error);
    consumer.error = undefined;
    await expect(consumers[0]?.replay(envelope.tenantid, id)).resolves.toBe(true);
  });

  it('gets the last events of a service that closes, from its next process what it has not sent', async () => {
    const tenant = newId();
    const ids = await Promise.all(Array.from({ length: 20 }, () => append(tenant)));
    await customObjects.close();
    customObjects = await start('custom-objects', []);
    await until(() => ids.every((id) => consumer.handled.includes(id)), 'every event is handled');
    await customObjects.close();
    await dispatcher.close();
  });

  it('that is idempotent gets the event and a receipt, and is refused beside one that is not', async () => {
    const seen: { id: string; receipt: EventReceipt }[] = [];
    @Controller()
    class IdempotentConsumer {
      @IdempotentEventHandler(DISPATCHER, 'lead.created')
      async onLead(@Payload() event: EventEnvelope, @Ctx() receipt: EventReceipt): Promise<void> {
        seen.push({ id: event.id, receipt });
        if (seen.length === 1) throw new Error('not yet');
      }
    }
    await store.admin('TRUNCATE inbox');
    const app = await start('webhook-dispatcher', [IdempotentConsumer]);
    const event = leadCreated(newId());
    const streamSequence = await publishLead(await broker.user('custom-objects'), event);
    await until(() => seen.length === 2, 'it comes again after the error');
    await broker.settled(DISPATCHER);
    const receipt = { streamSequence, storedAt: expect.any(Date), shouldPutOff: false, consumer: DISPATCHER };
    expect(seen).toEqual([1, 2].map((deliveryCount) => ({ id: event.id, receipt: { ...receipt, deliveryCount } })));
    expect(seen[0]?.receipt).toBeInstanceOf(EventReceipt);
    expect(await store.admin('SELECT event_id FROM inbox')).toEqual([]);
    await app.close();
    const mixed = start('webhook-dispatcher', [IdempotentConsumer, LeadConsumer]);
    await expect(mixed).rejects.toThrow('either all idempotent or none of them is');
  });
});
