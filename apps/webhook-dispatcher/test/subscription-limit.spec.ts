import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { SUBSCRIPTIONS_PER_TENANT as LIMIT, type ListJson, useWebhooks } from './webhook-service.js';

type List = ListJson<{ id: string; url: string }>;

const { app, tenant } = useWebhooks();

const provision = (count: number, installationId: string = randomUUID()) =>
  app.provision(tenant.id, {
    installationId,
    webhooks: Array.from({ length: count }, (_, index) => ({
      events: ['lead.created'],
      url: `https://hooks.acme.example.com/${index}`,
    })),
  });

const list = (query = '', token = tenant.admin) =>
  app.service.request<List>('GET', `/api/webhooks/subscriptions?${query}`, { token });

describe('the number of subscriptions of a tenant', () => {
  it('stays within the limit, also when several subscriptions are created at once', async () => {
    await provision(LIMIT - 2);
    const answers = await Promise.all(Array.from({ length: 6 }, () => app.subscribe(tenant.admin)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 409)).toMatchObject({
      code: 'SUBSCRIPTION_LIMIT_EXCEEDED',
      limit: LIMIT,
      present: LIMIT,
      requested: 1,
    });
    expect((await list('size=1')).body.total).toBe(LIMIT);
  });

  it('counts the subscriptions of apps, which are created all or none', async () => {
    const installationId = randomUUID();
    const subscriptions = await provision(LIMIT - 2, installationId);
    await expect(provision(3)).rejects.toMatchObject({ code: 'SUBSCRIPTION_LIMIT_EXCEEDED' });
    expect((await list('size=1')).body.total).toBe(LIMIT - 2);
    // Provisioning again what already exists needs no room.
    expect(await provision(LIMIT - 2, installationId)).toEqual(subscriptions);
    const races = await Promise.allSettled([provision(2), provision(2)]);
    expect(races.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('falls when a subscription is deleted, and does not limit other tenants', async () => {
    const { id } = await app.subscribe(tenant.admin);
    await provision(LIMIT - 1);
    expect((await app.subscribe(tenant.admin)).status).toBe(409);
    expect((await app.subscribe((await app.tenant()).admin)).status).toBe(201);
    await app.service.request('DELETE', `/api/webhooks/subscriptions/${id}`, { token: tenant.admin });
    expect((await app.subscribe(tenant.admin)).status).toBe(201);
  });
});

describe('the list of subscriptions', () => {
  it('continues by page and by cursor in the order in which subscriptions were created', async () => {
    const made: string[] = [];
    for (let count = 0; count < 5; count += 1) made.push((await app.subscribe(tenant.admin)).id);
    const first = (await list('size=2')).body;
    expect(first).toMatchObject({ page: 1, size: 2, total: 5, totalIsExact: true, hasMore: true });
    const second = (await list(`size=2&cursor=${first.nextCursor}`)).body;
    const third = (await list('size=2&page=3')).body;
    expect([...first.data, ...second.data, ...third.data].map(({ id }) => id)).toEqual(made);
    expect(third).toMatchObject({ hasMore: false, nextCursor: null });
    expect((await list()).body).toMatchObject({ size: 25, hasMore: false, data: made.map((id) => ({ id })) });
  });

  it('refuses the cursor of another tenant or another list', async () => {
    for (let count = 0; count < 2; count += 1) await app.subscribe(tenant.admin);
    const { nextCursor } = (await list('size=1')).body;
    const stranger = await app.tenant();
    const refused = await Promise.all([
      list(`cursor=${nextCursor}`, stranger.admin),
      list('size=0'),
      list('cursor=abc'),
      app.service.request<List>('GET', `/api/webhooks/deliveries?cursor=${nextCursor}`, { token: tenant.admin }),
    ]);
    for (const { status, body } of refused) expect([status, body.code]).toEqual([400, 'INVALID_QUERY']);
  });
});
