import { RevocationSource } from '@crm/access';
import { CONSUMERS, PlatformError } from '@crm/contracts';
import {
  Database,
  idOf,
  listPartitions,
  makePartition,
  NO_TENANT,
  newId,
  PartitionUpkeep,
  storeDeadLetter,
} from '@crm/database';
import { runDeadLetterProgram } from '@crm/runtime';
import { publishEvents, reinstateTenant, revokeApp, suspendTenant, waitUntil } from '@crm/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AppModule } from '../src/app.module.js';
import { measureDueRuns } from '../src/run/run-queue.repository.js';
import { gate, newEvent, record, task, useAutomations } from './automations-service.js';

const { world, service, tenant, newTenant, startAnother } = useAutomations();

describe('a worker of runs', () => {
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
    let runId = '';
    try {
      const stopping = await startAnother();
      runId = (await stopping.request<{ runId: string }>('POST', path, { body: {} })).body.runId;
      await waitUntil(() => calls === 1, { describe: 'the first step to begin' });
      const closed = stopping.close();
      release();
      await closed;
      const steps = await world.sql('SELECT position, status FROM run_step WHERE run_id = $1', runId);
      expect(steps).toEqual([{ position: 0, status: 'succeeded' }]);
    } finally {
      release();
      Object.assign(service, await world.start());
    }
    expect((await tenant.ended(runId)).status).toBe('succeeded');
    expect(tenant.createdNames()).toEqual(['first', 'second']);
  });

  it('shares the runs with other workers, and no run is executed twice', async () => {
    await startAnother();
    const { path } = await tenant.hooked({ actions: [task('{{n}}')] });
    const runIds = await Promise.all(Array.from({ length: 40 }, (_value, n) => tenant.start(path, { n })));
    for (const runId of runIds) expect((await tenant.ended(runId)).status).toBe('succeeded');
    expect([tenant.createdNames().length, new Set(tenant.createdNames()).size]).toEqual([40, 40]);
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

  it('leave the queue when one of them does not exist any more', async () => {
    const runId = newId();
    const sql = 'INSERT INTO run_queue (tenant_id, run_id, workflow_id) VALUES ($1, $2, gen_random_uuid())';
    await world.sql(sql, tenant.tenantId, runId);
    const queued = () => world.sql('SELECT 1 FROM run_queue WHERE run_id = $1', runId);
    await waitUntil(async () => (await queued()).length === 0, { describe: 'it has left', timeoutMs: 30_000 });
  });
});

const settles = (isSuspended: boolean) =>
  waitUntil(() => service.get(RevocationSource).isSuspended(tenant.tenantId) === isSuspended, { timeoutMs: 1_000 });
const suspend = () => suspendTenant(tenant.tenantId).then(() => settles(true));
const reinstate = () => reinstateTenant(tenant.tenantId).then(() => settles(false));
const creating = (...names: string[]) => ({ actions: names.map((lastName) => record('lead', { lastName })) });
/** Someone else's run from beginning to end: by then a worker has looked at everything that is due. */
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
      const refused = await service.request('POST', path, request);
      const unknown = await service.request('POST', wrong, request);
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
    const measured = service.get(Database).everyTenant.read<{ items: number }>(measureDueRuns, [[tenant.tenantId]]);
    for (const { items } of await measured) expect(items).toBe(0);
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

describe('a revoked app', () => {
  it('has hooks like those that do not exist, starts no run, and its runs are cancelled at their next step', async () => {
    const appKey = `revoked-${newId()}`;
    const { tenantId } = tenant;
    const automation = (key: string, trigger: object, actions: object[]) => ({ key, name: key, trigger, actions });
    const hook = { type: 'webhook_received' };
    const [waiting, running] = await tenant.provision(
      newId(),
      [
        automation('a', hook, [{ type: 'wait', seconds: 1 }, task('never')]),
        automation('b', hook, [task('first'), task('never')]),
        automation('c', { type: 'event', event: 'task.created' }, [task('never')]),
      ],
      { appKey, scopes: ['custom_objects', 'tasks', 'automations'] },
    );
    const path = (hooked: typeof waiting) => new URL(hooked?.url ?? '').pathname;
    const revoke = async () => {
      await revokeApp(appKey);
      await waitUntil(() => service.get(RevocationSource).isAppRevoked(appKey), { timeoutMs: 1_000 });
    };
    const waits = await tenant.start(path(waiting));
    world.customObjects.create = async () => {
      await revoke();
      return { id: newId() };
    };
    const runs = await tenant.start(path(running));
    const cancelled = { status: 'cancelled', error: { code: 'APP_REVOKED' } };
    expect(await tenant.ended(runs)).toMatchObject(cancelled);
    expect(await tenant.ended(waits)).toMatchObject(cancelled);
    const wrong = path(waiting).replace(/[^/]+$/, 'wrong-secret');
    for (const request of [{ body: {} }, { body: '[', headers: { 'content-type': 'application/json' } }]) {
      const refused = await service.request('POST', path(waiting), request);
      expect([refused.status, refused.body]).toEqual([404, (await service.request('POST', wrong, request)).body]);
    }
    world.customObjects.create = () => ({ id: newId() });
    await tenant.onEvent('task.created', { actions: [task('of the workspace')] });
    await publishEvents(newEvent('task.created', tenantId, { record: {} }));
    await waitUntil(() => tenant.createdNames().includes('of the workspace'));
    expect(tenant.createdNames().sort()).toEqual(['first', 'of the workspace']);
    expect(await world.sql('SELECT 1 FROM run WHERE tenant_id = $1', tenantId)).toHaveLength(3);
  });
});

describe('the dead letter program', () => {
  beforeEach(() => tenant.onEvent('lead.created'));
  afterEach(() => world.sql('TRUNCATE dead_letter'));

  const store = async (tenantId: string, payload: string) => {
    const message = {
      consumer: CONSUMERS['automation-hooks'].durable,
      messageKey: newId(),
      sentAt: Date.now(),
      eventId: null,
      subject: 'events.lead.created.7',
      payload: Buffer.from(payload),
      error: 'Error: message of the handler\n    at its line',
      deliveries: 10,
    };
    return (await service.get(Database).transaction(tenantId, (tx) => storeDeadLetter(tx, message))).id;
  };
  const storeEvent = async () => {
    const event = newEvent('lead.created', tenant.tenantId, { record: { id: newId(), lastName: 'Doe' } });
    return store(tenant.tenantId, JSON.stringify(event));
  };
  const program = async (...args: string[]) => {
    const out: string[] = [];
    const errors: string[] = [];
    const config = world.configure();
    const output = { out: (text: string) => out.push(text), error: (text: string) => errors.push(text) };
    const { keySource } = world.tokens;
    const code = await runDeadLetterProgram(config, AppModule.with(config), args, output, { keySource });
    return { code, out, errors };
  };
  const runs = async () => (await tenant.runs()).length;

  it('lists all waiting dead letters without their contents', async () => {
    const id = await storeEvent();
    for (let index = 0; index < 100; index += 1) await store(NO_TENANT, '{broken');
    const { code, out } = await program();
    expect([code, out.length]).toEqual([0, 102]);
    expect(out[0]).toContain(id);
    expect(out[0]).toContain(tenant.tenantId);
    expect(out[0]).toContain('10 deliveries\tError: message of the handler');
    expect(out[0]).not.toContain('at its line');
    expect(out[0]).not.toContain('Doe');
    expect(out.at(-1)).toBe('101 waiting');
  });

  it('replays a dead letter only once', async () => {
    const id = await storeEvent();
    expect(await program('--replay', id)).toEqual({ code: 0, out: [`${id} replayed`], errors: [] });
    await waitUntil(async () => (await runs()) === 1, { describe: 'the event to start its run' });
    expect(await program('--replay', id)).toEqual({ code: 1, out: [], errors: [`${id} does not wait`] });
    expect((await program()).out).toEqual(['0 waiting']);
    expect(await runs()).toBe(1);
  });

  it('replays all dead letters and keeps those that fail again', async () => {
    const broken = await store(NO_TENANT, '{broken');
    await storeEvent();
    await storeEvent();
    const { code, out, errors } = await program('--replay-all');
    expect(code).toBe(1);
    expect(out.at(-1)).toBe('2 replayed, 1 failed');
    expect(errors).toEqual([expect.stringContaining(`${broken} failed again: The body isn't JSON`)]);
    expect((await program()).out.at(-1)).toBe('1 waiting');
    expect(await runs()).toBe(2);
  });

  it.each([['--repaly-all'], ['--replay'], ['--replay x'], [`--replay ${NO_TENANT} --replay-all`], ['all']])(
    'does nothing when it does not know the arguments: %s',
    async (args) => {
      const { code, out, errors } = await program(...args.split(' '));
      expect({ code, out }).toEqual({ code: 2, out: [] });
      expect(errors[0]).toContain('--replay <id>');
    },
  );
});
