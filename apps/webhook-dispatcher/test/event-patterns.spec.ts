import { randomUUID } from 'node:crypto';
import { EVENT_NAMES } from '@crm/contracts';
import { describe, expect, it } from '@jest/globals';
import { useWebhooks } from './webhook-service.js';

describe('event names as users meet them', () => {
  const { app, tenant } = useWebhooks();

  it('delivers every event of a domain, once for each subscription however its patterns overlap', async () => {
    const wide = await app.subscribe(tenant.admin, { events: ['lead.*', 'lead.created', 'lead.*'] });
    const narrow = await app.subscribe(tenant.admin, { events: ['lead.created', 'deal.won'] });
    expect([wide.status, narrow.status]).toEqual([201, 201]);
    for (const name of ['lead.created', 'lead.updated', 'lead.deleted', 'contact.created', 'deal.won'] as const) {
      await app.emit(tenant.id, name);
    }
    await app.settled(tenant.admin, 'delivered');
    const eventsOf = async ({ id }: { id: string }) =>
      (await app.deliveries(tenant.admin, `?subscriptionId=${id}`)).map(({ event }) => event).sort();
    expect(await eventsOf(wide)).toEqual(['lead.created', 'lead.deleted', 'lead.updated']);
    expect(await eventsOf(narrow)).toEqual(['deal.won', 'lead.created']);
  });

  it('shows the patterns of a subscription as they were given, each once', async () => {
    const { admin } = tenant;
    const { id } = await app.subscribe(admin, { events: ['lead.*', 'lead.created', 'lead.*'] });
    const read = await app.service.request('GET', `/api/webhooks/subscriptions/${id}`, { token: admin });
    expect(read.body).toMatchObject({ events: ['lead.*', 'lead.created'] });
    const body = { events: ['deal.*'] };
    const changed = await app.service.request('PATCH', `/api/webhooks/subscriptions/${id}`, { token: admin, body });
    expect(changed.body).toMatchObject(body);
  });

  it.each(['*', '*.*', 'lead', 'lead.', 'lead.cre*', 'opportunity.*', '*.created'])('refuses %s', async (event) => {
    const { admin } = tenant;
    const answer = await app.subscribe(admin, { events: ['lead.created', event] });
    expect([answer.status, answer.code]).toEqual([422, 'VALIDATION_FAILED']);
  });

  it('checks a filter against every event of a domain', async () => {
    const { admin } = tenant;
    const status = async (events: string[], filter: string) => (await app.subscribe(admin, { events, filter })).status;
    expect(await status(['deal.*'], 'amount > 1000')).toBe(201);
    expect(await status(['task.*', 'deal.*'], 'amount == "a lot"')).toBe(422);
    // Of its domain, only `app.upgraded` declares it; a name that an event does not declare has no type.
    expect(await status(['app.installed'], 'previousVersion > 5')).toBe(201);
    expect(await status(['app.*'], 'previousVersion > 5')).toBe(422);
  });

  it('accepts a domain from the package of an app', async () => {
    const { id } = tenant;
    const [provisioned] = await app.provision(id, {
      appKey: `app-${randomUUID()}`,
      webhooks: [{ events: ['task.*', 'webhook.endpoint_disabled'], url: 'https://hooks.acme.example.com/in' }],
    });
    expect(provisioned?.events).toEqual(['task.*', 'webhook.endpoint_disabled']);
  });

  it('lists the catalogue for administrators', async () => {
    const { admin, member } = tenant;
    const list = (token: string) =>
      app.service.request<{ data: { name: string }[] }>('GET', '/api/webhooks/event-types', { token });
    const { status, body } = await list(admin);
    expect([status, body.data.map(({ name }) => name)]).toEqual([200, EVENT_NAMES]);
    expect(body.data[0]).toMatchObject({
      domain: 'lead',
      version: 1,
      dataschema: 'urn:crm:event:lead.created:v1',
      schema: { $id: 'urn:crm:event:lead.created:v1', properties: { lastName: { type: 'string' } } },
      example: { type: 'lead.created', dataschema: 'urn:crm:event:lead.created:v1', data: { lastName: 'Lovelace' } },
    });
    expect((await list(member)).status).toBe(403);
  });
});
