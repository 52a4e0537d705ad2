import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { RevocationSource } from '@crm/access';
import { Database } from '@crm/database';
import { reinstateTenant, suspendTenant, waitUntil } from '@crm/testing';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { MEASURE_DUE_DELIVERIES } from '../src/delivery/due-delivery.repository.js';
import { type Tenant, useWebhooks } from './webhook-service.js';

const { app, tenant } = useWebhooks({ retryDelaysMs: [0, 300, 300] });
let other: Tenant;
beforeEach(async () => {
  other = await app.tenant();
});

const settles = (isSuspended: boolean) =>
  waitUntil(() => app.service.get(RevocationSource).isSuspended(tenant.id) === isSuspended, { timeoutMs: 1_000 });
const suspend = () => suspendTenant(tenant.id).then(() => settles(true));
const reinstate = () => reinstateTenant(tenant.id).then(() => settles(false));
/** Until an event has been sent so many times. */
const sent = (eventId: string, times: number) =>
  waitUntil(() => app.received(eventId).length === times, { timeoutMs: 10_000, describe: `${times} requests` });
/** A delivery of another tenant from its failed first attempt to its second: by then a worker has looked at what is due. */
async function anotherRetry(): Promise<void> {
  await app.subscribe(other.admin);
  app.answer(503);
  const { id } = await app.emit(other.id);
  app.answer(204);
  await sent(id, 2);
}

describe('a suspended tenant', () => {
  it.each(['none', 'record'])('is sent nothing, and what it missed afterwards, with the order %s', async (ordering) => {
    await app.subscribe(tenant.admin, { ordering });
    const record = { id: randomUUID(), version: 1, lastName: 'Doe' };
    await suspend();
    const event = await app.emit(tenant.id, 'lead.created', record);
    await anotherRetry();
    expect(app.received(event.id)).toEqual([]);
    const deliveries = await app.rows(tenant.id, 'SELECT status, attempts FROM delivery');
    expect(deliveries).toEqual([{ status: 'pending', attempts: 0 }]);
    // It waits for something that no worker can give it, so nobody is to be woken for it.
    const [due] = await app.service
      .get(Database)
      .crossTenantStatement<{ items: number }>(MEASURE_DUE_DELIVERIES, [[tenant.id]]);
    expect(due?.items).toBe(0);
    await reinstate();
    await sent(event.id, 1);
    await app.settled(tenant.admin, 'delivered');
  });

  it('has retries that wait, and spend none of their attempts', async () => {
    await app.subscribe(tenant.admin);
    app.answer(503);
    const event = await app.emit(tenant.id);
    await suspend();
    await anotherRetry();
    const before = app.received(event.id).length;
    await reinstate();
    await sent(event.id, before + 1);
    expect(await app.settled(tenant.admin, 'delivered')).toMatchObject([{ attempts: before + 1 }]);
  });

  it('is sent nothing by a process that does not know yet who is suspended', async () => {
    await app.subscribe(tenant.admin);
    await suspend();
    const waiting = await app.emit(tenant.id);
    await app.subscribe(other.admin);
    // As it is at a start, until the first cut-offs have arrived.
    const revocations = app.service.get(RevocationSource);
    const unknown = [
      jest.spyOn(revocations, 'ready', 'get').mockReturnValue(false),
      jest.spyOn(revocations, 'isSuspended').mockReturnValue(false),
      jest.spyOn(revocations, 'suspendedTenants').mockReturnValue([]),
    ];
    const young = await app.emit(tenant.id);
    const others = await app.emit(other.id);
    // Far more than a worker takes that may send.
    await delay(700);
    for (const { id } of [waiting, young, others]) expect(app.received(id)).toEqual([]);
    for (const each of unknown) each.mockRestore();
    await sent(others.id, 1);
    for (const { id } of [waiting, young]) expect(app.received(id)).toEqual([]);
    await reinstate();
    await sent(young.id, 1);
  });
});
