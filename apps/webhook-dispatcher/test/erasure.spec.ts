import { randomUUID } from 'node:crypto';
import { CONSUMERS, type EventEnvelope, type EventName, eventSubject } from '@crm/contracts';
import { Database, newId, storeDeadLetter } from '@crm/database';
import { findInTables, publishEvents, waitUntil } from '@crm/testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { envelope, useWebhooks, verdict } from './webhook-service.js';

describe('deliveries of an erased record', () => {
  // The second attempt is made when the test asks for it.
  const { app, tenant, call } = useWebhooks({ retryDelaysMs: [0, 3_600_000] });
  let recordId: string;
  let marker: string;
  beforeEach(() => {
    app.receiver.requests.length = 0;
    recordId = newId();
    marker = `marker-${randomUUID()}`;
    // Anyone who is away says what it got.
    app.receiver.respondWith(({ path, body }) => ({ status: path === '/away' ? 503 : 200, body }));
  });

  const eventOf = (name: EventName, version: number, record: object): EventEnvelope => ({
    ...envelope(tenant.id, name, { id: recordId, version, ...record }),
    subject: recordId,
    recordversion: version,
  });
  const erasure = (): EventEnvelope => ({
    ...eventOf('lead.deleted', 9, {}),
    data: { record: { id: recordId }, erased: true },
  });
  const found = () => findInTables(app.adminUrl, marker);
  const sentTo = (path: string) => app.receiver.requests.filter((request) => request.path === path);

  it('have no content any more; those that wait go out as deleted with the id alone, signed and in order', async () => {
    const { url } = app.receiver;
    const away = await app.subscribe(tenant.admin, { events: ['lead.*'], url: `${url}/away`, ordering: 'record' });
    const unordered = await app.subscribe(tenant.admin, { events: ['lead.*'], url: `${url}/away` });
    await app.subscribe(tenant.admin, { events: ['lead.*'], url: `${url}/filtered`, filter: 'status == "new"' });
    const held = await app.subscribe(tenant.admin, { events: ['lead.*'], url: `${url}/held` });
    await call('PATCH', `subscriptions/${held.id}`, { enabled: false });
    const events = [
      eventOf('lead.created', 1, { lastName: marker, status: 'new' }),
      eventOf('lead.updated', 2, { lastName: marker, status: 'new' }),
    ];
    for (const event of events) await app.handle(event, { isRepeated: false });
    await waitUntil(() => sentTo('/away').length === 3, { describe: 'the receiver refuses' });
    await waitUntil(async () => (await app.deliveries(tenant.admin, '?status=retrying')).length === 3, {
      describe: 'its refusals are stored',
    });
    expect(Object.keys(await found()).length).toBeGreaterThan(1);

    const last = erasure();
    await publishEvents(last);
    // Its filter could not tell what is left.
    await waitUntil(() => sentTo('/filtered').length === 3, { describe: 'the erasure is delivered' });
    expect(JSON.parse(sentTo('/filtered')[2]?.body ?? '')).toMatchObject({
      id: last.id,
      type: 'lead.deleted',
      data: { id: recordId, erased: true },
    });
    expect(await found()).toEqual({});

    app.receiver.requests.length = 0;
    app.receiver.respondWith(() => ({ status: 204 }));
    const waiting = await app.deliveries(tenant.admin, `?subscriptionId=${away.id}`);
    const [head] = waiting.filter(({ eventId }) => eventId === events[0]?.id);
    expect(head).toMatchObject({ event: 'lead.deleted', status: 'retrying' });
    await call('POST', `deliveries/${head?.id}/redeliver`);
    const mine = () => sentTo('/away').filter((request) => verdict(request, away.secret) === 'lead.deleted');
    await waitUntil(() => mine().length === 3, { describe: 'what waited goes out', timeoutMs: 15_000 });
    const ids = mine().map(({ body }) => JSON.parse(body).id);
    expect(ids).toEqual([...events, last].map(({ id }) => id));
    for (const { body } of mine()) expect(JSON.parse(body).data).toEqual({ id: recordId, erased: true });
    expect(unordered.secret).not.toBe(away.secret);
  });

  it('are not made of what comes later of its earlier events, and what was under way is taken from the ledger', async () => {
    await app.subscribe(tenant.admin, { events: ['lead.*'], url: `${app.receiver.url}/late` });
    const early = eventOf('lead.created', 1, { lastName: marker });
    await app.handle(early, { isRepeated: false });
    const last = erasure();
    await publishEvents(last);
    await app.arrival(last.id);
    await app.handle(eventOf('lead.updated', 2, { lastName: marker }), { isRepeated: false });
    expect(sentTo('/late')).toHaveLength(2);

    // An attempt that was under way stores its outcome like this, and a consumer what it could not handle.
    const sql = 'UPDATE delivery SET response_excerpt = $2 WHERE tenant_id = $1';
    await app.asAdministrator(sql, [tenant.id, marker]);
    await app.service.get(Database).transaction(tenant.id, (tx) =>
      storeDeadLetter(tx, {
        consumer: CONSUMERS['webhook-dispatcher'].durable,
        messageKey: early.id,
        sentAt: Date.now(),
        eventId: early.id,
        subject: eventSubject('lead.created', tenant.id),
        payload: Buffer.from(JSON.stringify(early)),
        error: marker,
        deliveries: 10,
      }),
    );
    expect(Object.keys(await found())).toHaveLength(2);
    await app.asAdministrator('UPDATE erased_record SET due_at = now() WHERE tenant_id = $1', [tenant.id]);
    await waitUntil(async () => Object.keys(await found()).length === 0, { describe: 'the ledger has nothing of it' });
  });
});
