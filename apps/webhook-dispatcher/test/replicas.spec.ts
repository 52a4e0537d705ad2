import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import type { EventEnvelope } from '@crm/contracts';
import { NatsConnection } from '@crm/messaging';
import { type TestService, testNats, waitUntil } from '@crm/testing';
import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { DueDeliveryWorker } from '../src/delivery/due-delivery.worker.js';
import { SubscriptionQueueSignal } from '../src/queue/queue-signals.js';
import { ReceiverHealth } from '../src/receivers/receiver-health.js';
import { SecretService } from '../src/subscriptions/secret.service.js';
import { SubscriptionStateService } from '../src/subscriptions/subscription-state.service.js';
import { APP_SECRET, type DeliveryJson, envelope, gate, useWebhooks, verdict } from './webhook-service.js';

/** An address of the broker for one process, on whose way everything can be lost. */
async function startRoute(broker: string) {
  const { hostname, port } = new URL(broker);
  const ways: (readonly [net.Socket, net.Socket])[] = [];
  const server = net.createServer((near) => {
    const way = [near, net.connect(Number(port), hostname)] as const;
    ways.push(way);
    const [, far] = way;
    for (const socket of way) socket.on('error', () => undefined).on('close', () => way.map((end) => end.destroy()));
    near.pipe(far).pipe(near);
  });
  const listen = async (at: number) => {
    server.listen(at, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  const at = await listen(0);
  return {
    url: `nats://127.0.0.1:${at}`,
    /** Neither end learns of it. */
    stop: () => {
      for (const [near, far] of ways) near.unpipe(far) && far.unpipe(near);
    },
    /** Connections are ended and no new ones made. */
    refuse: async () => {
      server.close();
      for (const [near] of ways.splice(0)) near.destroy();
    },
    heal: async () => {
      for (const [near, far] of ways) near.pipe(far).pipe(near);
      if (!server.listening) await listen(at);
    },
    close: () => {
      for (const [near] of ways.splice(0)) near.destroy();
      server.close();
    },
  };
}

const RETRY_MS = 300;
const { app, tenant, call } = useWebhooks({ retryDelaysMs: [0, RETRY_MS, RETRY_MS], concurrency: 32 });
// What is due is left to the siblings.
beforeAll(() => app.service.get(DueDeliveryWorker).beforeApplicationShutdown());
afterEach(() => void jest.restoreAllMocks());

const hasEnded = ({ status }: DeliveryJson) => status !== 'pending' && status !== 'retrying';
const lead = (changes: Partial<EventEnvelope> = {}): EventEnvelope => ({
  ...envelope(tenant.id, 'lead.created', { id: randomUUID(), version: 1, lastName: 'Doe' }),
  ...changes,
});
const deliveryOf = async ({ id }: EventEnvelope) =>
  (await app.deliveries(tenant.admin, '?size=100')).find(({ eventId }) => eventId === id) as DeliveryJson;
/** Has a sibling look at what is due, of which this process tells only itself. */
const wake = (sibling: TestService) => sibling.get(SubscriptionQueueSignal).signal();
const ended = async (event: EventEnvelope, sibling: TestService) => {
  const hasDelivery = async () => {
    wake(sibling);
    return hasEnded((await deliveryOf(event)) ?? { status: 'pending' });
  };
  await waitUntil(hasDelivery, { timeoutMs: 15_000, describe: 'the delivery to end' });
  return deliveryOf(event);
};
const requestsOf = (path: string, eventId: string | undefined) =>
  app.received(eventId ?? '').filter((request) => request.path === path);
/** Every process has the notices that were sent until now, and what they announce. */
const noticed = async (...others: TestService[]) => {
  const all = [app.service, ...others];
  for (const service of all) await service.get(ReceiverHealth).settled();
  for (const service of all) await service.get(NatsConnection).flush();
};
/** The receiver has been asked, and what it answered is stored: a slow attempt goes on after its event. */
const attempted = async (event: EventEnvelope) => {
  const isStored = async () => ((await deliveryOf(event))?.attempts ?? 0) > 0;
  await waitUntil(isStored, { timeoutMs: 15_000, describe: 'the delivery was attempted' });
};
/** A delivery of another tenant has been retried by then, so what is due has been looked at. */
const looked = async (sibling: TestService) => {
  const other = await app.tenant();
  await app.subscribe(other.admin, { url: `${app.receiver.url}/other` });
  const { id } = await app.emit(other.id);
  const isRetried = () => {
    wake(sibling);
    return app.received(id).length === 2;
  };
  await waitUntil(isRetried, { timeoutMs: 10_000, describe: 'the other delivery is retried' });
};

describe('a process that has missed notices', () => {
  /** It knows the receivers as they are now, and is told of no change. */
  const cutOff = async () => {
    broker = await startRoute(testNats().url);
    const sibling = await app.startSibling(broker.url);
    await app.emit(tenant.id, undefined, undefined, sibling);
    broker.stop();
    return { sibling, broker };
  };
  let broker: Awaited<ReturnType<typeof startRoute>> | undefined;
  afterEach(async () => {
    // It says good-bye to the broker.
    await broker?.heal();
    await app.closeSiblings();
    broker?.close();
  });
  const act = async (id: string, ...actions: string[]) => {
    for (const action of actions)
      expect((await call('POST', `subscriptions/${id}/${action}`)).status).toBeLessThan(300);
  };
  const subscribe = (name: string) => app.subscribe(tenant.admin, { url: `${app.receiver.url}/${name}` });

  it('sends, holds and signs what is due as the receivers are now', async () => {
    const [paused, resumed, signing] = [
      await subscribe('paused'),
      await subscribe('resumed'),
      await subscribe('signing'),
    ];
    await act(resumed.id, 'pause');
    const appKey = `acme-${randomUUID()}`;
    await app.provision(tenant.id, { appKey });
    const { sibling } = await cutOff();
    await subscribe('new');
    await act(resumed.id, 'resume');
    // First attempts are made here, and fail when everything has changed; the next ones are up to the sibling.
    const { opened: changed, open } = gate();
    app.receiver.respondWith(async ({ path, headers }) => {
      if (requestsOf(path, headers['webhook-id']).length > 1) return { status: 204 };
      await changed;
      return { status: 503 };
    });
    const event = lead();
    const handled = app.handle(event);
    await waitUntil(() => app.received(event.id).length === 5, { describe: 'the first attempts' });
    await act(paused.id, 'pause');
    const rotate = `subscriptions/${signing.id}/rotate-secret`;
    const { secret } = (await call<{ secret: string }>('POST', rotate)).body;
    await act(signing.id, 'revoke-previous-secret');
    const ofApp = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
    await app.service.get(SecretService).rotateOfApp(appKey, ofApp);
    open();
    await handled;

    const all = () => app.deliveries(tenant.admin);
    const haveEnded = async () => {
      wake(sibling);
      return (await all()).filter(({ eventId }) => eventId === event.id).every(hasEnded);
    };
    await waitUntil(haveEnded, { timeoutMs: 15_000, describe: 'all deliveries to end' });
    const ofEvent = (await all()).filter(({ eventId }) => eventId === event.id);
    const became = ofEvent.map(({ url, status, attempts }) => [url.split('/').pop(), status, attempts]).sort();
    expect(became).toEqual([
      ['app', 'delivered', 2],
      ['new', 'delivered', 2],
      ['paused', 'held', 1],
      ['resumed', 'delivered', 2],
      ['signing', 'delivered', 2],
    ]);
    const verdicts = (path: string, secrets: readonly string[]) => {
      const [, retry] = requestsOf(path, event.id);
      return secrets.map((one) => retry && verdict(retry, one));
    };
    expect(verdicts('/signing', [secret, signing.secret])).toEqual(['lead.created', 'no_matching_signature']);
    expect(verdicts('/app', [ofApp, APP_SECRET])).toEqual(['lead.created', 'lead.created']);
  });

  it('reads receivers anew while it knows that it is cut off', async () => {
    const { sibling, broker } = await cutOff();
    const nats = sibling.get(NatsConnection);
    const isKnown = new Promise<void>((resolve) => {
      nats.onStatus(({ type }) => type === 'disconnect' && resolve());
    });
    await broker.refuse();
    await isKnown;
    await app.subscribe(tenant.admin);
    const { id } = await app.emit(tenant.id, undefined, undefined, sibling);
    expect(app.received(id)).toHaveLength(1);
  });
});

describe('a receiver that asks for patience', () => {
  const HOUR_MS = 3_600_000;
  const askToWait = (seconds: number) =>
    app.receiver.respondWith(({ path }) =>
      path === '/other' ? { status: 503 } : { status: 503, headers: { 'retry-after': `${seconds}` } },
    );

  it('is left alone until the time that it named, also by processes that start later, and the ledger says so', async () => {
    const sibling = await app.startSibling();
    await app.subscribe(tenant.admin);
    await app.delivered(tenant.id, sibling);
    askToWait(3_600);
    await attempted(await app.emit(tenant.id));
    await noticed(sibling);
    const event = await app.emit(tenant.id, undefined, undefined, sibling);
    await looked(sibling);
    expect(app.received(event.id)).toEqual([]);
    const delivery = await deliveryOf(event);
    expect(delivery).toMatchObject({ status: 'pending', attempts: 0, waitingFor: 'receiver' });
    expect(Date.parse(delivery.nextAttemptAt ?? '')).toBeGreaterThan(Date.now() + HOUR_MS - 60_000);
    await app.closeSiblings();
    await looked(await app.startSibling());
    expect(app.received(event.id)).toEqual([]);
  });

  it('is asked again at once by all processes when the URL of its subscription changes', async () => {
    const sibling = await app.startSibling();
    const { id } = await app.subscribe(tenant.admin);
    await app.delivered(tenant.id, sibling);
    askToWait(3_600);
    await attempted(await app.emit(tenant.id));
    await noticed(sibling);
    app.answer(204);
    await call('PATCH', `subscriptions/${id}`, { url: `${app.receiver.url}/moved` });
    for (const service of [app.service, sibling]) {
      const event = await app.emit(tenant.id, undefined, undefined, service);
      expect(await deliveryOf(event)).toMatchObject({ status: 'delivered', url: `${app.receiver.url}/moved` });
    }
  });

  it('is left alone by all processes when it has failed five times in a row', async () => {
    const sibling = await app.startSibling();
    await app.subscribe(tenant.admin);
    await app.delivered(tenant.id, sibling);
    app.answer(500);
    // Pauses of one second, two, four and eight.
    for (let index = 0; index < 5; index += 1) await app.handle(lead());
    await noticed(sibling);
    const event = await app.emit(tenant.id, undefined, undefined, sibling);
    expect(await deliveryOf(event)).toMatchObject({ status: 'pending', attempts: 0, waitingFor: 'receiver' });
  });

  it('is left alone by all processes when it has failed five times in a row, whichever of them it failed', async () => {
    const sibling = await app.startSibling();
    // Nothing is sent again, which would be another failure.
    sibling.get(DueDeliveryWorker).beforeApplicationShutdown();
    await app.subscribe(tenant.admin);
    const emit = async (service: TestService) => {
      const event = await app.emit(tenant.id, undefined, undefined, service);
      await noticed(sibling);
      return event;
    };
    /** @returns how many of its events were attempted */
    const fail = async (...services: TestService[]) => {
      app.answer(500);
      let attempted = 0;
      for (const service of services) attempted += app.received((await emit(service)).id).length;
      return attempted;
    };
    expect(await fail(app.service, sibling, app.service, sibling)).toBe(4);
    // A success anywhere begins anew everywhere.
    app.answer(204);
    await emit(sibling);
    expect(await fail(sibling, app.service, sibling, app.service, sibling)).toBe(5);
    for (const service of [sibling, app.service]) {
      expect(await deliveryOf(await emit(service))).toMatchObject({ attempts: 0, waitingFor: 'receiver' });
    }
  });

  it('is tried anew at another URL by a process that has only heard of its failures', async () => {
    const sibling = await app.startSibling();
    sibling.get(DueDeliveryWorker).beforeApplicationShutdown();
    const { id } = await app.subscribe(tenant.admin);
    app.answer(500);
    for (let index = 0; index < 4; index += 1) await app.emit(tenant.id);
    await noticed(sibling);
    await call('PATCH', `subscriptions/${id}`, { url: `${app.receiver.url}/moved` });
    for (let index = 0; index < 2; index += 1) {
      const event = await app.emit(tenant.id, undefined, undefined, sibling);
      expect(await deliveryOf(event)).toMatchObject({ attempts: 1, waitingFor: 'retry' });
    }
  });

  it.each(['none', 'record'])(
    'loses nothing by how often it asks, with the order %s',
    async (ordering) => {
      const sibling = await app.startSibling();
      await app.subscribe(tenant.admin, { ordering, url: `${app.receiver.url}/throttled` });
      const statuses = [429, 429, 429, 503];
      app.receiver.respondWith(({ path }) => ({ status: (path === '/throttled' && statuses.shift()) || 204 }));
      const event = lead({ subject: randomUUID(), recordversion: 1 });
      await app.handle(event);
      expect(await ended(event, sibling)).toMatchObject({ status: 'delivered', attempts: 5, setAside: false });
    },
    20_000,
  );
});

describe('an answer 410', () => {
  it.each([
    ['to the first attempt', 0],
    ['to a retry', 1],
  ])('%s ends no delivery without disabling the subscription', async (_name, failures) => {
    const sibling = await app.startSibling();
    const { id } = await app.subscribe(tenant.admin);
    const refused = [app.service, sibling].map((service) =>
      jest.spyOn(service.get(SubscriptionStateService), 'disable').mockRejectedValueOnce(new Error('no disk')),
    );
    app.answer(...Array(failures).fill(503), 410);
    const event = lead();
    const handled = app.handle(event).catch((error: Error) => error.message);
    const called = () => {
      wake(sibling);
      return refused.some(({ mock }) => mock.calls.length > 0);
    };
    await waitUntil(called, { timeoutMs: 10_000, describe: 'the subscription is to be disabled' });
    await handled;
    await app.service.get(ReceiverHealth).settled();
    expect((await app.deliveries(tenant.admin)).filter(({ status }) => status === 'held')).toEqual([]);
    // The broker delivers the event again, or the claim ends.
    for (const spy of refused) spy.mockRestore();
    await app.handle(event);
    const soon = `UPDATE due_delivery SET claimed_until = now() WHERE tenant_id = $1 AND claim IS NOT NULL`;
    await app.asAdministrator(soon, [tenant.id]);
    await app.asAdministrator('UPDATE subscription_queue SET due_at = now() WHERE tenant_id = $1', [tenant.id]);
    expect(await ended(event, sibling)).toMatchObject({ status: 'held' });
    const reason = 'the endpoint returned 410 Gone';
    expect((await call('GET', `subscriptions/${id}`)).body).toMatchObject({ disabledReason: reason, heldCount: 1 });
  });
});

describe('a new subscription', () => {
  it('misses no event of a machine whose clock is some seconds behind', async () => {
    await app.subscribe(tenant.admin);
    const event = lead({ time: new Date(Date.now() - 4_000).toISOString() });
    await app.handle(event, { isRepeated: false });
    expect(app.received(event.id)).toHaveLength(1);
  });
});

describe('a delivery that waits', () => {
  const first = async (match: (delivery: DeliveryJson) => boolean = () => true) => {
    const isThere = async () => (await app.deliveries(tenant.admin)).some(match);
    // Another process looks every five seconds.
    await waitUntil(isThere, { timeoutMs: 15_000, describe: 'such a delivery' });
    return (await app.deliveries(tenant.admin)).find(match) as DeliveryJson;
  };
  const ordered = (recordId: string, recordversion: number) => lead({ subject: recordId, recordversion });

  it.each<[string, string | undefined, () => Promise<DeliveryJson>]>([
    [
      'its next attempt',
      'retry',
      async () => {
        await app.subscribe(tenant.admin);
        app.answer(500);
        await app.emit(tenant.id);
        return first();
      },
    ],
    [
      'its rate',
      'rate_limit',
      async () => {
        await app.subscribe(tenant.admin, { rateLimit: 1 });
        await Promise.all([1, 2, 3, 4].map(() => app.emit(tenant.id)));
        return first(({ status }) => status === 'pending');
      },
    ],
    [
      'an earlier one of its record',
      'record',
      async () => {
        await app.startSibling();
        await app.subscribe(tenant.admin, { ordering: 'record' });
        const record = randomUUID();
        app.answer(500);
        await app.handle(ordered(record, 1));
        await first(({ attempts }) => attempts === 1);
        await app.handle(ordered(record, 2));
        return first(({ attempts }) => attempts === 0);
      },
    ],
    [
      'a slot',
      'slot',
      async () => {
        await app.subscribe(tenant.admin);
        // Nobody works on what is due.
        const answer = app.holdAnswers();
        const handled = Array.from({ length: 6 }, () => app.emit(tenant.id));
        const waiting = await first(({ status, nextAttemptAt }) => status === 'pending' && nextAttemptAt !== undefined);
        answer();
        await Promise.all(handled);
        return waiting;
      },
    ],
    [
      'the answer to its attempt',
      undefined,
      async () => {
        await app.subscribe(tenant.admin);
        const answer = app.holdAnswers();
        await app.emit(tenant.id);
        const delivery = await first();
        answer();
        return delivery;
      },
    ],
  ])('says that it waits for %s, and never for a time that has passed', async (_name, waitingFor, make) => {
    const delivery = await make();
    expect(delivery.waitingFor).toBe(waitingFor);
    const now = Date.now();
    await app.handle(lead({ type: 'lead.deleted' }));
    const again = (await app.deliveries(tenant.admin)).find(({ id }) => id === delivery.id) as DeliveryJson;
    if (again.nextAttemptAt !== undefined) expect(Date.parse(again.nextAttemptAt)).toBeGreaterThanOrEqual(now);
  });
});
