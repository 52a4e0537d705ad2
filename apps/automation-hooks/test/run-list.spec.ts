import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { RunBody } from './automations-service.js';
import { RunsWorld } from './runs-world.js';

let runs: RunsWorld;
beforeAll(async () => {
  runs = await RunsWorld.start();
});
beforeEach(() => runs.beginTest());
afterAll(() => runs?.close());

describe('the list of runs', () => {
  it('is ordered newest first, has pages, and can be filtered by workflow and status', async () => {
    const one = await runs.tenant.hooked({ actions: [{ type: 'create_task', title: 'x' }] });
    const two = await runs.tenant.hooked({ condition: 'FALSE', actions: [{ type: 'create_task', title: 'x' }] });
    const ids: string[] = [];
    for (const path of [one.path, two.path, one.path]) ids.unshift(await runs.start(path, {}));
    for (const id of ids) await runs.tenant.ended(id);
    type List = { data: RunBody[]; total: number; hasMore: boolean; nextCursor: string | null };
    const list = async (query: string) => (await runs.tenant.call<List>('GET', `/runs?${query}`)).body;
    expect((await list('')).data.map(({ id }) => id)).toEqual(ids);
    expect((await list(`workflowId=${two.id}`)).data.map(({ status }) => status)).toEqual(['skipped']);
    expect(await list('status=succeeded')).toMatchObject({ total: 2 });
    const first = await list('size=2');
    expect(first).toMatchObject({ total: 3, hasMore: true });
    expect((await list(`size=2&cursor=${first.nextCursor}`)).data.map(({ id }) => id)).toEqual(ids.slice(2));
    expect((await list('size=2&page=2')).data.map(({ id }) => id)).toEqual(ids.slice(2));
    const other = await runs.newTenant();
    expect((await other.call('GET', `/runs?size=2&cursor=${first.nextCursor}`)).status).toBe(400);
  });

  it('contains no runs of another tenant, which are not found by id either', async () => {
    const { path } = await runs.tenant.hooked({ actions: [{ type: 'create_task', title: 'x' }] });
    const runId = await runs.start(path, {});
    const other = await runs.newTenant();
    expect((await other.call('GET', `/runs/${runId}`)).status).toBe(404);
    expect((await other.call<{ data: unknown[] }>('GET', '/runs')).body.data).toEqual([]);
  });

  it('and the single run show payloads to administrators only', async () => {
    const { path } = await runs.tenant.hooked({ actions: [{ type: 'create_task', title: 'x' }] });
    const runId = await runs.start(path, { salary: 1 });
    const member = await runs.tenant.as('member');
    expect((await member<RunBody>('GET', `/runs/${runId}`)).body.input).toBeUndefined();
    // An administrator's embed token runs inside a page of another product.
    const embedded = await runs.tenant.as('admin', ['automations:read'], { embed: true, embed_app_id: 'portal' });
    expect((await embedded<RunBody>('GET', `/runs/${runId}`)).body.input).toBeUndefined();
    expect((await runs.tenant.call<RunBody>('GET', `/runs/${runId}`)).body.input).toEqual({ salary: 1 });
  });
});
