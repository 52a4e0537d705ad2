import { randomUUID } from 'node:crypto';
import { Database, type NarrowTransaction, newId } from '@crm/database';
import { type TestDatabase, testDatabase } from '@crm/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type ClaimedDelivery, DueDeliveryRepository } from '../src/delivery/due-delivery.repository.js';
import { orderedDelivery } from '../src/delivery/first-attempt.js';
import { LedgerWriterRepository } from '../src/ledger/ledger-writer.repository.js';
import { migrations } from '../src/migrations/index.js';
import { DeliveryOrderRepository } from '../src/queue/delivery-order.repository.js';
import { HoldRepository } from '../src/queue/hold.repository.js';
import { SubscriptionQueueRepository } from '../src/queue/subscription-queue.repository.js';
import type { Receiver } from '../src/receivers/receiver.js';

const ROOM = { places: 8, perSubscription: 8, bySubscription: new Map<string, number>(), fullTenants: [] };
const GATE = { recordedUpTo: 0, longestMs: 30_000 };

describe('lines of records', () => {
  const queues = new SubscriptionQueueRepository();
  const lines = new DeliveryOrderRepository(queues);
  const records = new LedgerWriterRepository(queues, lines, new HoldRepository({ heldPerSubscription: 100 }));
  const due = new DueDeliveryRepository(queues);
  let test: TestDatabase;
  let database: Database;
  let receiver: Receiver;
  beforeAll(async () => {
    test = await testDatabase('webhook-dispatcher', migrations);
    database = new Database(test.config);
  });
  afterAll(async () => {
    await database?.close();
    await test?.drop();
  });
  beforeEach(async () => {
    await database.crossTenant(async (tx) => {
      for (const table of ['due_delivery', 'subscription_queue', 'ordered_delivery'])
        await tx.query(`DELETE FROM ${table}`);
    });
    receiver = {
      tenantId: randomUUID(),
      subscriptionId: randomUUID(),
      url: 'https://hooks.example.com/',
      enabled: true,
    } as unknown as Receiver;
  });

  const add = async (
    recordId: string,
    recordVersion: number,
    { eventId = newId(), streamSequence = null }: { eventId?: string; streamSequence?: number | null } = {},
  ) => {
    const { tenantId } = receiver;
    const position = { recordId, recordVersion, streamSequence };
    const deliveries = [orderedDelivery(eventId, receiver, position)];
    await database.crossTenant((tx) =>
      records.write(tx, [{ kind: 'event', tenantId, eventId, event: 'lead.updated', body: '{}', deliveries }]),
    );
    return eventId;
  };
  const appoint = (gate: Partial<typeof GATE> = {}, of: Database = database) =>
    of.crossTenant((tx) => lines.appointHeads(tx, { ...GATE, ...gate }, 1_000));
  const claim = async () => (await database.crossTenant((tx) => due.claim(tx, newId(), ROOM, 30_000))).deliveries;
  const claimedEvents = async () => (await claim()).map(({ eventId }) => eventId);
  const settle = async (delivery: ClaimedDelivery | undefined, dueAt: Date | null = null) => {
    const { tenantId, id: deliveryId, subscriptionId, claim: claimId, isHead } = delivery as ClaimedDelivery;
    const known = { kind: 'settlement', tenantId, deliveryId, subscriptionId, claim: claimId, isHead } as const;
    const status = dueAt ? 'retrying' : 'delivered';
    await database.crossTenant((tx) =>
      records.write(tx, [{ ...known, url: null, status, attempts: 1, outcome: null, dueAt, isSetAside: false }]),
    );
  };

  it('have one head, the lowest version, and of one version the event that was made first', async () => {
    const record = randomUUID();
    const [early, late] = [newId(), newId()];
    await add(record, 2);
    const second = await add(record, 1, { eventId: late });
    const first = await add(record, 1, { eventId: early });
    await appoint();
    const [head, ...others] = await claim();
    expect([head?.eventId, others]).toEqual([first, []]);
    await appoint();
    expect(await claim()).toEqual([]);
    await settle(head);
    await appoint();
    expect(await claimedEvents()).toEqual([second]);
  });

  it('keep their head while it waits for its next attempt', async () => {
    const record = randomUUID();
    await add(record, 1);
    await appoint();
    const [head] = await claim();
    await settle(head, new Date(Date.now() + 3_600_000));
    await add(record, 2);
    expect(await appoint()).toEqual({ woken: 0, isFresh: false });
    expect(await claim()).toEqual([]);
  });

  it('get no head before everything before it in the stream is recorded, or it has waited for long enough', async () => {
    const [one, other] = [randomUUID(), randomUUID()];
    const early = await add(one, 1, { streamSequence: 7 });
    const late = await add(other, 1, { streamSequence: 9 });
    expect(await appoint({ recordedUpTo: 6 })).toEqual({ woken: 0, isFresh: true });
    expect(await appoint({ recordedUpTo: 8 })).toEqual({ woken: 1, isFresh: true });
    expect(await claimedEvents()).toEqual([early]);
    expect(await appoint({ recordedUpTo: 8, longestMs: 0 })).toEqual({ woken: 1, isFresh: false });
    expect(await claimedEvents()).toEqual([late]);
  });

  it('wait for a lower version that has come and may not be sent yet', async () => {
    const record = randomUUID();
    // A stream that was lost counts from 1 again.
    await add(record, 2, { streamSequence: 3 });
    const first = await add(record, 1, { streamSequence: 900 });
    expect(await appoint({ recordedUpTo: 10 })).toMatchObject({ woken: 0 });
    await appoint({ recordedUpTo: 900 });
    expect(await claimedEvents()).toEqual([first]);
  });

  it('get one head each when several processes look at the same time', async () => {
    const sibling = new Database(test.config);
    try {
      const all = Array.from({ length: 20 }, () => randomUUID());
      for (const record of all) await Promise.all([add(record, 1), add(record, 2), add(record, 3)]);
      await Promise.all([appoint(), appoint({}, sibling), appoint(), appoint({}, sibling)]);
      const heads = await database.transaction(receiver.tenantId, (tx) =>
        tx.query<{ version: string }>(
          `SELECT record_version AS version FROM ordered_delivery JOIN due_delivery USING (tenant_id, delivery_id)`,
        ),
      );
      expect(heads.map(({ version }) => Number(version))).toEqual(all.map(() => 1));
    } finally {
      await sibling.close();
    }
  });

  it('cost a look as much however many deliveries wait', async () => {
    const WAITING = 3_000;
    const record = randomUUID();
    await add(record, 1);
    await appoint();
    const [head] = await claim();
    await database.crossTenant((tx) =>
      tx.query(
        `INSERT INTO ordered_delivery
           (tenant_id, delivery_id, subscription_id, record_id, record_version, event_id, attempts, state)
         SELECT $1, gen_random_uuid(), $2, $3, n + 1, gen_random_uuid(), 0, 'waiting' FROM generate_series(1, $4::int) AS n`,
        [receiver.tenantId, receiver.subscriptionId, record, WAITING],
      ),
    );
    await settle(head);
    const read = async (tx: NarrowTransaction) => {
      const [row] = await tx.query<{ read: number }>(
        `SELECT (seq_tup_read + idx_tup_fetch)::int AS read FROM pg_stat_xact_user_tables
          WHERE relname = 'ordered_delivery'`,
      );
      return row?.read ?? 0;
    };
    await database.crossTenant(async (tx) => {
      const before = await read(tx);
      expect(await lines.appointHeads(tx, GATE, 1_000)).toEqual({ woken: 1, isFresh: false });
      expect((await read(tx)) - before).toBeLessThan(50);
    });
  });

  it('go on when their head was taken away', async () => {
    const record = randomUUID();
    await add(record, 1);
    const second = await add(record, 2);
    await appoint();
    expect(await database.crossTenant((tx) => lines.repair(tx))).toBe(0);
    await database.crossTenant((tx) => tx.query('DELETE FROM due_delivery'));
    expect(await database.crossTenant((tx) => lines.repair(tx))).toBe(1);
    await appoint();
    expect(await claimedEvents()).toEqual([second]);
  });
});
