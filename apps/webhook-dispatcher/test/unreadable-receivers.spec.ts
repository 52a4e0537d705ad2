import { waitUntil } from '@crm/testing';
import { describe, expect, it, jest } from '@jest/globals';
import { ReceiverDirectory } from '../src/receivers/receiver-directory.js';
import { ReceiverChanges } from '../src/subscriptions/receiver-changes.js';
import { type Tenant, useWebhooks } from './webhook-service.js';

const { app, tenant, call } = useWebhooks({ retryDelaysMs: [0, 100, 100, 100, 100, 100, 100, 100, 100, 100] });

/** The secret could have been sealed with a key that the platform no longer has. */
const spoil = async (of: Tenant, column: 'secret' | 'headers', id: string) => {
  const [row] = await app.rows<{ sealed: Buffer }>(
    of.id,
    `SELECT ${column} AS sealed FROM webhook_subscription WHERE id = $1`,
    [id],
  );
  await set(of, column, id, Buffer.from('spoilt'));
  return () => set(of, column, id, (row as { sealed: Buffer }).sealed);
};
const set = async (of: Tenant, column: string, id: string, sealed: Buffer) => {
  await app.rows(of.id, `UPDATE webhook_subscription SET ${column} = $2 WHERE id = $1`, [id, sealed]);
  await app.service.get(ReceiverChanges).announce({ tenantId: of.id });
};

describe('a receiver whose secret or headers the platform cannot read', () => {
  it.each(['secret', 'headers'] as const)(
    'waits alone, is named in the ledger, stays enabled and gets everything later: %s',
    async (column) => {
      const { id } = await app.subscribe(tenant.admin, {
        url: `${app.receiver.url}/spoilt`,
        headers: { 'x-key': 'a' },
      });
      const other = await app.subscribe(tenant.admin);
      const mend = await spoil(tenant, column, id);
      const event = await app.emit(tenant.id);
      expect((await app.arrival(event.id)).path).toBe('/hook');
      const ofSpoilt = async () => (await app.deliveries(tenant.admin, `?subscriptionId=${id}`))[0];
      expect(await ofSpoilt()).toMatchObject({ status: 'retrying', lastError: { code: 'unreadable_secret' } });
      expect((await app.deliveries(tenant.admin, `?subscriptionId=${other.id}`))[0]).toMatchObject({
        status: 'delivered',
      });
      await mend();
      await waitUntil(async () => (await ofSpoilt())?.status === 'delivered', {
        describe: 'the delivery after it was mended',
      });
      expect(
        app
          .received(event.id)
          .map(({ path }) => path)
          .sort(),
      ).toEqual(['/hook', '/spoilt']);
      expect((await call<{ enabled: boolean }>('GET', `subscriptions/${id}`)).body.enabled).toBe(true);
    },
  );
});

describe('a workspace whose receivers cannot be read for a moment', () => {
  it('does not keep the due deliveries of others waiting', async () => {
    app.answer(503, 204);
    const others = await app.tenant();
    for (const { admin } of [tenant, others]) await app.subscribe(admin);
    const directory = app.service.get(ReceiverDirectory);
    await Promise.all([app.emit(tenant.id), app.emit(others.id)]);
    const of = directory.of.bind(directory);
    const spy = jest
      .spyOn(directory, 'of')
      .mockImplementation((id) =>
        id === tenant.id ? Promise.reject(new Error('canceling statement due to statement timeout')) : of(id),
      );
    try {
      await app.settled(others.admin, 'delivered');
    } finally {
      spy.mockRestore();
    }
  });
});
