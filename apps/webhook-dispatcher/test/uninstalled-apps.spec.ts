import { randomUUID } from 'node:crypto';
import type { EventEnvelope } from '@crm/contracts';
import { Database } from '@crm/database';
import { verifyWebhook } from '@crm/sdk';
import type { ReceivedRequest, TestService } from '@crm/testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { RemovedSubscriptionSweeper } from '../src/subscriptions/removed-subscription.sweeper.js';
import { SecretService } from '../src/subscriptions/secret.service.js';
import { SubscriptionService } from '../src/subscriptions/subscription.service.js';
import { envelope, gate, SUBSCRIPTIONS_PER_TENANT as LIMIT, useWebhooks } from './webhook-service.js';

const secretOf = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`;

describe('an app that is uninstalled', () => {
  const { app, tenant, call } = useWebhooks();
  let appKey: string;
  let installationId: string;
  beforeEach(() => {
    appKey = `app-${randomUUID()}`;
    installationId = randomUUID();
  });

  /** One subscription for each list of events, at the path of its place. */
  const install = (...events: string[][]) =>
    app.provision(tenant.id, {
      installationId,
      appKey,
      secret: secretOf(1),
      webhooks: events.map((names, index) => ({ events: names, url: `${app.receiver.url}/${index}` })),
    });
  const remove = (discard = false) => app.service.get(SubscriptionService).remove(tenant.id, installationId, discard);
  const uninstalled = (of = installationId, key = appKey): EventEnvelope => ({
    ...envelope(tenant.id, 'app.uninstalled', {}),
    data: { installationId: of, appKey: key, version: '1.0.0', sandbox: false },
  });
  const lead = () => envelope(tenant.id, 'lead.created', { id: randomUUID() });
  const handle = (event: EventEnvelope, by?: TestService) => app.handle(event, { isRepeated: false }, by);
  const paths = ({ id }: EventEnvelope) => app.received(id).map(({ path }) => path);
  const kept = () =>
    app.rows<{ id: string; events: string[] }>(
      tenant.id,
      'SELECT id, events FROM webhook_subscription WHERE removed_at IS NOT NULL ORDER BY removed_at, id',
    );
  const sweep = () => app.service.get(RemovedSubscriptionSweeper).sweep();

  it('is told so where it wants to know, signed with its secret and tried again', async () => {
    await install(['app.uninstalled'], ['lead.created'], ['app.*', 'lead.created']);
    expect(await remove()).toBe(3);
    await app.service.get(SecretService).rotateOfApp(appKey, secretOf(2));
    let failures = 2;
    app.receiver.respondWith(() => {
      failures -= 1;
      return { status: failures >= 0 ? 503 : 204 };
    });
    const event = uninstalled();
    await handle(event);
    const made = await app.settled(tenant.admin, 'delivered');
    expect(made.reduce((sum, { attempts }) => sum + attempts, 0)).toBe(4);
    expect(new Set(paths(event))).toEqual(new Set(['/0', '/2']));
    const request = app.received(event.id).at(-1) as ReceivedRequest;
    for (const secret of [secretOf(1), secretOf(2)]) {
      const sent = { type: 'app.uninstalled', data: event.data };
      expect(verifyWebhook(request.body, request.headers, secret)).toMatchObject(sent);
    }
  });

  it('gets nothing else of the workspace, also when it is about another installation', async () => {
    await install(['app.*', 'lead.*']);
    await remove();
    const others = [
      lead(),
      uninstalled(randomUUID()),
      { ...uninstalled(), type: 'app.installed' },
      { ...uninstalled(), tenantid: (await app.tenant()).id },
    ];
    for (const event of others) await handle(event);
    expect(await app.deliveries(tenant.admin)).toEqual([]);
    const event = uninstalled();
    await handle(event);
    expect(await app.settled(tenant.admin, 'delivered')).toMatchObject([{ eventId: event.id }]);
  });

  it('gets no retry of what came before', async () => {
    await install(['lead.created', 'app.*']);
    app.receiver.respondWith(() => ({ status: 503 }));
    const before = [lead(), uninstalled(randomUUID())];
    for (const event of before) await handle(event);
    const failed = await app.settled(tenant.admin, 'failed');
    await remove();
    const sent = before.map((event) => paths(event).length);
    for (const { id } of failed) expect((await call('POST', `deliveries/${id}/redeliver`)).status).toBe(202);
    const ended = await app.settled(tenant.admin, 'failed');
    expect(ended.map(({ lastError }) => lastError?.code)).toEqual(['subscription_inactive', 'subscription_inactive']);
    expect(before.map((event) => paths(event).length)).toEqual(sent);
  });

  it('is told by every process, also by one that knew it as installed or starts later', async () => {
    await install(['app.uninstalled', 'lead.created']);
    const knows = await app.startSibling();
    const [before, after] = [lead(), lead()];
    await handle(before, knows);
    await remove();
    await handle(after, knows);
    const starts = await app.startSibling();
    await handle(after, starts);
    expect([paths(before), paths(after)]).toEqual([['/0'], []]);
    const event = uninstalled();
    await Promise.all([handle(event, knows), handle(event, starts)]);
    expect(new Set(paths(event))).toEqual(new Set(['/0']));
    expect(await app.deliveries(tenant.admin)).toMatchObject([
      { eventId: event.id, status: 'delivered' },
      { eventId: before.id, status: 'delivered' },
    ]);
  });

  it('is told nothing when the installation had failed, or the administrator had disabled the subscription', async () => {
    await install(['app.*']);
    await remove(true);
    await handle(uninstalled());
    installationId = randomUUID();
    const [disabled] = await install(['app.*']);
    await call('PATCH', `subscriptions/${disabled?.id}`, { enabled: false });
    await remove();
    await handle(uninstalled());
    expect([await kept(), await app.deliveries(tenant.admin)]).toEqual([[], []]);
  });

  it('has no subscriptions that anybody sees or counts', async () => {
    for (let count = 0; count < 2; count += 1) {
      installationId = randomUUID();
      const [created] = await install(...Array.from({ length: LIMIT }, () => ['app.*']));
      await remove();
      expect((await call('GET', `subscriptions/${created?.id}`)).status).toBe(404);
    }
    expect((await call('GET', 'subscriptions')).body).toMatchObject({ total: 0 });
  });

  it('keeps subscriptions that ask for the one event, which sweeping all tenants reaches and no other', async () => {
    await install(['app.*', 'lead.created']);
    await remove();
    expect(await kept()).toEqual([{ id: expect.any(String), events: ['app.uninstalled'] }]);
    const present = await app.subscribe(tenant.admin);
    await app.service.get(Database).crossTenant((tx) => tx.query('DELETE FROM webhook_subscription'));
    expect(await app.rows(tenant.id, 'SELECT id FROM webhook_subscription')).toEqual([{ id: present.id }]);
  });

  it('is kept in mind no longer than needed', async () => {
    await install(['app.uninstalled'], ['app.uninstalled']);
    await remove();
    await sweep();
    expect(await kept()).toHaveLength(2);
    // One accepts it; the other answers 410, which ends its delivery. Nothing is left to disable.
    app.receiver.respondWith(({ path }) => ({ status: path === '/0' ? 204 : 410 }));
    // About another installation of the same app.
    await handle(uninstalled(randomUUID()));
    await sweep();
    expect(await kept()).toHaveLength(2);
    await handle(uninstalled());
    await sweep();
    expect(await kept()).toEqual([]);
    expect((await app.deliveries(tenant.admin)).map(({ status }) => status).sort()).toEqual(['delivered', 'failed']);
  });

  it('is kept in mind while an attempt is to come', async () => {
    await install(['app.uninstalled']);
    await remove();
    const { opened: answered, open: answer } = gate();
    app.receiver.respondWith(() => answered.then(() => ({ status: 204 })));
    // Recorded as under way after a second.
    await handle(uninstalled());
    expect(await app.deliveries(tenant.admin)).toMatchObject([{ status: 'pending' }]);
    await sweep();
    expect(await kept()).toHaveLength(1);
    answer();
    await app.settled(tenant.admin, 'delivered');
    await sweep();
    expect(await kept()).toEqual([]);
  });

  it('is forgotten when the event has not come for 30 days, and when too many others were removed since', async () => {
    const first = await install(['app.uninstalled']);
    await remove();
    for (let count = 0; count < LIMIT; count += 1) {
      installationId = randomUUID();
      await install(['app.uninstalled']);
      await remove();
    }
    const left = await kept();
    expect(left).toHaveLength(LIMIT);
    expect(left.map(({ id }) => id)).not.toContain(first[0]?.id);
    const sql = `UPDATE webhook_subscription SET removed_at = now() - interval '31 days' WHERE id = $1`;
    await app.asAdministrator(sql, [left[0]?.id]);
    await sweep();
    expect(await kept()).toEqual(left.slice(1));
  });
});
