import { EVENTS, eventSubject } from '@crm/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  appendEvent,
  newId,
  Outbox,
  recordInbox,
  type TenantTransaction,
  type TransactionOrigin,
} from '../src/index.js';
import { type Fixture, gate, startFixture } from './fixture.js';

const user = EVENTS['user.disabled'];
const data = { userId: newId() } as never;

describe('the outbox', () => {
  let fixture: Fixture;
  const tenant = newId();

  beforeAll(async () => {
    fixture = await startFixture();
  });
  beforeEach(async () => {
    await fixture.admin('TRUNCATE outbox');
  });
  afterAll(() => fixture.drop());

  const append = (subject: string, origin: string | TransactionOrigin = tenant) =>
    fixture.database.transaction(origin, (tx) => appendEvent(tx, user, { subject, data }));
  const claim = () => fixture.database.crossTenant((tx) => new Outbox(tx).claimBatch(100));
  const mark = (events: { tenantId: string; id: string }[]) =>
    fixture.database.crossTenant((tx) => new Outbox(tx).markPublished(events));

  it('keeps a CloudEvents envelope with the tenant, in the transaction of the change', async () => {
    const id = await append('s1');
    await fixture.database
      .transaction(tenant, async (tx) => {
        await appendEvent(tx, user, { subject: 'rolled back', data });
        throw new Error('no');
      })
      .catch(() => undefined);
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
    await append('by a run', { tenantId: tenant, kind: 'internal', traceparent });
    await append('by nobody');
    const [byRun, byNobody] = (await claim()).map((event) => JSON.parse(event.envelope));
    expect(byRun).toMatchObject({ actorkind: 'internal', traceparent });
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
    const woken = new Promise<void>((resolve) => {
      fixture.database.outboxSignal.onSignal(() => {
        wakes += 1;
        resolve();
      });
    });
    await fixture.database.transaction(tenant, async (tx) => {
      for (let index = 0; index < 5; index += 1) await appendEvent(tx, user, { subject: `${index}`, data });
      expect(wakes).toBe(0);
    });
    await woken;
    fixture.database.outboxSignal.onSignal(undefined);
    expect(wakes).toBe(1);
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
    expect((await claim()).map((event) => JSON.parse(event.envelope).subject)).toEqual(['first', 'second']);
  });

  it('never skips an event that commits after a later one was published', async () => {
    const inserted = gate();
    const mayCommit = gate();
    const slow = fixture.database.transaction(tenant, async (tx) => {
      await appendEvent(tx, user, { subject: 'slow', data });
      inserted.open();
      await mayCommit.passed;
    });
    await inserted.passed;
    await append('quick');
    const first = await claim();
    expect(first.map((event) => JSON.parse(event.envelope).subject)).toEqual(['quick']);
    await mark(first);
    mayCommit.open();
    await slow;
    expect((await claim()).map((event) => JSON.parse(event.envelope).subject)).toEqual(['slow']);
  });

  it('marks events as published, counts those that wait and deletes old ones', async () => {
    await append('1');
    await append('2');
    const [one] = await claim();
    await mark(one ? [one] : []);
    expect(await claim()).toHaveLength(1);
    const lag = await fixture.database.crossTenant((tx) => new Outbox(tx).lag());
    expect(lag.waiting).toBe(1);
    const sweep = () => fixture.database.crossTenant((tx) => new Outbox(tx).sweep(60, 10));
    expect(await sweep()).toBe(0);
    await fixture.admin("UPDATE outbox SET published_at = now() - interval '2 minutes' WHERE published_at IS NOT NULL");
    expect(await sweep()).toBe(1);
    expect(await claim()).toHaveLength(1);
  });

  it('records an event in the inbox once per consumer', async () => {
    const event = newId();
    const note = (consumer: string) => fixture.database.transaction(tenant, (tx) => recordInbox(tx, consumer, event));
    expect([await note('x'), await note('x'), await note('y')]).toEqual([true, false, true]);
    const both = await Promise.all([note('z'), note('z')]);
    expect(both.sort()).toEqual([false, true]);
  });
});
