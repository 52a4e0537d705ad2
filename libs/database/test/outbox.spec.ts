import { EVENTS, eventSubject } from '@crm/contracts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  appendEvent,
  isDayPublished,
  NarrowSession,
  newId,
  Outbox,
  recordInbox,
  storeDeadLetter,
  type TenantTransaction,
  type TransactionOrigin,
} from '../src/index.js';
import { type Fixture, gate, roles, startFixture } from './fixture.js';

const user = EVENTS['user.disabled'];
const data = { userId: newId() } as never;

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.drop());

describe('the outbox', () => {
  const tenant = newId();

  beforeEach(async () => {
    await fixture.admin('TRUNCATE outbox, outbox_position');
  });

  const append = (subject: string, origin: string | TransactionOrigin = tenant) =>
    fixture.database.transaction(origin, (tx) => appendEvent(tx, user, { subject, data }));
  const appendAll = async (...subjects: string[]) => {
    for (const subject of subjects) await append(subject);
  };
  /** Appends in a transaction that stays open. @returns commits it */
  const appendSlowly = async (subject: string) => {
    const [inserted, mayCommit] = [gate(), gate()];
    const slow = fixture.database.transaction(tenant, async (tx) => {
      await appendEvent(tx, user, { subject, data });
      // An event leaves before the next statement.
      await tx.query('SELECT 1');
      inserted.open();
      await mayCommit.passed;
    });
    await inserted.passed;
    return () => {
      mayCommit.open();
      return slow;
    };
  };
  const rollBack = async () => {
    const rolledBack = fixture.database.transaction(tenant, async (tx) => {
      await appendEvent(tx, user, { subject: 'rolled back', data });
      // An event leaves before the next statement.
      await tx.query('SELECT 1');
      throw new Error('no');
    });
    await expect(rolledBack).rejects.toThrow('no');
  };
  const claim = () =>
    fixture.database.crossTenant(async (tx) => (await Outbox.open(tx, fixture.database.config)).claimBatch(100));
  const mark = (events: { seq: number }[]) =>
    fixture.database.crossTenant(async (tx) => {
      const outbox = await Outbox.open(tx, fixture.database.config);
      outbox.acknowledged(events);
      await outbox.mark();
    });
  const subjects = (events: readonly { envelope: string }[]) =>
    events.map(({ envelope }) => JSON.parse(envelope).subject);

  it('keeps a CloudEvents envelope with the tenant, in the transaction of the change', async () => {
    const id = await append('s1');
    await rollBack();
    const events = await claim();
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ id, tenantId: tenant, subject: eventSubject('user.disabled', tenant) });
    expect(JSON.parse(events[0]?.envelope ?? '')).toMatchObject({
      specversion: '1.0',
      id,
      type: 'user.disabled',
      source: 'urn:crm:service:identity',
      dataschema: user.dataschema,
      tenantid: tenant,
      subject: 's1',
    });
  });

  it('records who made the change and in which trace; a change of the service itself begins one', async () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const requestId = newId();
    await append('by a run', { tenantId: tenant, kind: 'internal', requestId, traceparent });
    await append('by a user', { tenantId: tenant, kind: 'user', requestId, traceparent });
    await append('by nobody');
    const [byRun, byUser, byNobody] = (await claim()).map((event) => JSON.parse(event.envelope));
    expect(byRun).toMatchObject({ actorkind: 'internal', causeid: requestId, traceparent });
    // Users choose the ids of their requests.
    expect(byUser.causeid).toBeUndefined();
    expect(byNobody.actorkind).toBeUndefined();
    expect(byNobody.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  });

  it('takes the tenant of a narrow transaction from the event', async () => {
    const other = newId();
    await fixture.database.crossTenant((tx) => appendEvent(tx, user, { tenantId: other, subject: 's', data }));
    expect((await claim())[0]?.tenantId).toBe(other);
    const unnamed = fixture.database.crossTenant((tx) => appendEvent(tx, user, { subject: 's', data }));
    await expect(unnamed).rejects.toThrow('id of its tenant');
    const foreign = fixture.database.transaction(tenant, (tx) =>
      appendEvent(tx, user, { tenantId: other, subject: 's', data }),
    );
    await expect(foreign).rejects.toThrow('only events of its own tenant');
  });

  it('refuses an event that the broker would reject', async () => {
    const big = fixture.database.transaction(tenant, (tx) =>
      appendEvent(tx, user, { subject: 's', data: { userId: 'x'.repeat(1_000_000) } as never }),
    );
    await expect(big).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
  });

  it('keeps the measured bytes: a number that is short in JSON does not grow in storage', async () => {
    const tiny = { userId: newId(), values: Array<number>(3_000).fill(Number.MIN_VALUE) };
    await fixture.database.transaction(tenant, (tx) => appendEvent(tx, user, { subject: 's', data: tiny as never }));
    const [event] = await claim();
    expect(JSON.parse(event?.envelope ?? '').data).toEqual(tiny);
    expect(Buffer.byteLength(event?.envelope ?? '')).toBeLessThan(3_000 * '5e-324,'.length + 1_000);
  });

  it('wakes the relay once for many events, after the commit', async () => {
    let wakes = 0;
    const woken = gate();
    fixture.database.outboxSignal.onSignal(() => {
      wakes += 1;
      woken.open();
    });
    await fixture.database.transaction(tenant, async (tx) => {
      for (let index = 0; index < 5; index += 1) await appendEvent(tx, user, { subject: `${index}`, data });
      expect(wakes).toBe(0);
    });
    await woken.passed;
    fixture.database.outboxSignal.onSignal(undefined);
    expect(wakes).toBe(1);
  });

  it('keeps the order in which a transaction appended its events, and forgets those of a savepoint that it gave up', async () => {
    await fixture.database.transaction(tenant, async (tx) => {
      for (const subject of ['1', '2', '3']) await appendEvent(tx, user, { subject, data });
      await tx.query('SAVEPOINT attempt');
      await appendEvent(tx, user, { subject: 'given up', data });
      await tx.query('ROLLBACK TO SAVEPOINT attempt');
      await appendEvent(tx, user, { subject: '4', data });
    });
    expect(subjects(await claim())).toEqual(['1', '2', '3', '4']);
  });

  it('returns events of one row in the order of their commits, even if the later transaction began first', async () => {
    const began = gate();
    const secondMay = gate();
    const change = async (tx: TenantTransaction, subject: string) => {
      await tx.query("UPDATE note SET rank = rank + 1 WHERE text = 'shared'");
      await appendEvent(tx, user, { subject, data });
    };
    await fixture.database.transaction(tenant, (tx) =>
      tx.query("INSERT INTO note (tenant_id, id, text) VALUES ($1, $2, 'shared')", [tenant, newId()]),
    );
    // Gets its transaction id first and changes the shared row last.
    const late = fixture.database.transaction(tenant, async (tx) => {
      await tx.query("INSERT INTO note (tenant_id, id, text) VALUES ($1, $2, 'own')", [tenant, newId()]);
      began.open();
      await secondMay.passed;
      await change(tx, 'second');
    });
    await began.passed;
    await fixture.database.transaction(tenant, (tx) => change(tx, 'first'));
    secondMay.open();
    await late;
    expect(subjects(await claim())).toEqual(['first', 'second']);
  });

  it('counts the events that wait and knows the age of the oldest', async () => {
    await appendAll('1', '2');
    await mark((await claim()).slice(0, 1));
    expect(subjects(await claim())).toEqual(['2']);
    await fixture.admin("UPDATE outbox SET created_at = now() - interval '1 minute'");
    const lag = await fixture.database.crossTenant(async (tx) =>
      (await Outbox.open(tx, fixture.database.config)).lag(),
    );
    expect(lag.waiting).toBe(1);
    expect(lag.oldestSeconds).toBeGreaterThanOrEqual(59);
  });

  it('gives up the partition of a day once everything in it has been published for long enough', async () => {
    const today = new Date().toISOString().slice(0, 10);
    const isOver = () => fixture.database.crossTenant((tx) => isDayPublished(tx, today, 7));
    await append('1');
    expect(await isOver()).toBe(false);
    await mark(await claim());
    expect(await isOver()).toBe(false);
    await fixture.admin("UPDATE outbox_position SET since = since - interval '8 days'");
    expect(await isOver()).toBe(true);
    // Published just now: the stream may still lose it.
    await append('2');
    await mark(await claim());
    expect(await isOver()).toBe(false);
    // An event of another day.
    await fixture.admin(
      `UPDATE outbox SET id = overlay(id::text placing '00000000' from 1 for 8)::uuid WHERE envelope ->> 'subject' = '2'`,
    );
    expect(await isOver()).toBe(true);
  });

  it('remembers what is published when the clock goes back', async () => {
    await append('1');
    await fixture.admin("INSERT INTO outbox_position VALUES (now() + interval '3 hours', '{[0,0]}')");
    await mark(await claim());
    expect(await claim()).toEqual([]);
  });

  let connections: NarrowSession[] = [];
  afterEach(async () => {
    for (const connection of connections) await connection.close();
    connections = [];
  });

  /** A relay's view of the outbox, and whether it still looks for events between those that are published. */
  const session = async () => {
    const connection = await NarrowSession.open(fixture.database.config);
    connections.push(connection);
    const outbox = await Outbox.open(connection, fixture.database.config);
    const ranges = async () => {
      const [row] = await connection.query<{ ranges: string }>(
        `SELECT count(*) AS ranges
           FROM (SELECT published FROM outbox_position ORDER BY since DESC LIMIT 1) AS latest, unnest(published)`,
      );
      return Number(row?.ranges);
    };
    const publishAll = async () => {
      outbox.acknowledged(await outbox.claimBatch(100));
      await outbox.mark();
    };
    return { outbox, ranges, publishAll };
  };

  it('marks with the next claim what was acknowledged, and claims it no more', async () => {
    const { outbox } = await session();
    const marked = () => fixture.admin('SELECT 1 FROM outbox_position WHERE upper(published) > 1');
    await appendAll('1', '2');
    outbox.acknowledged(await outbox.claimBatch(1));
    expect(await marked()).toEqual([]);
    expect(subjects(await claim())).toEqual(['1', '2']);
    expect(subjects(await outbox.claimBatch(100))).toEqual(['2']);
    expect(await marked()).toHaveLength(1);
    expect(subjects(await claim())).toEqual(['2']);
  });

  it('goes back to what was published by a mark, or to nothing', async () => {
    const marked = async (streamSeq: number) => {
      const { outbox } = await session();
      outbox.acknowledged(await outbox.claimBatch(100), { streamSeq, subject: `events.${streamSeq}` });
      await outbox.mark();
      await fixture.admin("UPDATE outbox_position SET since = since - interval '1 minute'");
    };
    for (const streamSeq of [10, 20, 30]) {
      await append(`${streamSeq}`);
      await marked(streamSeq);
    }
    const first = await session();
    expect(first.outbox.end).toEqual({ streamSeq: 30, subject: 'events.30' });
    const marks = await first.outbox.marks(3_600);
    expect(marks.map(({ streamSeq, subject }) => [streamSeq, subject])).toEqual([
      [30, 'events.30'],
      [20, 'events.20'],
      [10, 'events.10'],
    ]);
    expect(await first.outbox.marks(90)).toHaveLength(1);
    await first.outbox.returnTo(marks[1]);
    expect(subjects(await claim())).toEqual(['30']);
    const second = await session();
    expect(second.outbox.end?.streamSeq).toBe(20);
    await second.outbox.returnTo(undefined);
    expect(subjects(await claim())).toEqual(['10', '20', '30']);
  });

  it('does not take the number of an event that the stream had before for the end', async () => {
    const { outbox } = await session();
    await appendAll('1', '2');
    const events = await outbox.claimBatch(2);
    outbox.acknowledged(events.slice(0, 1), { streamSeq: 7, subject: 'events.x' });
    outbox.acknowledged(events.slice(1), { streamSeq: 5, subject: 'events.y' });
    expect(outbox.end).toEqual({ streamSeq: 7, subject: 'events.x' });
  });

  it('keeps the marks of the last hour, one of each hour before, and the youngest past the retention', async () => {
    const ages = ['1 minute', '2 minutes', '1 day', '1 day 10 seconds', '8 days', '9 days', '10 days'];
    await fixture.admin(
      `INSERT INTO outbox_position (since, published)
       SELECT date_bin('1 hour', now(), '2000-01-01Z') + interval '30 minutes' - age, '{[0,1]}' FROM unnest($1::interval[]) AS age`,
      [ages],
    );
    const { outbox } = await session();
    await outbox.thinMarks(7);
    const left = await fixture.admin<{ age: string }>(
      `SELECT (date_bin('1 hour', now(), '2000-01-01Z') + interval '30 minutes' - since)::text AS age
         FROM outbox_position ORDER BY since DESC`,
    );
    expect(left.map(({ age }) => age)).toEqual(['00:01:00', '00:02:00', '1 day', '8 days']);
  });

  it('publishes again what is left of the events after its position was cleared', async () => {
    await appendAll('1', '2');
    await mark(await claim());
    await fixture.admin('TRUNCATE outbox_position');
    expect(subjects(await claim())).toEqual(['1', '2']);
  });

  it('forgets the gaps that transactions left behind when they rolled back', async () => {
    const { outbox, ranges, publishAll } = await session();
    for (const subject of ['1', '2', '3']) {
      await rollBack();
      await append(subject);
    }
    await publishAll();
    expect(await ranges()).toBeGreaterThan(3);
    await outbox.settleGaps();
    await outbox.settleGaps();
    await append('4');
    await publishAll();
    // Those of a node of a cluster do not begin at 0.
    expect(await ranges()).toBe(roles.distributed ? 2 : 1);
  });

  it('never skips an event that commits after a later one was published, however often it looks for gaps', async () => {
    const { outbox, ranges, publishAll } = await session();
    const commit = await appendSlowly('slow');
    await append('quick');
    await publishAll();
    for (let round = 0; round < 4; round += 1) {
      await outbox.settleGaps();
      expect(await outbox.claimBatch(100)).toEqual([]);
    }
    await commit();
    // It has committed between the claim and the look that finds it ended.
    await outbox.settleGaps();
    await append('later');
    const late = await outbox.claimBatch(1);
    expect(subjects(late)).toEqual(['slow']);
    outbox.acknowledged(late);
    const rest = await outbox.claimBatch(100);
    expect(subjects(rest)).toEqual(['later']);
    outbox.acknowledged(rest);
    await outbox.mark();
    expect(await ranges()).toBe(roles.distributed ? 2 : 1);
  });

  it('records an event in the inbox once per consumer', async () => {
    const event = newId();
    const note = (consumer: string) => fixture.database.transaction(tenant, (tx) => recordInbox(tx, consumer, event));
    expect([await note('x'), await note('x'), await note('y')]).toEqual([true, false, true]);
    const both = await Promise.all([note('z'), note('z')]);
    expect(both.sort()).toEqual([false, true]);
  });
});

describe('a dead letter', () => {
  const tenant = newId();
  const letter = {
    consumer: 'x',
    messageKey: '7-1',
    sentAt: Date.now(),
    eventId: newId(),
    subject: 'events.lead.created.7',
    payload: Buffer.from('{}'),
    error: 'first',
    deliveries: 9,
  };
  const store = (changes: Partial<typeof letter> = {}) =>
    fixture.database.transaction(tenant, (tx) => storeDeadLetter(tx, { ...letter, ...changes }));

  it('is one row for a message that is stored several times, also at once, with the last error', async () => {
    const stored = await Promise.all([store(), store(), store(), store()]);
    const [{ id }] = stored;
    expect(new Set(stored.map((one) => one.id))).toEqual(new Set([id]));
    expect(stored.filter(({ isNew }) => isNew)).toHaveLength(1);
    expect(await store({ error: 'second', deliveries: 10 })).toEqual({ id, isNew: false });
    expect(await fixture.admin('SELECT error, deliveries FROM dead_letter')).toEqual([
      { error: 'second', deliveries: 10 },
    ]);
  });

  it.each([{ consumer: 'y' }, { messageKey: '8-1' }, { sentAt: letter.sentAt - 86_400_000 }])(
    'is another row for %j',
    async (changes) => {
      const { id } = await store();
      const other = await store(changes);
      expect(other.isNew).toBe(true);
      expect(other.id).not.toBe(id);
    },
  );
});
