import { EVENTS, rpc } from '@crm/contracts';
import {
  appendEvent,
  type DeadLetterSummary,
  listDeadLetters,
  newId,
  OUTBOX_CONSUMER,
  replayOutboxEvent,
} from '@crm/database';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { register } from 'prom-client';
import { type NatsConnection, OutboxRelay, type OutboxRelayOptions } from '../src/index.js';
import {
  type Broker,
  gate,
  startBroker,
  startDatabase,
  startProxy,
  succeeds,
  type TestDatabase,
  until,
  withMethods,
} from './fixture.js';

const FAST: OutboxRelayOptions = { pollMs: 50, standbyMs: 30, retryMs: 50, batchSize: 16 };

describe('the outbox relay', () => {
  let broker: Broker;
  let store: TestDatabase;
  let nats: NatsConnection;
  let relays: OutboxRelay[] = [];
  const tenant = newId();

  beforeAll(async () => {
    [broker, store] = await Promise.all([startBroker(), startDatabase()]);
    nats = await broker.service('custom-objects');
  });
  beforeEach(() => store.admin('TRUNCATE outbox, outbox_position, dead_letter'));
  afterEach(async () => {
    await Promise.all(relays.map((relay) => relay.stop()));
    relays = [];
  });
  afterAll(async () => {
    await broker.stop();
    await store.drop();
  });

  const start = (connection = nats, database = store.database, options = FAST) => {
    const relay = new OutboxRelay(database, connection, options);
    relays.push(relay);
    relay.start();
    return relay;
  };
  const append = (subject: string, database = store.database) =>
    database.transaction(tenant, (tx) =>
      appendEvent(tx, EVENTS['lead.created'], { subject, data: { record: {} as never } }),
    );
  const appendMany = async (count: number) => {
    const ids: string[] = [];
    for (let index = 0; index < count; index += 1) ids.push(await append(`s${index}`));
    return ids;
  };
  const waiting = async () => {
    const [row] = await store.admin<{ n: string }>(
      `SELECT count(*) AS n FROM outbox
        WHERE NOT coalesce((SELECT published FROM outbox_position ORDER BY since DESC LIMIT 1), '{}') @> seq`,
    );
    return Number(row?.n);
  };
  const allPublished = (timeoutMs?: number) =>
    until(async () => (await waiting()) === 0, 'everything is published', timeoutMs);
  /** Those of the events that are in the stream, in its order. */
  const published = async (ids: readonly string[]) => (await broker.stored()).filter((id) => id && ids.includes(id));
  const allInOrder = async (ids: readonly string[]) => {
    await allPublished();
    expect(await published(ids)).toEqual(ids);
  };
  /** The processes that hold the lock. */
  const locks = () =>
    store.admin<{ pid: number }>(
      `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND objid = 47152013
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
  const oneIsActive = () => until(async () => (await locks()).length === 1, 'one is active');
  /** The same connection, publishing in another way. */
  const publishing = (publish: NatsConnection['connection']['publish']) => withMethods(nats, { publish });

  it('leaves no measurement and no lock behind when it stops', async () => {
    const value = async (name: string) => (await register.getSingleMetric(name)?.get())?.values[0]?.value;
    const relay = start();
    await until(async () => (await value('outbox_lag_seconds')) === 0, 'it measures');
    expect([await value('outbox_relay_active'), await value('outbox_waiting_events')]).toEqual([1, 0]);
    await relay.stop();
    expect([await value('outbox_relay_active'), await value('outbox_lag_seconds')]).toEqual([0, undefined]);
    expect(await value('outbox_waiting_events')).toBeUndefined();
    await until(async () => (await locks()).length === 0, 'the lock is free');
  });

  it('is woken by a commit and does not wait for its poll', async () => {
    start(nats, store.database, { ...FAST, pollMs: 60_000 });
    await oneIsActive();
    await append('wakes');
    await allPublished(3_000);
  });

  it('finds events that another process committed by polling', async () => {
    start();
    await append('of another process', store.sibling());
    await allPublished();
  });

  it('is woken by a commit of another process of the service', async () => {
    start(nats, store.database, { ...FAST, pollMs: 60_000 });
    await oneIsActive();
    const sibling = store.sibling();
    start(await broker.service('custom-objects'), sibling);
    const ids = [];
    for (let index = 0; index < 5; index += 1) ids.push(await append(`s${index}`, sibling));
    await allInOrder(ids);
  });

  it('asks an outbox that nothing is written to less often', async () => {
    start(nats, store.database, { ...FAST, pollMs: 5, quietMs: 100, idlePollMs: 60_000 });
    await oneIsActive();
    const asked = () =>
      store.admin<{ at: Date }>(
        `SELECT query_start AS at FROM pg_stat_activity JOIN pg_locks USING (pid)
          WHERE locktype = 'advisory' AND granted AND datname = current_database()`,
      );
    let last = await asked();
    await until(async () => {
      const before = last;
      await new Promise((resolve) => setTimeout(resolve, 150));
      last = await asked();
      return String(before[0]?.at.getTime()) === String(last[0]?.at.getTime());
    }, 'it rests');
    const unseen = await append('of a program without a relay', store.sibling());
    expect([await waiting(), await asked()]).toEqual([1, last]);
    const seen = await append('of its own process');
    await allInOrder([unseen, seen]);
  });

  it('loses no event and keeps the order when publishing fails in the middle of a batch', async () => {
    const ids = await appendMany(12);
    const attempts: string[] = [];
    const failing = publishing((subject, payload, options) => {
      const id = options?.headers?.get('Nats-Msg-Id') ?? '';
      attempts.push(id);
      // The fifth event fails on its first try, and with it everything behind it.
      const tries = attempts.filter((attempt) => attempt === ids[4]).length;
      if (ids.indexOf(id) >= 4 && tries <= 1) throw new Error('broken pipe');
      nats.connection.publish(subject, payload, options);
    });
    start(failing);
    await allPublished();
    expect(attempts.filter((id) => id === ids[4])).toHaveLength(2);
    expect(attempts.filter((id) => id === ids[3])).toHaveLength(1);
    expect(await published(ids)).toEqual(ids);
  });

  it('does not mark an event that was not acknowledged', async () => {
    const ids = await appendMany(3);
    let sent = 0;
    // The third event goes where nobody takes it.
    const misdirected = publishing((subject, payload, options) => {
      sent += 1;
      nats.connection.publish(sent % 3 === 0 ? rpc.identity.getTenant.subject : subject, payload, options);
    });
    const relay = start(misdirected, store.database, { ...FAST, retryMs: 60_000 });
    await until(async () => (await waiting()) === 1, 'the first two are marked');
    await relay.stop();
    expect(await waiting()).toBe(1);
    expect(await published(ids)).toEqual(ids.slice(0, 2));
  });

  /** Dead letters of the relay. */
  const deadLetters = () =>
    store.database.crossTenant((tx) => listDeadLetters(tx, OUTBOX_CONSUMER)).then((list) => list.map(summaryOf));
  const summaryOf = ({ eventId, deliveries, error }: DeadLetterSummary) => ({ eventId, deliveries, error });

  /** An event whose subject the service may not publish. */
  const appendForbidden = async () => {
    const id = await append('forbidden');
    await store.admin("UPDATE outbox SET subject = 'events.app.installed.7' WHERE id = $1", [id]);
    return id;
  };

  it('stores an event that the broker refuses for good, with the reason, and publishes those behind it', async () => {
    const before = await appendMany(3);
    const forbidden = await appendForbidden();
    const after = await appendMany(3);
    start(nats, store.database, { ...FAST, refusedDelaysMs: [2_000, 2_000] });
    await until(async () => (await published(after)).length === 3, 'those behind it are published');
    expect(await deadLetters()).toEqual([]);
    await allPublished();
    expect(await deadLetters()).toEqual([
      { eventId: forbidden, deliveries: 3, error: expect.stringContaining('events.app.installed.7') },
    ]);
    const ids = [...before, ...after];
    expect(await published([...ids, forbidden])).toEqual(ids);
  });

  it('publishes a dead letter that is replayed, under its own id', async () => {
    const forbidden = await appendForbidden();
    const big = await append('big');
    const envelope = { id: big, type: 'lead.created', x: 'x'.repeat(1_100_000) };
    await store.admin('UPDATE outbox SET envelope = $2 WHERE id = $1', [big, envelope]);
    start(nats, store.database, { ...FAST, refusedDelaysMs: [] });
    await until(async () => (await deadLetters()).length === 2, 'they are stored');
    expect(await deadLetters()).toEqual([
      { eventId: forbidden, deliveries: 1, error: expect.stringContaining('Permissions Violation') },
      { eventId: big, deliveries: 1, error: expect.stringContaining('max_payload') },
    ]);
    // The operator puts in order what was wrong.
    await store.admin("UPDATE dead_letter SET subject = 'events.lead.created.7' WHERE event_id = $1", [forbidden]);
    const [stored] = await store.admin<{ id: string }>('SELECT id FROM dead_letter WHERE event_id = $1', [forbidden]);
    const replay = () => store.database.crossTenant((tx) => replayOutboxEvent(tx, stored?.id ?? ''));
    expect([await replay(), await replay()]).toEqual([true, false]);
    await until(async () => (await published([forbidden])).length === 1, 'it is published');
    expect((await deadLetters()).map(({ eventId }) => eventId)).toEqual([big]);
    // One that is refused again waits again.
    await store.admin('UPDATE dead_letter SET replayed_at = NULL WHERE event_id = $1', [big]);
    const [second] = await store.admin<{ id: string }>('SELECT id FROM dead_letter WHERE event_id = $1', [big]);
    expect(await store.database.crossTenant((tx) => replayOutboxEvent(tx, second?.id ?? ''))).toBe(true);
    await until(async () => (await deadLetters()).length === 1 && (await waiting()) === 0, 'it is stored again');
  });

  it('counts no trouble of the broker against an event', async () => {
    const ids = await appendMany(2);
    const provisioner = await broker.manager();
    await provisioner.streams.delete('EVENTS');
    let failures = 0;
    const counting = publishing((subject, payload, options) => {
      failures += 1;
      nats.connection.publish(subject, payload, options);
    });
    start(counting, store.database, { ...FAST, retryMs: 5, refusedDelaysMs: [] });
    await until(() => failures > 20, 'it has tried often');
    expect([await deadLetters(), await waiting()]).toEqual([[], 2]);
    await broker.provision();
    await allInOrder(ids);
  });

  it('has marked what it published once it is stopped', async () => {
    const ids = await appendMany(5);
    // It does not come to a next claim.
    const relay = start(nats, store.database, { ...FAST, gatherMs: 60_000 });
    await until(async () => (await published(ids)).length === 5, 'they are published');
    expect(await waiting()).toBe(5);
    await relay.stop();
    expect(await waiting()).toBe(0);
  });

  it('continues after the broker was unavailable', async () => {
    start();
    broker.proxy.cut();
    const ids = await appendMany(5);
    await until(async () => !(await succeeds(nats.flush())), 'the loss is seen', 15_000);
    broker.proxy.mend();
    await allPublished(20_000);
    expect(await published(ids)).toEqual(ids);
  }, 60_000);

  it('is active in one process only, and a standby takes over when the connection of the active one breaks', async () => {
    start();
    start(nats, store.sibling());
    await oneIsActive();
    const pidOf = async () => (await locks())[0]?.pid;
    for (let round = 0; round < 3; round += 1) {
      const active = await pidOf();
      await store.admin('SELECT pg_terminate_backend($1::integer)', [active]);
      const ids = await appendMany(5);
      await allInOrder(ids);
      expect(await pidOf()).not.toBe(active);
      expect(await locks()).toHaveLength(1);
    }
  });

  it('loses its lock when its host vanishes without closing the connection, and a standby takes over', async () => {
    const proxy = await startProxy(store.port);
    const vanishing = start(nats, store.behind(proxy), { ...FAST, silenceSeconds: 1 });
    await oneIsActive();
    const before = await append('before');
    await allPublished();
    proxy.silence();
    start(nats, store.sibling());
    const after = await append('after');
    await allInOrder([before, after]);
    expect(await locks()).toHaveLength(1);
    // Its host is back, and finds that the connection is gone.
    proxy.stop();
    await vanishing.stop();
  });

  it('requests the lock at a constant rate while on standby, however much its process commits', async () => {
    start();
    await oneIsActive();
    const sibling = store.sibling();
    start(nats, sibling, { ...FAST, standbyMs: 60_000 });
    // Only once it has its answer: the parts of a statement with parameters, parse, bind and execute, begin anew each.
    const asked = () =>
      store.admin<{ pid: number; at: Date }>(
        `SELECT pid, query_start AS at FROM pg_stat_activity
          WHERE datname = current_database() AND query LIKE 'SELECT pg_try_advisory_lock%' AND state = 'idle'
            AND pid NOT IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted)`,
      );
    await until(async () => (await asked()).length === 1, 'the other asks once');
    const first = await asked();
    for (let index = 0; index < 20; index += 1) await append(`s${index}`, sibling);
    await allPublished();
    expect(await asked()).toEqual(first);
  });

  it('publishes what a transaction commits late, between what was published meanwhile', async () => {
    start();
    const mayCommit = gate();
    let late = '';
    const slow = store.database.transaction(tenant, async (tx) => {
      late = await appendEvent(tx, EVENTS['lead.created'], { subject: 'late', data: { record: {} as never } });
      await tx.query('SELECT 1');
      await mayCommit.passed;
    });
    await until(() => late !== '', 'it is appended');
    const before = await appendMany(3);
    // Long enough for the relay to look for the transactions of the gaps.
    await until(async () => (await published(before)).length === 3, 'the others are published');
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    mayCommit.open();
    await slow;
    const after = await append('after');
    await allInOrder([...before, late, after]);
  });
});
