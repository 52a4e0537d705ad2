import { randomBytes, randomUUID } from 'node:crypto';
import { type EventEnvelope, type EventName, type RpcRequest, rpc, SCOPE_NAMES } from '@crm/contracts';
import { Database, newId } from '@crm/database';
import { verifyWebhook, type WebhookVerificationError } from '@crm/sdk';
import {
  answerRpc,
  eventOf,
  type ReceivedRequest,
  startReceiver,
  startTestService,
  type TestService,
  testDatabase,
  testServiceConfig,
  testTokens,
  waitUntil,
} from '@crm/testing';
import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import pg from 'pg';
import { AppModule } from '../src/app.module.js';
import type { DeliveryConfig, WebhookConfig } from '../src/config.js';
import { type Arrival, FanOutService } from '../src/delivery/fan-out.service.js';
import type { EventEntry, NewDelivery } from '../src/ledger/ledger-entry.js';
import { migrations } from '../src/migrations/index.js';
import { type ProvisionRequest, SubscriptionService } from '../src/subscriptions/subscription.service.js';

export interface DeliveryJson {
  id: string;
  status: string;
  attempts: number;
  event: string;
  eventId: string;
  subscriptionId: string;
  url: string;
  lastError?: { code: string; httpStatus?: number };
  nextAttemptAt?: string;
  waitingFor?: string;
  setAside: boolean;
}

/** A page of a list, or the refusal of the call. */
export interface ListJson<Item> {
  data: Item[];
  total: number;
  nextCursor: string | null;
  code: string;
  detail: string;
}

export interface Tenant {
  id: string;
  admin: string;
  member: string;
  /** Creates an administrator's API key with these scopes. */
  keyWith(...scopes: string[]): Promise<string>;
}

export type WebhookService = Awaited<ReturnType<typeof startWebhooks>>;

export const SUBSCRIPTIONS_PER_TENANT = 20;
export const APP_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** A delivery for the ledger, by default one that waits for its first attempt and is not due. */
export const newDelivery = (changes: Partial<NewDelivery> = {}): NewDelivery => ({
  id: newId(),
  subscriptionId: newId(),
  app: null,
  url: 'https://hooks.example.com/',
  status: 'pending',
  attempts: 0,
  outcome: null,
  dueAt: null,
  position: null,
  claim: null,
  ...changes,
});

/** An event for the ledger. */
export const eventEntry = (tenantId: string, deliveries: readonly NewDelivery[], changes: Partial<EventEntry> = {}) =>
  ({ kind: 'event', tenantId, eventId: newId(), event: 'lead.created', body: '{}', deliveries, ...changes }) as const;

/** An event as the consumer gets it. */
export const envelope = (tenantId: string, name: EventName, record: Record<string, unknown>): EventEnvelope =>
  eventOf(name, tenantId, { record } as never);

const FAST: DeliveryConfig = {
  retryDelaysMs: [0, 50, 50],
  concurrency: 16,
  slowConcurrency: 64,
  concurrencyPerSubscription: 4,
};

/** @param delivery changes of what retries within milliseconds: the schedule has its own test */
export async function startWebhooks(delivery: Partial<DeliveryConfig> = {}, heldPerSubscription = 100_000) {
  const database = await testDatabase('webhook-dispatcher', migrations);
  const administrator = new pg.Pool({ connectionString: database.adminUrl, max: 2 });
  const tokens = testTokens();
  const receiver = await startReceiver({ tls: true });
  const target = new URL(receiver.url);
  const config: WebhookConfig = {
    service: testServiceConfig('webhook-dispatcher'),
    database: database.config,
    keyEncryptionKey: randomBytes(32).toString('base64'),
    egress: { allow: [{ host: target.hostname, port: Number(target.port) }], ca: receiver.ca },
    subscriptionsPerTenant: SUBSCRIPTIONS_PER_TENANT,
    heldPerSubscription,
    delivery: { ...FAST, ...delivery },
  };
  const start = (natsUrl = config.service.nats.url) => {
    const own = { ...config, service: { ...config.service, nats: { ...config.service.nats, url: natsUrl } } };
    return startTestService(own, AppModule.with(own), { keySource: tokens.keySource });
  };
  const service = await start();
  const acts: RpcRequest<typeof rpc.identity.recordAct>[] = [];
  let recording = async (): Promise<void> => undefined;
  const trail = await answerRpc(rpc.identity.recordAct, async (act) => {
    await recording();
    acts.push(act);
    return {};
  });
  const siblings: TestService[] = [];

  /** @param path below `/api/webhooks/` */
  const call = <Body = Record<string, unknown>>(token: string, method: string, path: string, body?: unknown) =>
    service.request<Body>(method, `/api/webhooks/${path}`, { token, body });
  const deliveries = async (token: string, query = '') =>
    (await call<{ data: DeliveryJson[] }>(token, 'GET', `deliveries${query}`)).body.data;
  /** Resolves when everything that became of the event is recorded. */
  const handle = (event: EventEnvelope, receipt: Arrival = { isRepeated: true }, by = service) =>
    by.get(FanOutService).handle(event, receipt);
  /** Handles an event as the consumer does. */
  const emit = async (
    tenantId: string,
    name: EventName = 'lead.created',
    record: Record<string, unknown> = { id: randomUUID(), version: 1, lastName: 'Doe' },
    by = service,
  ) => {
    const event = envelope(tenantId, name, record);
    await handle(event, { isRepeated: false }, by);
    return event;
  };
  /** The first request with this event. */
  const arrival = (eventId: string, timeoutMs?: number) =>
    receiver.waitFor(({ headers }) => headers['webhook-id'] === eventId, timeoutMs);
  return {
    service,
    config,
    adminUrl: database.adminUrl,
    receiver,
    /** What identity was told to write to the audit trail about a subscription, oldest first. */
    actsOn: (id: string) => acts.filter(({ subjectId }) => subjectId === id),
    /** Does something while identity writes to the audit trail. */
    whileRecording(work: () => Promise<void>): void {
      recording = work;
    },
    call,
    deliveries,
    handle,
    emit,
    arrival,
    /** Statuses that the receiver answers with in turn; the last one stays. */
    answer: (...statuses: number[]) =>
      receiver.respondWith(() => ({ status: (statuses.length > 1 ? statuses.shift() : statuses[0]) as number })),
    /** The receiver does not answer, or not at this path. @returns what lets it answer */
    holdAnswers(at?: string, status = 204): () => void {
      const { opened, open } = gate();
      receiver.respondWith(async ({ path }) => {
        if (at === undefined || path === at) await opened;
        return { status };
      });
      return open;
    },
    /** A statement of the server's administrator, whom no policy binds. */
    asAdministrator: async <Row extends object>(sql: string, parameters: readonly unknown[] = []) =>
      (await administrator.query<Row>(sql, [...parameters])).rows,
    /** Another process of the same service on the same database, until the test ends. */
    async startSibling(natsUrl?: string) {
      const sibling = await start(natsUrl);
      siblings.push(sibling);
      return sibling;
    },
    async tenant(): Promise<Tenant> {
      const id = randomUUID();
      const sign = (role: string) =>
        tokens.sign({ tid: id, sub: randomUUID(), roles: [role], scopes: [...SCOPE_NAMES] });
      const keyWith = (...scopes: string[]) =>
        tokens.sign({ tid: id, sub: randomUUID(), sid: randomUUID(), roles: ['admin'], scopes, api_key: true });
      return { id, admin: await sign('admin'), member: await sign('member'), keyWith };
    },
    async subscribe(token: string, changes: object = {}) {
      const body = { events: ['lead.created'], url: `${receiver.url}/hook`, ...changes };
      type Created = { id: string; secret: string; publicKey: string | null; code?: string };
      const answer = await call<Created>(token, 'POST', 'subscriptions', body);
      return { ...answer.body, status: answer.status };
    },
    /** Creates subscriptions of an app, by default one to `lead.created` at `/app`. */
    provision: (tenantId: string, changes: Partial<ProvisionRequest> = {}) =>
      service.get(SubscriptionService).provision(tenantId, randomUUID(), {
        installationId: randomUUID(),
        appKey: 'acme-visits',
        secret: APP_SECRET,
        webhooks: [{ events: ['lead.created'], url: `${receiver.url}/app` }],
        ...changes,
      }),
    /** A statement in the context of a tenant. */
    rows: <Row = Record<string, unknown>>(tenantId: string, sql: string, parameters?: readonly unknown[]) =>
      service.get(Database).transaction(tenantId, (tx) => tx.query<Row>(sql, parameters)),
    /** Requests with this event, in the order of their arrival. */
    received: (eventId: string) => receiver.requests.filter(({ headers }) => headers['webhook-id'] === eventId),
    /** The request of a new event. */
    delivered: async (tenantId: string, by?: TestService) =>
      arrival((await emit(tenantId, undefined, undefined, by)).id),
    async settled(token: string, status: string) {
      let found: DeliveryJson[] = [];
      const areSettled = async () => {
        found = await deliveries(token);
        return found.length > 0 && found.every((delivery) => delivery.status === status);
      };
      await waitUntil(areSettled, { timeoutMs: 15_000, describe: `every delivery is ${status}` });
      return found;
    },
    /** Waits for as many deliveries of a status as are meant. */
    counted(token: string, status: string, count: number, timeoutMs = 20_000) {
      const areCounted = async () => (await deliveries(token, `?status=${status}&size=100`)).length === count;
      return waitUntil(areCounted, { timeoutMs, describe: `${count} deliveries are ${status}` });
    },
    async closeSiblings() {
      for (const sibling of siblings.splice(0)) await sibling.close();
    },
    async close() {
      await this.closeSiblings();
      await service.close();
      await trail.close();
      await receiver.close();
      await administrator.end();
      await database.drop();
    },
  };
}

/** Starts the service for the tests of a suite, each with a new tenant and a receiver that accepts everything. */
export function useWebhooks(...options: Parameters<typeof startWebhooks>) {
  const app = {} as WebhookService;
  const tenant = {} as Tenant;
  beforeAll(async () => {
    Object.assign(app, await startWebhooks(...options));
  });
  afterAll(() => app.close?.());
  afterEach(() => app.closeSiblings());
  beforeEach(async () => {
    Object.assign(tenant, await app.tenant());
    app.receiver.respondWith(() => ({ status: 204 }));
  });
  /** @param path below `/api/webhooks/` */
  const call = <Body = Record<string, unknown>>(method: string, path: string, body?: unknown, token = tenant.admin) =>
    app.call<Body>(token, method, path, body);
  return { app, tenant, call };
}

/** With which type the SDK accepts a request, or why it refuses it. */
export const verdict = ({ body, headers }: ReceivedRequest, secret: string): string => {
  try {
    return verifyWebhook(body, headers, secret).type;
  } catch (error) {
    return (error as WebhookVerificationError).reason;
  }
};

/** A promise that the test keeps open as long as it wants. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
