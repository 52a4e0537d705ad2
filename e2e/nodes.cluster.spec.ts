import { DATABASES } from '@crm/contracts';
import { verifyWebhook } from '@crm/sdk';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../scripts/demo/client.mjs';
import { startDemoReceiver } from '../scripts/demo/receiver.mjs';
import { labNode, registerNodes } from '../scripts/servers/citus.mjs';
import { withClient } from '../scripts/servers/with-client.mjs';
import { type Account, api, newWorkspace } from './platform/accounts.js';
import { addresses } from './platform/addresses.js';

const coordinator = process.env.CITUS_URL as string;
const inRecords = (node: string) =>
  Object.assign(new URL(node), { pathname: DATABASES['custom-objects'].database }).href;

/** A workspace whose leads are delivered, and the worker on which its rows lie. */
interface Tenant extends Account {
  readonly secret: string;
  readonly node: string;
  readonly shard: string;
}

/** Where the records of a tenant are: the URL of the worker, and the table there. */
async function nodeOf(tenantId: string): Promise<{ node: string; shard: string }> {
  const sql = `SELECT nodename AS host, nodeport AS port, 'custom_record_' || shardid AS shard
                 FROM citus_shards JOIN pg_dist_placement USING (shardid) JOIN pg_dist_node USING (nodename, nodeport)
                WHERE shardid = get_shard_id_for_distribution_column('custom_record', $1::uuid)`;
  const { rows } = await withClient(inRecords(coordinator), (client) => client.query(sql, [tenantId]));
  const [{ host, port, shard }] = rows;
  return { shard, node: Object.assign(new URL(coordinator), { hostname: host, port }).href };
}

const leadsOn = async (node: string, shard: string): Promise<string[]> =>
  withClient(inRecords(node), async (client) =>
    (await client.query(`SELECT id FROM ${shard}`)).rows.map(({ id }) => id),
  );

describe('the nodes of a Citus cluster', () => {
  let receiver: Awaited<ReturnType<typeof startDemoReceiver>>;
  let workers: string[];
  /** One on each worker. */
  let tenants: Tenant[];

  async function newTenant(): Promise<Tenant> {
    const account = await newWorkspace();
    const subscription = await api('POST', '/api/webhooks/subscriptions', {
      token: account.token,
      body: { events: ['lead.created'], url: `${addresses.demoReceiver.url}/${account.tenantId}` },
      expect: 201,
    });
    return { ...account, secret: subscription.body.secret, ...(await nodeOf(account.tenantId)) };
  }

  beforeAll(async () => {
    receiver = await startDemoReceiver(addresses.demoReceiver);
    workers = await registerNodes(coordinator);
    tenants = [await newTenant()];
    await eventually(async () => {
      const tenant = await newTenant();
      if (!tenants.some(({ node }) => node === tenant.node)) tenants.push(tenant);
      return tenants.length === workers.length;
    }, 'a workspace on each worker');
  });
  afterAll(() => receiver?.close());

  const postLead = ({ token }: Tenant) => api('POST', '/api/crm/leads', { token, body: { lastName: 'Lead' } });

  /** Resolves when each of these leads has arrived, signed with the secret of its workspace. */
  async function untilDelivered({ tenantId, secret }: Tenant, ids: readonly string[]): Promise<void> {
    const arrived = async () => {
      const own = receiver.received.filter(({ body }) => JSON.parse(body).tenantId === tenantId);
      const leads = own.map(({ body, headers }) => verifyWebhook(body, headers, secret).data as { id: string });
      const found = new Set(leads.map(({ id }) => id));
      return ids.every((id) => found.has(id));
    };
    await eventually(arrived, `the delivery of ${ids.length} leads`, 90_000);
  }

  it('have the records of each workspace on one of the workers, from where their events are delivered', async () => {
    for (const tenant of tenants) {
      const { body } = await postLead(tenant);
      expect(await leadsOn(tenant.node, tenant.shard)).toContain(body.id);
      await untilDelivered(tenant, [body.id]);
    }
  });

  /** Has every workspace create leads while something is done. */
  async function writeDuring(work: (untilAccepted: (some: readonly Tenant[]) => Promise<unknown>) => Promise<void>) {
    const accepted = new Map(tenants.map((tenant) => [tenant, [] as string[]]));
    const refused = new Set<string>();
    const countOf = (tenant: Tenant) => accepted.get(tenant)?.length ?? 0;
    let hasEnded = false;
    const write = async (tenant: Tenant) => {
      while (!hasEnded) {
        const { status, body } = await postLead(tenant);
        if (status === 201) accepted.get(tenant)?.push(body.id);
        else refused.add(`${tenant.node} ${status} ${body.code}`);
      }
    };
    const writing = Promise.all(tenants.map(write));
    try {
      await work((some) => {
        const before = new Map(some.map((tenant) => [tenant, countOf(tenant)]));
        const isAhead = (tenant: Tenant) => countOf(tenant) >= (before.get(tenant) ?? 0) + 5;
        return eventually(async () => some.every(isAhead), 'that leads are accepted');
      });
    } finally {
      hasEnded = true;
      await writing;
    }
    return { accepted, refused: [...refused] };
  }

  it('leave the records of others to be written and read while one is silent', async () => {
    const [lost, ...others] = tenants as [Tenant, ...Tenant[]];
    const node = await labNode(lost.node);
    const { body } = await postLead(lost);
    let isSilent = true;
    await node.signalAll('SIGSTOP');
    const waiting: Promise<unknown>[] = [];
    const ask = async () => {
      while (isSilent) {
        await postLead(lost);
        await api('GET', `/api/crm/leads/${body.id}`, { token: lost.token });
      }
    };
    try {
      waiting.push(...Array.from({ length: 10 }, ask));
      for (let lead = 0; lead < 10; lead += 1) {
        for (const tenant of others) {
          const created = await postLead(tenant);
          expect(created).toMatchObject({ status: 201 });
          const path = `/api/crm/leads/${created.body.id}`;
          expect((await api('GET', path, { token: tenant.token })).status).toBe(200);
        }
      }
    } finally {
      isSilent = false;
      await node.signalAll('SIGCONT');
      await Promise.all(waiting);
    }
    await eventually(async () => (await postLead(lost)).status === 201, 'that its own are written again');
  });

  it('lose nothing that was accepted when one is killed, whose workspaces are answered 503 until it is back', async () => {
    const [lost, ...others] = tenants as [Tenant, ...Tenant[]];
    const node = await labNode(lost.node);
    const { accepted, refused } = await writeDuring(async (untilAccepted) => {
      await untilAccepted(tenants);
      await node.kill();
      await untilAccepted(others);
      await node.start();
      await untilAccepted(tenants);
    });
    // On a busy machine some wait until their time is over.
    const late = `${lost.node} 503 DEADLINE_EXCEEDED`;
    expect(refused.filter((answer) => answer !== late)).toEqual([`${lost.node} 503 SERVICE_UNAVAILABLE`]);
    for (const [tenant, ids] of accepted) {
      expect(await leadsOn(tenant.node, tenant.shard)).toEqual(expect.arrayContaining(ids));
      await untilDelivered(tenant, ids);
    }
  });
});
