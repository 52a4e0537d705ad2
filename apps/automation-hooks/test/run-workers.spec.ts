import { RevocationSource } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database, idOf, listPartitions, makePartition, newId, PartitionUpkeep } from '@crm/database';
import { reinstateTenant, suspendTenant, waitUntil } from '@crm/testing';
import { describe, expect, it } from '@jest/globals';
import { RunService } from '../src/run/run.service.js';
import { MEASURE_DUE_RUNS } from '../src/run/run-queue.repository.js';
import { eventOf, gate, IDLE, record, task, useAutomations, wait } from './automations-service.js';

const { world, service, tenant, newTenant, startAnother } = useAutomations();

describe('a worker of runs', () => {
  it('that dies loses no accepted run, because another worker executes it', async () => {
    const { path } = await tenant.hooked();
    // A service whose worker claims nothing, as if it died right after it answered.
    const dying = await world.start(IDLE);
    const idle = await service.request<{ runId: string }>('POST', path, { body: {} });
    const accepted = await dying.request<{ runId: string }>('POST', path, { body: {} });
    await dying.close();
    for (const { status, body } of [idle, accepted]) {
      expect(status).toBe(202);
      expect((await tenant.ended(body.runId)).status).toBe('succeeded');
    }
  });

  it('that dies holds a run no longer than its lease, and its finished steps are not repeated', async () => {
    const { id: workflowId } = await tenant.hooked({ actions: [task(), task('y')] });
    // The state that a worker leaves when it is killed after the first step: claimed, with a lease that is about to end.
    const step = ['step1', 'create_task', 'succeeded'];
    const runId = await tenant.storeRun({ workflowId, step, dueIn: '500 milliseconds', claim: newId() });
    expect((await tenant.ended(runId)).status).toBe('succeeded');
    expect(tenant.createdNames()).toEqual(['y']);
  });

  it('writes nothing after it has lost its claim', async () => {
    const { path } = await tenant.hooked();
    const { opened, open: release } = gate();
    let calls = 0;
    world.customObjects.create = () => {
      calls += 1;
      return calls === 1 ? opened.then(() => ({ id: newId() })) : { id: newId() };
    };
    const runId = await tenant.start(path);
    await waitUntil(() => calls === 1, { describe: 'the first worker to call' });
    // The lease ends while the first worker is still calling.
    await world.sql('UPDATE run_queue SET due_at = now() WHERE run_id = $1', runId);
    expect((await tenant.ended(runId)).status).toBe('succeeded');
    const before = await world.sql('SELECT * FROM run_step WHERE run_id = $1', runId);
    release();
    await waitUntil(() => calls === 2, { describe: 'both workers to have called' });
    await tenant.runOf([task('later')]);
    expect(await world.sql('SELECT * FROM run_step WHERE run_id = $1', runId)).toEqual(before);
  });

  it('gives its runs back after the current step when it is stopped', async () => {
    const { path } = await tenant.hooked({ actions: [task('first'), task('second')] });
    let calls = 0;
    const { opened, open: release } = gate();
    world.customObjects.create = () => {
      calls += 1;
      return opened.then(() => ({ id: newId() }));
    };
    await service.close();
    try {
      const stopping = await world.start();
      const { body } = await stopping.request<{ runId: string }>('POST', path, { body: {} });
      await waitUntil(() => calls === 1, { describe: 'the first step to begin' });
      const closed = stopping.close();
      release();
      await closed;
      const steps = await world.sql('SELECT position, status FROM run_step WHERE run_id = $1', body.runId);
      expect(steps).toEqual([{ position: 0, status: 'succeeded' }]);
      Object.assign(service, await world.start());
      expect((await tenant.ended(body.runId)).status).toBe('succeeded');
      expect(tenant.createdNames()).toEqual(['first', 'second']);
    } finally {
      release();
    }
  });

  it('shares the runs with other workers, and no run is executed twice', async () => {
    await startAnother();
    const { path } = await tenant.hooked({ actions: [task('{{n}}')] });
    const runIds = await Promise.all(Array.from({ length: 40 }, (_value, n) => tenant.start(path, { n })));
    for (const runId of runIds) expect((await tenant.ended(runId)).status).toBe('succeeded');
    const titles = tenant.createdNames();
    expect([titles.length, new Set(titles).size]).toEqual([40, 40]);
  });
});

const DAY_MS = 86_400_000;

describe('the runs of a day', () => {
  it('are dropped 30 days later, unless one of them is still queued', async () => {
    const database = service.get(Database);
    const day = new Date(Date.now() - 32 * DAY_MS).toISOString().slice(0, 10);
    const runId = idOf(Date.parse(day), 'waits');
    for (const table of ['run', 'run_step']) await database.crossTenant((tx) => makePartition(tx, table, day));
    await tenant.storeRun({ id: runId, step: ['a', 'wait', 'running'], dueIn: '1 day' });
    const upkeep = async () => {
      await service.get(PartitionUpkeep).sweep(new AbortController().signal);
      const tables = await database.crossTenant((tx) => listPartitions(tx));
      return tables.filter(({ days }) => days.includes(day)).map(({ table }) => table);
    };
    expect(await upkeep()).toEqual(['run', 'run_step']);
    await world.sql('DELETE FROM run_queue');
    expect(await upkeep()).toEqual([]);
    expect(await world.sql('SELECT 1 FROM run WHERE id = $1', runId)).toEqual([]);
  });

  it('have one for each workflow and event, however often the event is handled', async () => {
    for (let made = 0; made < 2; made += 1) await tenant.onEvent('lead.created', { actions: [wait(3600)] });
    const event = eventOf('lead.created', tenant.tenantId, { record: { id: newId(), lastName: 'Doe' } });
    const accept = () =>
      service.get(Database).transaction(tenant.tenantId, (tx) => service.get(RunService).acceptEvent(tx, event));
    await accept();
    await accept();
    const rows = await world.sql('SELECT workflow_id AS id FROM run WHERE event_id = $1', event.id);
    expect([rows.length, new Set(rows.map(({ id }) => id)).size]).toEqual([2, 2]);
  });

  it('leave the queue when one of them does not exist any more', async () => {
    const runId = newId();
    await world.sql(
      'INSERT INTO run_queue (tenant_id, run_id, workflow_id) VALUES ($1, $2, gen_random_uuid())',
      tenant.tenantId,
      runId,
    );
    const queued = () => world.sql('SELECT 1 FROM run_queue WHERE run_id = $1', runId);
    await waitUntil(async () => (await queued()).length === 0, { describe: 'it has left', timeoutMs: 30_000 });
  });
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
const creating = (...names: string[]) => ({ actions: names.map((lastName) => record('lead', { lastName })) });
/** Somebody else's run from beginning to end: by then a worker has looked at everything that is due. */
async function anotherRun(): Promise<void> {
  const other = await newTenant();
  expect((await other.runOf([task()])).status).toBe('succeeded');
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
    expect((await tenant.ended(await tenant.start(path))).status).toBe('succeeded');
    expect(tenant.createdNames()).toEqual(['never']);
  });

  it('has runs that stop after their step, wait, and go on where they were', async () => {
    const names = [newId(), newId()] as const;
    const { path } = await tenant.hooked(creating(...names));
    world.customObjects.create = async ({ values }) => {
      if (values.lastName === names[0]) await suspend();
      return { id: newId() };
    };
    const runId = await tenant.start(path);
    const done = () => world.sql(`SELECT 1 FROM run_step WHERE run_id = $1 AND status = 'succeeded'`, runId);
    await waitUntil(async () => (await done()).length === 1);
    world.customObjects.create = () => ({ id: newId() });
    await anotherRun();
    expect(tenant.createdNames()).toEqual([names[0]]);
    // It waits for something that no worker can give it, so nobody is to be woken for it.
    const [due] = await service
      .get(Database)
      .crossTenantStatement<{ items: number }>(MEASURE_DUE_RUNS, [[tenant.tenantId]]);
    expect(due?.items).toBe(0);
    await reinstate();
    const steps = [{ status: 'succeeded' }, { status: 'succeeded' }];
    expect(await tenant.ended(runId)).toMatchObject({ status: 'succeeded', steps });
    expect(tenant.createdNames()).toEqual([...names]);
  });

  it('has runs whose refused steps count no attempt', async () => {
    const { path } = await tenant.hooked();
    let refusals = 0;
    // Refused for good, as a token of a suspended tenant is when it is minted.
    world.customObjects.create = async () => {
      refusals += 1;
      if (refusals > 1) return { id: newId() };
      await suspend();
      throw new PlatformError('WORKSPACE_SUSPENDED');
    };
    const runId = await tenant.start(path);
    await waitUntil(() => service.get(RevocationSource).isSuspended(tenant.tenantId));
    await anotherRun();
    const steps = await world.sql('SELECT attempts, status FROM run_step WHERE run_id = $1', runId);
    expect(steps).toEqual([{ attempts: 0, status: 'running' }]);
    await reinstate();
    expect((await tenant.ended(runId)).status).toBe('succeeded');
    expect(tenant.created()).toHaveLength(2);
  });
});
