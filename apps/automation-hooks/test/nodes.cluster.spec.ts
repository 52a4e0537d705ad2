import { setNodeReachable, waitUntil } from '@crm/testing';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { emit, type Tenant, task, useAutomations, wait } from './automations-service.js';

const { world, service, newTenant } = useAutomations();

/** On the worker that is lost, and on another. */
let lost: Tenant & { readonly port: number };
let other: Tenant;
const portOf = async ({ tenantId }: Tenant): Promise<number> => {
  const [row] = await world.sql<{ port: number }>(
    `SELECT nodeport AS port FROM citus_shards WHERE shardid = get_shard_id_for_distribution_column('run_queue', $1::uuid)`,
    tenantId,
  );
  return row?.port as number;
};

const setReachable = (isReachable: boolean) => setNodeReachable(world.configure().database, lost.port, isReachable);

beforeAll(async () => {
  const first = await newTenant();
  lost = { ...first, port: await portOf(first) };
  do other = await newTenant();
  while ((await portOf(other)) === lost.port);
});

describe('while a node of the cluster is away', () => {
  afterEach(() => setReachable(true));

  it('hook calls and events of workspaces on the others start runs that are executed; what it has is done when it is back', async () => {
    const hooks = [await lost.hooked({ actions: [task(), wait(1), task('y')] }), await other.hooked()] as const;
    for (const one of [lost, other]) await one.onEvent('lead.created', { actions: [task('event')] });
    const begun = await lost.start(hooks[0].path);
    await waitUntil(async () => (await lost.run(begun)).steps.length > 1, { describe: 'the run to wait' });
    await setReachable(false);
    const post = ({ path }: { path: string }) => service.request('POST', path, { body: {} });
    // Together, so that they are stored together.
    const answers = await Promise.all([...hooks, ...hooks].map(post));
    expect(answers.map(({ status }) => status)).toEqual([503, 202, 503, 202]);
    for (const { tenantId } of [lost, other]) await emit('lead.created', tenantId, { record: { id: 'x' } });
    const names = (tenant: Tenant) => tenant.createdNames().sort();
    await waitUntil(() => names(other).length === 3, {
      timeoutMs: 30_000,
      describe: 'the runs of the other workspace',
    });
    expect(names(other)).toEqual(['event', 'x', 'x']);
    await setReachable(true);
    expect(await lost.ended(begun)).toMatchObject({ status: 'succeeded' });
    await waitUntil(() => names(lost).includes('event'), { timeoutMs: 30_000, describe: 'the run of its event' });
    expect(names(lost)).toEqual(['event', 'x', 'y']);
    expect((await post(hooks[0])).status).toBe(202);
  });
});
