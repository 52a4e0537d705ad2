import { RevocationSource } from '@crm/access';
import { PlatformError, rpc } from '@crm/contracts';
import { Database, newId } from '@crm/database';
import { reinstateTenant, suspendTenant, waitUntil } from '@crm/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { MEASURE_DUE_RUNS } from '../src/run/run-queue.repository.js';
import { type Service, startWorld, type Tenant, tenantOn, type World } from './automations-service.js';

let world: World;
let service: Service;
let tenant: Tenant;
/** Names that the stand-in for custom-objects was asked to create, and what it does then. */
const created: string[] = [];
let onCreate: (lastName: string) => Promise<void>;

beforeAll(async () => {
  world = await startWorld();
  await world.answer(rpc.customObjects.createRecord, async ({ values }) => {
    const lastName = String(values.lastName);
    created.push(lastName);
    await onCreate(lastName);
    return { id: newId() };
  });
  service = await world.start();
});
beforeEach(async () => {
  onCreate = async () => undefined;
  tenant = await tenantOn(world, service);
});
afterAll(async () => {
  await service?.close();
  await world?.close();
});

const settles = (isSuspended: boolean, { tenantId } = tenant) =>
  waitUntil(() => service.get(RevocationSource).isSuspended(tenantId) === isSuspended, { timeoutMs: 1_000 });
async function suspend({ tenantId } = tenant): Promise<void> {
  await suspendTenant(tenantId);
  await settles(true);
}
async function reinstate(): Promise<void> {
  await reinstateTenant(tenant.tenantId);
  await settles(false);
}
const creating = (...names: string[]) => ({
  actions: names.map((lastName) => ({ type: 'create_record', object: 'lead', values: { lastName } })),
});
const start = (path: string) => service.request<{ runId: string }>('POST', path, { body: {} });
/** Somebody else's run from beginning to end: by then a worker has looked at everything that is due. */
async function anotherRun(): Promise<void> {
  const other = await tenantOn(world, service);
  const { path } = await other.hooked(creating(newId()));
  const { body } = await start(path);
  expect((await other.ended(body.runId)).status).toBe('succeeded');
}

describe('a suspended tenant', () => {
  it('has hooks that answer like those that do not exist, whatever is sent to them', async () => {
    const { path } = await tenant.hooked(creating('never'));
    const wrong = path.replace(/[^/]+$/, 'wrong-secret');
    await suspend();
    const unreadable = { body: '[', headers: { 'content-type': 'application/json' } };
    for (const request of [{ body: {} }, { body: {}, headers: { 'idempotency-key': 'k' } }, unreadable]) {
      const [refused, unknown] = [
        await service.request('POST', path, request),
        await service.request('POST', wrong, request),
      ];
      expect([refused.status, refused.body]).toEqual([404, unknown.body]);
    }
    await anotherRun();
    await reinstate();
    const { status, body } = await start(path);
    expect(status).toBe(202);
    expect((await tenant.ended(body.runId)).status).toBe('succeeded');
    expect(created.filter((name) => name === 'never')).toHaveLength(1);
  });

  it('has runs that stop after their step, wait, and go on where they were', async () => {
    const names = [newId(), newId()] as const;
    const { path } = await tenant.hooked(creating(...names));
    onCreate = (name) => (name === names[0] ? suspend() : Promise.resolve());
    const { runId } = (await start(path)).body;
    await waitUntil(async () => {
      const { rows } = await world.admin.query<{ done: number }>(
        `SELECT count(*)::int AS done FROM run_step WHERE run_id = $1 AND status = 'succeeded'`,
        [runId],
      );
      return rows[0]?.done === 1;
    });
    onCreate = async () => undefined;
    await anotherRun();
    expect(created.filter((name) => names.includes(name))).toEqual([names[0]]);
    // It waits for something that no worker can give it, so nobody is to be woken for it.
    const [due] = await service
      .get(Database)
      .crossTenantStatement<{ items: number }>(MEASURE_DUE_RUNS, [[tenant.tenantId]]);
    expect(due?.items).toBe(0);
    await reinstate();
    expect(await tenant.ended(runId)).toMatchObject({
      status: 'succeeded',
      steps: [{ status: 'succeeded' }, { status: 'succeeded' }],
    });
    expect(created.filter((name) => names.includes(name))).toEqual([...names]);
  });

  it('has runs whose refused steps count no attempt', async () => {
    const name = newId();
    const { path } = await tenant.hooked(creating(name));
    let refusals = 0;
    // Refused for good, as a token of a suspended tenant is when it is minted.
    onCreate = async () => {
      refusals += 1;
      if (refusals > 1) return;
      await suspend();
      throw new PlatformError('WORKSPACE_SUSPENDED');
    };
    const { runId } = (await start(path)).body;
    await waitUntil(() => service.get(RevocationSource).isSuspended(tenant.tenantId));
    await anotherRun();
    const { rows } = await world.admin.query('SELECT attempts, status FROM run_step WHERE run_id = $1', [runId]);
    expect(rows).toEqual([{ attempts: 0, status: 'running' }]);
    await reinstate();
    expect((await tenant.ended(runId)).status).toBe('succeeded');
    expect(created.filter((one) => one === name)).toHaveLength(2);
  });
});
