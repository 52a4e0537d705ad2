import { randomBytes, randomUUID } from 'node:crypto';
import { EVENTS, type EventEnvelope, type EventName, type ProvisionedSubscription, SCOPE_NAMES } from '@crm/contracts';
import { Database, newId } from '@crm/database';
import {
  type Receiver,
  startReceiver,
  startTestService,
  type TestService,
  testDatabase,
  testServiceConfig,
  testTokens,
  waitUntil,
} from '@crm/testing';
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import pg from 'pg';
import { AppModule } from '../src/app.module.js';
import type { DeliveryConfig, WebhookConfig } from '../src/config.js';
import { FanOutService } from '../src/delivery/fan-out.service.js';
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
  lastError?: { code: string; httpStatus?: number };
  nextAttemptAt?: string;
  setAside: boolean;
}

/** A page of a list, or the refusal of the call. */
export interface ListJson<Item> {
  data: Item[];
  total: number;
  totalIsExact: boolean;
  hasMore: boolean;
  nextCursor: string | null;
  code: string;
  detail: string;
}

export interface Tenant {
  id: string;
  admin: string;
  member: string;
}

export interface WebhookService {
  readonly service: TestService;
  readonly config: WebhookConfig;
  readonly receiver: Receiver;
  /** Of the server's administrator in the service's database, whom no policy binds. */
  readonly adminUrl: string;
  /** A statement of the server's administrator, whom no policy binds. */
  asAdministrator<Row extends object>(sql: string, parameters: readonly unknown[]): Promise<Row[]>;
  /** Another process of the same service on the same database. */
  startSibling(): Promise<TestService>;
  tenant(): Promise<Tenant>;
  subscribe(
    token: string,
    changes?: object,
  ): Promise<{ id: string; secret: string; publicKey: string | null; status: number; code?: string }>;
  /** Creates subscriptions of an app, by default one to `lead.created` at `/app`. */
  provision(tenantId: string, changes?: Partial<ProvisionRequest>): Promise<ProvisionedSubscription[]>;
  /** A statement in the context of a tenant. */
  rows<Row = Record<string, unknown>>(tenantId: string, sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
  /** Handles an event as the consumer does, until everything that became of it is recorded. */
  emit(tenantId: string, name?: EventName, record?: Record<string, unknown>): Promise<EventEnvelope>;
  handle(event: EventEnvelope, receipt?: { isRepeated: boolean }): Promise<void>;
  /** Requests with this event, in the order of their arrival. */
  received(eventId: string): Receiver['requests'];
  deliveries(token: string, query?: string): Promise<DeliveryJson[]>;
  settled(token: string, status: string): Promise<DeliveryJson[]>;
  close(): Promise<void>;
}

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
export const envelope = (tenantId: string, name: EventName, record: Record<string, unknown>): EventEnvelope => ({
  specversion: '1.0',
  id: newId(),
  source: '/crm',
  type: name,
  time: new Date().toISOString(),
  datacontenttype: 'application/json',
  dataschema: EVENTS[name].dataschema,
  tenantid: tenantId,
  data: { record },
});

/** Retries within milliseconds: the schedule has its own test. */
const FAST: DeliveryConfig = {
  retryDelaysMs: [0, 50, 50],
  concurrency: 16,
  slowConcurrency: 64,
  concurrencyPerSubscription: 4,
};

export async function startWebhooks(
  delivery: DeliveryConfig = FAST,
  { heldPerSubscription = 100_000 }: { heldPerSubscription?: number } = {},
): Promise<WebhookService> {
  const database = await testDatabase('webhook-dispatcher', migrations);
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
    delivery,
  };
  const start = () => startTestService(config, AppModule.with(config), { keySource: tokens.keySource });
  const service = await start();
  const siblings: TestService[] = [];

  const deliveries = async (token: string, query = '') =>
    (await service.request<{ data: DeliveryJson[] }>('GET', `/api/webhooks/deliveries${query}`, { token })).body.data;
  return {
    service,
    config,
    receiver,
    adminUrl: database.adminUrl,
    async asAdministrator<Row extends object>(sql: string, parameters: readonly unknown[]) {
      const client = new pg.Client({ connectionString: database.adminUrl });
      await client.connect();
      const { rows } = await client.query<Row>(sql, [...parameters]);
      await client.end();
      return rows;
    },
    async startSibling() {
      const sibling = await start();
      siblings.push(sibling);
      return sibling;
    },
    async tenant() {
      const id = randomUUID();
      const sign = (role: string) =>
        tokens.sign({ tid: id, sub: randomUUID(), roles: [role], scopes: [...SCOPE_NAMES] });
      return { id, admin: await sign('admin'), member: await sign('member') };
    },
    async subscribe(token, changes = {}) {
      const body = { events: ['lead.created'], url: `${receiver.url}/hook`, ...changes };
      const answer = await service.request<{ id: string; secret: string; publicKey: string | null; code?: string }>(
        'POST',
        '/api/webhooks/subscriptions',
        { token, body },
      );
      return { ...answer.body, status: answer.status };
    },
    provision: (tenantId, changes) =>
      service.get(SubscriptionService).provision(tenantId, randomUUID(), {
        installationId: randomUUID(),
        appKey: 'acme-visits',
        secret: APP_SECRET,
        webhooks: [{ events: ['lead.created'], url: `${receiver.url}/app` }],
        ...changes,
      }),
    rows: (tenantId, sql, parameters) => service.get(Database).transaction(tenantId, (tx) => tx.query(sql, parameters)),
    async emit(tenantId, name = 'lead.created', record = { id: randomUUID(), version: 1, lastName: 'Doe' }) {
      const event = envelope(tenantId, name, record);
      await service.get(FanOutService).handle(event, { isRepeated: false });
      return event;
    },
    handle: (event, receipt = { isRepeated: true }) => service.get(FanOutService).handle(event, receipt),
    received: (eventId) => receiver.requests.filter(({ headers }) => headers['webhook-id'] === eventId),
    deliveries,
    async settled(token, status) {
      let found: DeliveryJson[] = [];
      await waitUntil(
        async () => {
          found = await deliveries(token);
          return found.length > 0 && found.every((delivery) => delivery.status === status);
        },
        { timeoutMs: 15_000, describe: `every delivery is ${status}` },
      );
      return found;
    },
    async close() {
      for (const sibling of siblings) await sibling.close();
      await service.close();
      await receiver.close();
      await database.drop();
    },
  };
}

/** Starts the service for the tests of a suite, each with a new tenant and a receiver that accepts everything. */
export function useWebhooks(...options: Parameters<typeof startWebhooks>): { app: WebhookService; tenant: Tenant } {
  const app = {} as WebhookService;
  const tenant = {} as Tenant;
  beforeAll(async () => {
    Object.assign(app, await startWebhooks(...options));
  });
  afterAll(() => app.close?.());
  beforeEach(async () => {
    Object.assign(tenant, await app.tenant());
    app.receiver.respondWith(() => ({ status: 204 }));
  });
  return { app, tenant };
}

/** A promise that the test keeps open as long as it wants. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
