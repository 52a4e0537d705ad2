import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { RevocationSource } from '@crm/access';
import { Database } from '@crm/database';
import { reinstateTenant, suspendTenant, waitUntil } from '@crm/testing';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { MEASURE_DUE_DELIVERIES } from '../src/delivery/due-delivery.repository.js';
import { type Tenant, useWebhooks } from './webhook-service.js';

const { app, tenant } = useWebhooks({
  retryDelaysMs: [0, 300, 300],
  concurrency: 16,
  slowConcurrency: 64,
  concurrencyPerSubscription: 4,
});
let other: Tenant;
beforeEach(async () => {
  other = await app.tenant();
});

const settles = (isSuspended: boolean) =>
  waitUntil(() => app.service.get(RevocationSource).isSuspended(tenant.id) === isSuspended, { timeoutMs: 1_000 });
async function suspend(): Promise<void> {
  await suspendTenant(tenant.id);
  await settles(true);
}
async function reinstate(): Promise<void> {
  await reinstateTenant(tenant.id);
  await settles(false);
}
/** A delivery of another tenant from its failed first attempt to its second: by then a worker has looked at what is due. */
async function anotherRetry(): Promise<void> {
  await app.subscribe(other.admin);
  app.receiver.respondWith(() => ({ status: 503 }));
  const { id } = await app.emit(other.id);
  app.receiver.respondWith(() => ({ status: 204 }));
  await waitUntil(() => app.received(id).length === 2, { timeoutMs: 10_000, describe: 'the other delivery' });
}
const statuses = async () =>
  app.rows<{ status: string; attempts: number }>(tenant.id, 'SELECT status, attempts FROM delivery');

describe('a suspended tenant', () => {
  it.each(['none', 'record'])('is sent nothing, and what it missed afterwards, with the order %s', async (ordering) => {
    await app.subscribe(tenant.admin, { ordering });
    const record = { id: randomUUID(), version: 1, lastName: 'Doe' };
    await suspend();
    const event = await app.emit(tenant.id, 'lead.created', record);
    await anotherRetry();
    expect(app.received(event.id)).toEqual([]);
    expect(await statuses()).toEqual([{ status: 'pending', attempts: 0 }]);
    // It waits for something that no worker can give it, so nobody is to be woken for it.
    const [due] = await app.service
      .get(Database)
      .crossTenantStatement<{ items: number }>(MEASURE_DUE_DELIVERIES, [[tenant.id]]);
    expect(due?.items).toBe(0);
    await reinstate();
    await waitUntil(() => app.received(event.id).length === 1, { timeoutMs: 10_000, describe: 'the missed delivery' });
    await waitUntil(async () => (await statuses())[0]?.status === 'delivered', { timeoutMs: 10_000 });
  });

  it('has retries that wait, and spend none of their attempts', async () => {
    await app.subscribe(tenant.admin);
    app.receiver.respondWith(() => ({ status: 503 }));
    const event = await app.emit(tenant.id);
    await suspend();
    await anotherRetry();
    const before = app.received(event.id).length;
    await reinstate();
    await waitUntil(() => app.received(event.id).length === before + 1, { timeoutMs: 10_000, describe: 'the retry' });
    await waitUntil(async () => (await statuses())[0]?.status === 'delivered', { timeoutMs: 10_000 });
    expect(await statuses()).toEqual([{ status: 'delivered', attempts: before + 1 }]);
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
    await waitUntil(() => app.received(others.id).length === 1, { timeoutMs: 5_000, describe: 'the other delivery' });
    for (const { id } of [waiting, young]) expect(app.received(id)).toEqual([]);
    await reinstate();
    await waitUntil(() => app.received(young.id).length === 1, { timeoutMs: 10_000, describe: 'what waited' });
  });
});
