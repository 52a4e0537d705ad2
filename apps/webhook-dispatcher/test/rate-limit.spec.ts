import { waitUntil } from '@crm/testing';
import { describe, expect, it } from '@jest/globals';
import { FanOutService } from '../src/delivery/fan-out.service.js';
import { envelope, useWebhooks } from './webhook-service.js';

/** Attempts a second. */
const RATE = 20;
const EVENTS = 30;

describe('a subscription with a rate', () => {
  const { app, tenant } = useWebhooks();

  it('gets everything, no faster than that, from all processes together', async () => {
    await app.subscribe(tenant.admin, { rateLimit: RATE });
    const sibling = await app.startSibling();
    const events = Array.from({ length: EVENTS }, (_, index) =>
      envelope(tenant.id, 'lead.created', { id: `${index}` }),
    );
    const begun = Date.now();
    await Promise.all(
      events.map((event, index) =>
        (index % 2 === 0 ? app.service : sibling).get(FanOutService).handle(event, { isRepeated: false }),
      ),
    );
    await waitUntil(async () => (await app.deliveries(tenant.admin, '?status=delivered&size=100')).length === EVENTS, {
      timeoutMs: 20_000,
      describe: 'all deliveries',
    });
    expect(events.map(({ id }) => app.received(id).length)).toEqual(Array(EVENTS).fill(1));
    // The first is sent at once. No attempt comes before its turn, however slow the machine is.
    expect(Date.now() - begun).toBeGreaterThanOrEqual(((EVENTS - 1) * 1_000) / RATE);
    await sibling.close();
  });

  it('shows and changes its rate, and refuses one that makes no sense', async () => {
    const { id } = await app.subscribe(tenant.admin);
    const path = `/api/webhooks/subscriptions/${id}`;
    const patch = (rateLimit: unknown) =>
      app.service.request('PATCH', path, { token: tenant.admin, body: { rateLimit } });
    expect((await patch(5)).body).toMatchObject({ rateLimit: 5 });
    for (const rateLimit of [0, 1001, 1.5, '5']) expect((await patch(rateLimit)).status).toBe(422);
    expect((await app.service.request('GET', path, { token: tenant.admin })).body).toMatchObject({ rateLimit: 5 });
    expect((await patch(null)).body).toMatchObject({ rateLimit: null });
  });
});
