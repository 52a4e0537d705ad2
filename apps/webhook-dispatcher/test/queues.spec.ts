import { randomUUID } from 'node:crypto';
import { byTenant, Database, type NarrowTransaction, newId, type ReadOfEveryTenant } from '@crm/database';
import { type TestDatabase, testDatabase, waitUntil } from '@crm/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { orderedDelivery } from '../src/delivery/attempt.js';
import {
  type ClaimedDelivery,
  type ClaimLimits,
  DueDeliveryRepository,
  measureDueDeliveries,
} from '../src/delivery/due-delivery.repository.js';
import type { LedgerEntry } from '../src/ledger/ledger-entry.js';
import { LedgerWriterRepository } from '../src/ledger/ledger-writer.repository.js';
import { migrations } from '../src/migrations/index.js';
import { DeliveryOrderRepository } from '../src/queue/delivery-order.repository.js';
import { type SubscriptionKey, SubscriptionQueueRepository } from '../src/queue/subscription-queue.repository.js';
import type { Receiver } from '../src/receivers/receiver.js';
import { eventEntry, newDelivery } from './webhook-service.js';

const CLAIM_MS = 30_000;
const CAPACITY: ClaimLimits = { slots: 8, perSubscription: 4, bySubscription: new Map(), fullTenants: [] };

const records = new LedgerWriterRepository({ heldPerSubscription: 100 });
let queues: SubscriptionQueueRepository;
let order: DeliveryOrderRepository;
let due: DueDeliveryRepository;
let test: TestDatabase;
let database: Database;
let administrator: pg.Pool;
beforeAll(async () => {
  test = await testDatabase('webhook-dispatcher', migrations);
  database = new Database(test.config);
  queues = new SubscriptionQueueRepository(database);
  order = new DeliveryOrderRepository(database);
  due = new DueDeliveryRepository(database);
  administrator = new pg.Pool({ connectionString: test.adminUrl, max: 2 });
});
afterAll(async () => {
  await administrator?.end();
  await database?.close();
  await test?.drop();
});
/** Runs as the narrow role, which reaches all tenants. */
const run = <Row extends object>(sql: string, parameters: readonly unknown[] = []) =>
  database.crossTenant((tx) => tx.query<Row>(sql, parameters));
// Claims cross all tenants.
beforeEach(async () => {
  for (const table of ['due_delivery', 'subscription_queue', 'ordered_delivery']) await run(`DELETE FROM ${table}`);
});

const subscription = (tenantId: string = randomUUID()): SubscriptionKey => ({ tenantId, subscriptionId: randomUUID() });
const write = (...entries: LedgerEntry[]) => database.crossTenant((tx) => records.write(tx, entries));
const claim = (capacity: Partial<ClaimLimits> = {}) => due.claim(newId(), { ...CAPACITY, ...capacity }, CLAIM_MS);
/** Records a result: the next attempt, or the end. */
const settle = (claimed: ClaimedDelivery | undefined, dueAt: Date | null = null) => {
  const { tenantId, id: deliveryId, subscriptionId, claim: claimId, isHead } = claimed as ClaimedDelivery;
  const known = { kind: 'settlement', tenantId, deliveryId, subscriptionId, claim: claimId, isHead } as const;
  const status = dueAt ? 'retrying' : 'delivered';
  return write({ ...known, url: null, status, attempts: 1, outcome: null, throttled: 0, dueAt, isSetAside: false });
};
/** What of the database repositories use, in one transaction. */
const within = (tx: NarrowTransaction) => {
  const query = <Row>(sql: string, parameters: readonly unknown[] = []) => tx.query<Row>(sql, parameters);
  const everyTenant = {
    read: (statement: ReadOfEveryTenant, parameters?: readonly unknown[]) =>
      query(
        statement((table) => table),
        parameters,
      ),
    call: async (sql: string, calls: readonly (readonly unknown[])[]) =>
      (await Promise.all(calls.map((call) => query(sql, call)))).flat(),
  };
  return { everyTenant, crossTenantStatement: query } as unknown as Database;
};
/** Rows of a table that the work read. */
const readBy = (table: string, work: (database: Database) => Promise<unknown>): Promise<number> =>
  database.crossTenant(async (tx) => {
    const sql = 'SELECT (seq_tup_read + idx_tup_fetch)::int AS read FROM pg_stat_xact_user_tables WHERE relname = $1';
    const count = async () => (await tx.query<{ read: number }>(sql, [table]))[0]?.read ?? 0;
    const before = await count();
    await work(within(tx));
    return (await count()) - before;
  });

describe('due deliveries', () => {
  let queue: SubscriptionKey;
  beforeEach(() => {
    queue = subscription();
  });

  const insert = (tx: NarrowTransaction, { tenantId, subscriptionId }: SubscriptionKey) =>
    records.write(tx, [eventEntry(tenantId, [newDelivery({ subscriptionId, dueAt: new Date(Date.now() - 1) })])]);
  const add = (queue: SubscriptionKey) => database.crossTenant((tx) => insert(tx, queue));
  /** Many that were due before anything else. */
  const addBacklog = async (queue: SubscriptionKey, count: number, { areRetries = false } = {}) => {
    const sql = `
      INSERT INTO due_delivery (tenant_id, delivery_id, subscription_id, event_id, attempts, is_retry, due_at)
      SELECT $1::uuid, gen_random_uuid(), $2::uuid, gen_random_uuid(), 0, $4, now() - interval '1 hour' + n * interval '1 millisecond'
        FROM generate_series(1, $3::int) AS n`;
    await administrator.query(sql, [queue.tenantId, queue.subscriptionId, count, areRetries]);
    await wake([queue], new Date(Date.now() - 3_600_000));
  };
  const wake = (keys: readonly SubscriptionKey[], dueAt: Date | null = null) =>
    database.everyTenant.call(
      'SELECT wake_queues($1, $2, $3)',
      byTenant(keys).map(([tenantId, own]) => [tenantId, own.map((key) => key.subscriptionId), own.map(() => dueAt)]),
    );
  const settleQueue = ({ tenantId, subscriptionId }: SubscriptionKey) =>
    database.everyTenant.call('SELECT settle_queues($1, $2)', [[tenantId, [subscriptionId]]]);
  const claimedOf = async (capacity: Partial<ClaimLimits> = {}) =>
    (await claim(capacity)).deliveries.map(({ subscriptionId }) => subscriptionId);
  const queueRows = () =>
    run<{ subscription_id: string; wait: number }>(
      'SELECT subscription_id, extract(epoch FROM due_at - now())::float8 AS wait FROM subscription_queue',
    );

  const measure = async (of: Database = database) => {
    type Measured = { items: number; oldestSeconds: number | null };
    const rows = await of.everyTenant.read<Measured>(measureDueDeliveries, [[]]);
    const oldest = rows.flatMap(({ oldestSeconds }) => oldestSeconds ?? []);
    const items = rows.reduce((sum, row) => sum + row.items, 0);
    return { items, oldestSeconds: oldest.length > 0 ? Math.max(...oldest) : null };
  };

  it('are measured over all tenants, without those in an attempt and those that are due later', async () => {
    expect(await measure()).toEqual({ items: 0, oldestSeconds: null });
    const old = subscription();
    await addBacklog(old, 3, { areRetries: true });
    await add(subscription());
    const later = subscription();
    await addBacklog(later, 2);
    const sql = "UPDATE due_delivery SET due_at = now() + interval '1 hour' WHERE subscription_id = $1";
    await run(sql, [later.subscriptionId]);
    const before = await measure();
    expect(before.items).toBe(4);
    expect(before.oldestSeconds).toBeGreaterThan(3_500);
    expect(await claimedOf()).toHaveLength(4);
    expect(await measure()).toEqual({ items: 0, oldestSeconds: null });
  });

  it('are measured with a look at no more than a thousand of each kind in a queue', async () => {
    const [full, other] = [subscription(), subscription()];
    await addBacklog(full, 3_000);
    await addBacklog(other, 5);
    const read = await readBy('due_delivery', (of) => measure(of));
    expect((await measure()).items).toBe(1_005);
    expect(read).toBeLessThan(1_100);
  });

  describe('behind a backlog that may not be claimed', () => {
    const BACKLOG = 3_000;
    const paused = subscription();
    const live = subscription();
    it.each<[string, Partial<ClaimLimits>]>([
      ['a paused subscription', { bySubscription: new Map([[paused.subscriptionId, 0]]) }],
      ['a tenant with its share under way', { fullTenants: [paused.tenantId] }],
    ])('claims without reading the backlog of %s, and says how long to wait', async (_name, capacity) => {
      await addBacklog(paused, BACKLOG);
      const closed = [...(capacity.bySubscription ?? [])].map(([id]) => id);
      const looked = await readBy('due_delivery', async (of) => {
        const own = new SubscriptionQueueRepository(of);
        expect(await own.findDueInMs(closed, capacity.fullTenants ?? [])).toBeNull();
      });
      expect(looked).toBe(0);
      for (let index = 0; index < 3; index += 1) await add(live);
      let claimed: string[] = [];
      const read = await readBy('due_delivery', async (of) => {
        const own = new DueDeliveryRepository(of);
        const { deliveries: made } = await own.claim(randomUUID(), { ...CAPACITY, ...capacity }, CLAIM_MS);
        claimed = made.map(({ subscriptionId }) => subscriptionId);
      });
      expect(claimed).toEqual(Array(3).fill(live.subscriptionId));
      expect(read).toBeLessThan(50);
    });

    it('claims due deliveries without reading those of the same subscription that are claimed or due later', async () => {
      await addBacklog(live, BACKLOG);
      const claimOnce = (of: Database) => new DueDeliveryRepository(of).claim(randomUUID(), CAPACITY, CLAIM_MS);
      expect(await readBy('due_delivery', claimOnce)).toBeLessThan(50);
    });
  });

  it('claims each delivery once until it is released, the longest due first, as many as there is capacity for', async () => {
    await addBacklog(queue, 6);
    const { deliveries: first } = await claim({ bySubscription: new Map([[queue.subscriptionId, 2]]) });
    const { deliveries: rest } = await claim();
    expect([first.length, rest.length]).toEqual([2, 4]);
    const rows = await run<{ id: string }>('SELECT delivery_id AS id FROM due_delivery ORDER BY due_at LIMIT 2');
    expect(new Set(first.map(({ id }) => id))).toEqual(new Set(rows.map(({ id }) => id)));
    expect(new Set([...first, ...rest].map(({ id }) => id)).size).toBe(6);
    expect(await claimedOf()).toEqual([]);
    await due.release(first);
    expect(await claimedOf()).toHaveLength(2);
  });

  it('claims from subscriptions with a backlog in turn', async () => {
    const all = [subscription(), subscription(), subscription()];
    for (const queue of all) await addBacklog(queue, 20);
    const turns = [await claimedOf({ slots: 4 }), await claimedOf({ slots: 4 }), await claimedOf({ slots: 4 })];
    for (const claimed of turns) expect(claimed).toEqual(Array(4).fill(claimed[0]));
    expect(new Set(turns.flat())).toEqual(new Set(all.map(({ subscriptionId }) => subscriptionId)));
  });

  it('reaches a delivery behind more empty queues than one look takes with the next look', async () => {
    const tenantId = randomUUID();
    const empty = Array.from({ length: 100 }, () => subscription(tenantId));
    await wake(empty, new Date(Date.now() - 1_000));
    await add(queue);
    expect(await claim()).toEqual({ deliveries: [], isCut: true });
    expect(await claimedOf()).toEqual([queue.subscriptionId]);
    expect(await queueRows()).toHaveLength(1);
  });

  it('makes a queue due when its claim expires or an attempt is due, and deletes it when nothing waits', async () => {
    await add(queue);
    const { deliveries: claimed } = await claim();
    const [row] = await queueRows();
    expect(row?.wait).toBeGreaterThan(CLAIM_MS / 1000 - 5);
    expect(row?.wait).toBeLessThanOrEqual(CLAIM_MS / 1000);
    await settle(claimed[0], new Date(Date.now() + 5_000));
    expect(await claimedOf()).toEqual([]);
    const wait = await queues.findDueInMs([], []);
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(5_000);

    await run('DELETE FROM due_delivery');
    await settleQueue(queue);
    expect(await queueRows()).toEqual([]);
  });

  it.each([
    ['after it was made due', true],
    ['before it is made due', false],
  ])('claims a delivery afterwards that was written while its queue was looked into, %s', async (_name, isWoken) => {
    /** Looks into the queue in the middle of writing a delivery. */
    const duringInsert = (of: SubscriptionKey, look: () => Promise<unknown>) =>
      database.crossTenant(async (tx) => {
        const late: [string, readonly unknown[]][] = [];
        const halfWay = Object.create(tx, {
          issueReturning: {
            value: async (sql: string, parameters: readonly unknown[]) => {
              if (!sql.includes('change_ledger')) return tx.issueReturning(sql, parameters);
              late.push([sql, parameters]);
              return [];
            },
          },
        });
        await insert(isWoken ? tx : halfWay, of);
        // What was issued has arrived.
        await tx.query('SELECT 1');
        await look();
        for (const [sql, parameters] of late) tx.issue(sql, parameters);
      });
    for (const before of ['no queue', 'a due queue', 'an empty queue', 'a claimed one'] as const) {
      const one = subscription();
      if (before === 'an empty queue') await wake([one]);
      if (before === 'a due queue' || before === 'a claimed one') await add(one);
      if (before === 'a claimed one') await claim();
      const seen: string[] = [];
      await duringInsert(one, async () => {
        seen.push(...(await claimedOf()));
        await settleQueue(one);
      });
      seen.push(...(await claimedOf()));
      expect([before, seen]).toEqual([before, Array(before === 'a due queue' ? 2 : 1).fill(one.subscriptionId)]);
    }
  });

  it('does not let events that arrive together wait for each other once their queue is due', async () => {
    await add(queue);
    await database.crossTenant(async (first) => {
      await insert(first, queue);
      await first.query('SELECT 1');
      await add(queue);
    });
    expect(await claimedOf()).toHaveLength(3);
  });

  it('claims first attempts before retries, however long these have been due', async () => {
    await addBacklog(queue, 50, { areRetries: true });
    await add(queue);
    const { deliveries: claimed } = await claim();
    expect(claimed.filter(({ body }) => body === '{}')).toHaveLength(1);
    expect(claimed).toHaveLength(CAPACITY.perSubscription);
  });

  it('repairs queues that are missing or due too late', async () => {
    const [late, known, missing] = [subscription(), subscription(), subscription()];
    const inDays = new Date(Date.now() + 2 * 86_400_000);
    const writeDue = ({ tenantId, subscriptionId }: SubscriptionKey, delay: string) =>
      run(
        `INSERT INTO due_delivery (tenant_id, delivery_id, subscription_id, event_id, attempts, is_retry, due_at)
         VALUES ($1, $2, $3, $4, 0, false, now() + $5::interval)`,
        [tenantId, newId(), subscriptionId, newId(), delay],
      );
    for (const queue of [late, known]) {
      await writeDue(queue, '2 days');
      await wake([queue], inDays);
    }
    await writeDue(late, '0');
    await writeDue(late, '1 hour');
    await writeDue(missing, '0');
    await writeDue(missing, '0');
    expect(await claimedOf()).toEqual([]);
    expect(await queues.repair()).toBe(2);
    const repaired = [late, missing, missing].map(({ subscriptionId }) => subscriptionId);
    expect((await claimedOf()).sort()).toEqual(repaired.sort());
    const waits = new Map((await queueRows()).map(({ subscription_id, wait }) => [subscription_id, wait]));
    expect(waits.get(known.subscriptionId)).toBeGreaterThan(86_400);
  });
});

const SINCE = new Date('2026-11-21T10:00:00Z');
const STORED = new Date('2026-11-21T11:00:00Z');
const UNTIL = new Date('2026-11-21T12:00:00Z');
const LONGEST_MS = 30_000;
/** Key of an advisory lock, between the statements of a function. */
const BARRIER = 8_150_247;

describe('partitions of records', () => {
  let receiver: Receiver;
  let record: string;
  beforeEach(() => {
    record = randomUUID();
    receiver = { ...subscription(), url: 'https://hooks.example.com/', enabled: true } as Receiver;
  });

  const add = async (
    recordId: string,
    recordVersion: number,
    {
      eventId = newId(),
      streamSequence = null,
      storedAt = STORED,
    }: { eventId?: string; streamSequence?: number | null; storedAt?: Date } = {},
  ) => {
    const delivery = orderedDelivery(eventId, receiver, { recordId, recordVersion, streamSequence, storedAt });
    await write(eventEntry(receiver.tenantId, [delivery], { eventId }));
    return eventId;
  };
  const gateOf = ({ recordedUpTo = 0, longestMs = LONGEST_MS } = {}) => ({
    recorded: { upTo: recordedUpTo, since: SINCE, until: UNTIL },
    longestMs,
  });
  const promote = (gate: Parameters<typeof gateOf>[0] = {}, of: Database = database) =>
    new DeliveryOrderRepository(of).promoteNextDeliveries(gateOf(gate), 1_000);
  const claimed = async () => (await claim({ perSubscription: 8 })).deliveries;
  const claimedEvents = async () => (await claimed()).map(({ eventId }) => eventId);

  it('have one head, the lowest version, and of one version the event that was made first', async () => {
    const [early, late] = [newId(), newId()];
    await add(record, 2);
    const second = await add(record, 1, { eventId: late });
    const first = await add(record, 1, { eventId: early });
    await promote();
    const [head, ...others] = await claimed();
    expect([head?.eventId, others]).toEqual([first, []]);
    await promote();
    expect(await claimed()).toEqual([]);
    await settle(head);
    await promote();
    expect(await claimedEvents()).toEqual([second]);
  });

  it('keep their head while it waits for its next attempt', async () => {
    await add(record, 1);
    await promote();
    const [head] = await claimed();
    await settle(head, new Date(Date.now() + 3_600_000));
    await add(record, 2);
    expect(await promote()).toEqual({ woken: 0, isFresh: false });
    expect(await claimed()).toEqual([]);
  });

  it('get no head before everything before it in the stream is recorded, or it has waited for long enough', async () => {
    const [one, other] = [randomUUID(), randomUUID()];
    const early = await add(one, 1, { streamSequence: 7 });
    const late = await add(other, 1, { streamSequence: 9 });
    expect(await promote({ recordedUpTo: 6 })).toEqual({ woken: 0, isFresh: true });
    expect(await promote({ recordedUpTo: 8 })).toEqual({ woken: 1, isFresh: true });
    expect(await claimedEvents()).toEqual([early]);
    expect(await promote({ recordedUpTo: 8, longestMs: 0 })).toEqual({ woken: 1, isFresh: false });
    expect(await claimedEvents()).toEqual([late]);
  });

  it('wait for a lower version that has come and may not be sent yet', async () => {
    await add(record, 2, { streamSequence: 3 });
    const first = await add(record, 1, { streamSequence: 900 });
    expect(await promote({ recordedUpTo: 10 })).toMatchObject({ woken: 0 });
    await promote({ recordedUpTo: 900 });
    expect(await claimedEvents()).toEqual([first]);
  });

  it.each([
    ['before it was lost', new Date(SINCE.getTime() - 1), false],
    ['since it was made anew, and said so', STORED, true],
    ['after it was lost again', new Date(UNTIL.getTime() + 1), false],
  ])(
    'compare their place in the stream with that of the same stream only: stored %s',
    async (_name, storedAt, isOpen) => {
      await add(record, 1, { streamSequence: 3, storedAt });
      expect(await promote({ recordedUpTo: 900 })).toMatchObject({ woken: isOpen ? 1 : 0 });
      expect(await promote({ recordedUpTo: 900, longestMs: 0 })).toMatchObject({ woken: isOpen ? 0 : 1 });
    },
  );

  it('get one head each when several processes look at the same time', async () => {
    const sibling = new Database(test.config);
    try {
      const all = Array.from({ length: 20 }, () => randomUUID());
      for (const record of all) await Promise.all([add(record, 1), add(record, 2), add(record, 3)]);
      await Promise.all([promote(), promote({}, sibling), promote(), promote({}, sibling)]);
      const sql =
        'SELECT record_version AS version FROM ordered_delivery JOIN due_delivery USING (tenant_id, delivery_id)';
      const heads = await run<{ version: string }>(sql);
      expect(heads.map(({ version }) => Number(version))).toEqual(all.map(() => 1));
    } finally {
      await sibling.close();
    }
  });

  it('cost a look as much however many deliveries wait', async () => {
    const WAITING = 3_000;
    await add(record, 1);
    await promote();
    const [head] = await claimed();
    await administrator.query(
      `INSERT INTO ordered_delivery
         (tenant_id, delivery_id, subscription_id, record_id, record_version, event_id, attempts, state)
       SELECT $1::uuid, gen_random_uuid(), $2::uuid, $3, n + 1, gen_random_uuid(), 0, 'waiting'
         FROM generate_series(1, $4::int) AS n`,
      [receiver.tenantId, receiver.subscriptionId, record, WAITING],
    );
    await settle(head);
    const read = await readBy('ordered_delivery', async (of) => {
      expect(await promote({}, of)).toEqual({ woken: 1, isFresh: false });
    });
    expect(read).toBeLessThan(50);
  });

  it('get their next head although the one before has ended while an older look at it was under way', async () => {
    await add(record, 1);
    const second = await add(record, 2);
    await promote();
    const [head] = await claimed();
    const { rows } = await administrator.query("SELECT pg_get_functiondef('appoint_heads'::regproc) AS whole");
    const { whole } = rows[0] as { whole: string };
    const barrier = `PERFORM pg_advisory_xact_lock(${BARRIER});`;
    await administrator.query(whole.replace('heads := coalesce(heads', `${barrier} heads := coalesce(heads`));
    const holder = await administrator.connect();
    try {
      await holder.query('SELECT pg_advisory_lock($1)', [BARRIER]);
      const { tenantId } = receiver;
      const changes = [tenantId, [head?.id], 0, LONGEST_MS, SINCE, UNTIL];
      const look = run('SELECT appoint_heads($1, $2, $3, $4, $5, $6)', changes);
      const waits = "SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = $1 AND NOT granted";
      await waitUntil(async () => (await holder.query(waits, [BARRIER])).rowCount === 1, {
        describe: 'the look to wait',
      });
      await settle(head);
      await holder.query('SELECT pg_advisory_unlock($1)', [BARRIER]);
      await look;
    } finally {
      holder.release(true);
      await administrator.query(whole);
    }
    await promote();
    expect(await claimedEvents()).toEqual([second]);
  });

  it('go on when their head was taken away', async () => {
    await add(record, 1);
    const second = await add(record, 2);
    await promote();
    expect(await order.repair()).toBe(0);
    await run('DELETE FROM due_delivery');
    expect(await order.repair()).toBe(1);
    await promote();
    expect(await claimedEvents()).toEqual([second]);
  });
});
