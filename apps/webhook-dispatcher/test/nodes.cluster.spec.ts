import { randomUUID } from 'node:crypto';
import { setNodeReachable, waitUntil } from '@crm/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { CLAIM_MS } from '../src/delivery/attempt.js';
import { envelope, type Tenant, useWebhooks } from './webhook-service.js';

const RETRY_MS = 200;
const { app } = useWebhooks({ retryDelaysMs: [0, ...Array(200).fill(RETRY_MS)] });

interface TenantOfNode extends Tenant {
  readonly port: number;
}

const withNode = async (tenant: Tenant): Promise<TenantOfNode> => {
  const [node] = await app.asAdministrator<{ port: number }>(
    `SELECT nodeport AS port FROM pg_dist_shard_placement
      WHERE shardid = get_shard_id_for_distribution_column('delivery', $1::uuid)`,
    [tenant.id],
  );
  return { ...tenant, port: node?.port as number };
};

const setReachable = (port: number, isReachable: boolean) => setNodeReachable(app.config.database, port, isReachable);

describe('deliveries on the nodes of a cluster', () => {
  /** One on each node. */
  let lost: TenantOfNode;
  let other: TenantOfNode;
  const recordId = randomUUID();
  const subscribe = ({ admin, id }: Tenant, changes: object = {}) =>
    app.subscribe(admin, { url: `${app.receiver.url}/${id}`, ...changes });
  const versionsSentTo = ({ id }: Tenant) =>
    app.receiver.requests
      .filter(({ path, body }) => path === `/${id}` && body !== '')
      .map(({ body }) => (JSON.parse(body) as { data: { version: number } }).data.version);
  const emit = async (tenant: Tenant, version: number) => {
    const event = envelope(tenant.id, 'lead.created', { id: recordId, version, lastName: 'Doe' });
    await app.handle({ ...event, subject: recordId, recordversion: version }, { isRepeated: false });
    return event;
  };
  const isDelivered = (tenant: Tenant, count: number) => app.counted(tenant.admin, 'delivered', count);

  beforeAll(async () => {
    lost = await withNode(await app.tenant());
    do other = await withNode(await app.tenant());
    while (other.port === lost.port);
  });

  it('are made, made again and shown wherever the rows of their tenant lie', async () => {
    for (const tenant of [lost, other]) {
      const subscription = await subscribe(tenant);
      app.answer(500, 204);
      const { id } = await app.emit(tenant.id);
      await app.settled(tenant.admin, 'delivered');
      expect(app.received(id)).toHaveLength(2);
      await app.call(tenant.admin, 'DELETE', `subscriptions/${subscription.id}`);
    }
  });

  it('go on while a node is away, and in order when it is back, with those that are on it', async () => {
    let accepts = false;
    app.receiver.respondWith(() => ({ status: accepts ? 204 : 500 }));
    for (const tenant of [lost, other]) await subscribe(tenant, { ordering: 'record', onStall: 'hold' });
    for (const version of [1, 2, 3]) {
      for (const tenant of [lost, other]) await emit(tenant, version);
    }
    const areTried = () => [lost, other].every((tenant) => versionsSentTo(tenant).length > 3);
    await waitUntil(areTried, { timeoutMs: 20_000, describe: 'the first of each record was tried again' });
    await setReachable(lost.port, false);
    try {
      accepts = true;
      const before = versionsSentTo(lost).length;
      await isDelivered(other, 1 + 3);
      await emit(other, 4);
      await isDelivered(other, 1 + 4);
      await expect(emit(lost, 4)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
      expect(versionsSentTo(lost).slice(before + 1)).toEqual([]);
    } finally {
      await setReachable(lost.port, true);
    }
    // An attempt whose outcome could not be recorded is made again when its claim ends.
    await app.counted(lost.admin, 'delivered', 1 + 3, 2 * CLAIM_MS);
    const event = await emit(lost, 4);
    await isDelivered(lost, 1 + 4);
    expect(app.received(event.id).length).toBeGreaterThan(0);
    for (const tenant of [lost, other]) {
      const sent = versionsSentTo(tenant).slice(2);
      expect(sent).toEqual([...sent].sort());
      expect(new Set(sent)).toEqual(new Set([1, 2, 3, 4]));
    }
  }, 120_000);
});
