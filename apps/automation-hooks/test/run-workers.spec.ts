import { RevocationSource } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database, idOf, listPartitions, makePartition, newId, PartitionUpkeep } from '@crm/database';
import { reinstateTenant, suspendTenant, waitUntil } from '@crm/testing';
import { describe, expect, it } from '@jest/globals';
import { RunService } from '../src/run/run.service.js';
import { MEASURE_DUE_RUNS } from '../src/run/run-queue.repository.js';
import { eventOf } from './automations-service.js';
import { useRuns } from './runs-world.js';

const runs = useRuns();

describe('a worker of runs', () => {
  it('that dies loses no accepted run, because another worker executes it', async () => {
    const { path } = await runs.tenant.hooked({ actions: [{ type: 'create_task', title: 'x' }] });
    // A service whose worker claims nothing, as if it died right after it answered.
    const dying = await runs.world.start({ pollMs: 60_000, concurrency: 0 });
    const idle = await runs.service.request<{ runId: string }>('POST', path, { body: {} });
    const accepted = await dying.request<{ runId: string }>('POST', path, { body: {} });
    await dying.close();
    for (const { status, body } of [idle, accepted]) {
      expect(status).toBe(202);
      expect((await runs.tenant.ended(body.runId)).status).toBe('succeeded');
    }
  });

  it('that dies holds a run no longer than its lease, and its finished steps are not repeated', async () => {
    const { path, id } = await runs.tenant.hooked({
      actions: [
        { type: 'create_task', title: 'x' },
        { type: 'create_task', title: 'y' },
      ],
    });
    const runId = newId();
    // The state that a worker leaves when it is killed after the first step: claimed, with a lease that is about to end.
    await runs.world.admin.query(
      `INSERT INTO run (tenant_id, id, workflow_id, workflow_version, input, status) VALUES ($1, $2, $3, 1, '{}', 'running')`,
      [runs.tenant.tenantId, runId, id],
    );
    await runs.world.admin.query(
      `INSERT INTO run_step (tenant_id, run_id, position, key, type, status) VALUES ($1, $2, 0, 'step1', 'create_task', 'succeeded')`,
      [runs.tenant.tenantId, runId],
    );
    await runs.world.admin.query(
      `INSERT INTO run_queue (tenant_id, run_id, workflow_id, due_at, claim_id)
       VALUES ($1, $2, $3, now() + interval '500 milliseconds', $4)`,
      [runs.tenant.tenantId, runId, id, newId()],
    );
    expect((await runs.tenant.ended(runId)).status).toBe('succeeded');
    expect(runs.created().map(({ values }) => values.title)).toEqual(['y']);
    expect(path).toBeDefined();
  });

  it('writes nothing after it has lost its claim', async () => {
    const { path } = await runs.tenant.hooked({ actions: [{ type: 'create_task', title: 'x' }] });
    let runId = '';
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    let calls = 0;
    runs.answerCreate = () => {
      calls += 1;
      return calls === 1 ? gate.then(() => ({ id: newId() })) : { id: newId() };
    };
    runId = await runs.start(path, {});
    await waitUntil(() => calls === 1, { describe: 'the first worker to call' });
    // The lease ends while the first worker is still calling.
    await runs.world.admin.query('UPDATE run_queue SET due_at = now() WHERE run_id = $1', [runId]);
    expect((await runs.tenant.ended(runId)).status).toBe('succeeded');
    const { rows: before } = await runs.world.admin.query('SELECT * FROM run_step WHERE run_id = $1', [runId]);
    release();
    await waitUntil(() => calls === 2, { describe: 'both workers to have called' });
    const later = await runs.tenant.hooked({ actions: [{ type: 'create_task', title: 'later' }] });
    await runs.tenant.ended(await runs.start(later.path, {}));
    const { rows: after } = await runs.world.admin.query('SELECT * FROM run_step WHERE run_id = $1', [runId]);
    expect(after).toEqual(before);
  });

  it('gives its runs back after the current step when it is stopped', async () => {
    const { path } = await runs.tenant.hooked({
      actions: [
        { type: 'create_task', title: 'first' },
        { type: 'create_task', title: 'second' },
      ],
    });
    let calls = 0;
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    runs.answerCreate = () => {
      calls += 1;
      return gate.then(() => ({ id: newId() }));
    };
    await runs.service.close();
    try {
      const stopping = await runs.world.start();
      const { body } = await stopping.request<{ runId: string }>('POST', path, { body: {} });
      await waitUntil(() => calls === 1, { describe: 'the first step to begin' });
      const closed = stopping.close();
      release();
      await closed;
      const { rows } = await runs.world.admin.query('SELECT position, status FROM run_step WHERE run_id = $1', [
        body.runId,
      ]);
      expect(rows).toEqual([{ position: 0, status: 'succeeded' }]);
      runs.service = await runs.world.start();
      runs.tenant = await runs.tenant.on(runs.service);
      expect((await runs.tenant.ended(body.runId)).status).toBe('succeeded');
      expect(runs.created().map(({ values }) => values.title)).toEqual(['first', 'second']);
    } finally {
      release();
    }
  });

  it('shares the runs with other workers, and no run is executed twice', async () => {
    const second = await runs.world.start();
    try {
      const { path } = await runs.tenant.hooked({ actions: [{ type: 'create_task', title: '{{n}}' }] });
      const runIds = await Promise.all(Array.from({ length: 40 }, (_value, n) => runs.start(path, { n })));
      for (const runId of runIds) expect((await runs.tenant.ended(runId)).status).toBe('succeeded');
      const titles = runs.created().map(({ values }) => values.title);
      expect(titles).toHaveLength(40);
      expect(new Set(titles).size).toBe(40);
    } finally {
      await second.close();
    }
  });
});

const DAY_MS = 86_400_000;

describe('the runs of a day', () => {
  it('are dropped 30 days later, unless one of them is still queued', async () => {
    const database = runs.service.get(Database);
    const day = new Date(Date.now() - 32 * DAY_MS).toISOString().slice(0, 10);
    const runId = idOf(Date.parse(day), 'waits');
    for (const table of ['run', 'run_step']) await database.crossTenant((tx) => makePartition(tx, table, day));
    await runs.world.admin.query(
      `INSERT INTO run (tenant_id, id, workflow_id, workflow_version, input, status)
       VALUES ($1, $2, gen_random_uuid(), 1, '{}', 'running')`,
      [runs.tenant.tenantId, runId],
    );
    await runs.world.admin.query(
      `INSERT INTO run_step (tenant_id, run_id, position, key, type, status) VALUES ($1, $2, 0, 'a', 'wait', 'running')`,
      [runs.tenant.tenantId, runId],
    );
    await runs.world.admin.query(
      `INSERT INTO run_queue (tenant_id, run_id, workflow_id, due_at)
       VALUES ($1, $2, gen_random_uuid(), now() + interval '1 day')`,
      [runs.tenant.tenantId, runId],
    );
    const upkeep = async () => {
      await runs.service.get(PartitionUpkeep).sweep(new AbortController().signal);
      const tables = await database.crossTenant((tx) => listPartitions(tx));
      return tables.filter(({ days }) => days.includes(day)).map(({ table }) => table);
    };
    expect(await upkeep()).toEqual(['run', 'run_step']);
    await runs.world.admin.query('DELETE FROM run_queue');
    expect(await upkeep()).toEqual([]);
    expect((await runs.world.admin.query('SELECT 1 FROM run WHERE id = $1', [runId])).rowCount).toBe(0);
  });

  it('have one for each workflow and event, however often the event is handled', async () => {
    const workflow = {
      name: 'Greets leads',
      trigger: { type: 'event', event: 'lead.created' },
      actions: [{ type: 'wait', seconds: 3600 }],
    };
    for (let made = 0; made < 2; made += 1) {
      expect((await runs.tenant.call('POST', '/workflows', workflow)).status).toBe(201);
    }
    const event = eventOf('lead.created', runs.tenant.tenantId, { record: { id: newId(), lastName: 'Doe' } });
    const accept = () =>
      runs.service
        .get(Database)
        .transaction(runs.tenant.tenantId, (tx) => runs.service.get(RunService).acceptEvent(tx, event));
    await accept();
    await accept();
    const workflows = await runs.world.admin.query('SELECT DISTINCT workflow_id FROM run WHERE event_id = $1', [
      event.id,
    ]);
    const all = await runs.world.admin.query('SELECT 1 FROM run WHERE event_id = $1', [event.id]);
    expect([workflows.rowCount, all.rowCount]).toEqual([2, 2]);
  });

  it('leave the queue when one of them does not exist any more', async () => {
    const runId = newId();
    await runs.world.admin.query(
      'INSERT INTO run_queue (tenant_id, run_id, workflow_id) VALUES ($1, $2, gen_random_uuid())',
      [runs.tenant.tenantId, runId],
    );
    const isQueued = async () =>
      ((await runs.world.admin.query('SELECT 1 FROM run_queue WHERE run_id = $1', [runId])).rowCount ?? 0) > 0;
    await waitUntil(async () => !(await isQueued()), { describe: 'the run is out of the queue', timeoutMs: 30_000 });
  });
});

const settles = (isSuspended: boolean, { tenantId } = runs.tenant) =>
  waitUntil(() => runs.service.get(RevocationSource).isSuspended(tenantId) === isSuspended, { timeoutMs: 1_000 });
async function suspend({ tenantId } = runs.tenant): Promise<void> {
  await suspendTenant(tenantId);
  await settles(true);
}
async function reinstate(): Promise<void> {
  await reinstateTenant(runs.tenant.tenantId);
  await settles(false);
}
/** The names that runs of the tenant asked to create. */
const created = () => runs.created().map(({ values }) => values.lastName as string);
const creating = (...names: string[]) => ({
  actions: names.map((lastName) => ({ type: 'create_record', object: 'lead', values: { lastName } })),
});
const post = (path: string) => runs.service.request<{ runId: string }>('POST', path, { body: {} });
/** Somebody else's run from beginning to end: by then a worker has looked at everything that is due. */
async function anotherRun(): Promise<void> {
  const other = await runs.newTenant();
  const { path } = await other.hooked(creating(newId()));
  const { body } = await post(path);
  expect((await other.ended(body.runId)).status).toBe('succeeded');
}

describe('a suspended tenant', () => {
  it('has hooks that answer like those that do not exist, whatever is sent to them', async () => {
    const { path } = await runs.tenant.hooked(creating('never'));
    const wrong = path.replace(/[^/]+$/, 'wrong-secret');
    await suspend();
    const unreadable = { body: '[', headers: { 'content-type': 'application/json' } };
    for (const request of [{ body: {} }, { body: {}, headers: { 'idempotency-key': 'k' } }, unreadable]) {
      const [refused, unknown] = [
        await runs.service.request('POST', path, request),
        await runs.service.request('POST', wrong, request),
      ];
      expect([refused.status, refused.body]).toEqual([404, unknown.body]);
    }
    await anotherRun();
    await reinstate();
    const { status, body } = await post(path);
    expect(status).toBe(202);
    expect((await runs.tenant.ended(body.runId)).status).toBe('succeeded');
    expect(created().filter((name) => name === 'never')).toHaveLength(1);
  });

  it('has runs that stop after their step, wait, and go on where they were', async () => {
    const names = [newId(), newId()] as const;
    const { path } = await runs.tenant.hooked(creating(...names));
    runs.answerCreate = async ({ values }) => {
      if (values.lastName === names[0]) await suspend();
      return { id: newId() };
    };
    const { runId } = (await post(path)).body;
    await waitUntil(async () => {
      const { rows } = await runs.world.admin.query<{ done: number }>(
        `SELECT count(*)::int AS done FROM run_step WHERE run_id = $1 AND status = 'succeeded'`,
        [runId],
      );
      return rows[0]?.done === 1;
    });
    runs.answerCreate = () => ({ id: newId() });
    await anotherRun();
    expect(created().filter((name) => names.includes(name))).toEqual([names[0]]);
    // It waits for something that no worker can give it, so nobody is to be woken for it.
    const [due] = await runs.service
      .get(Database)
      .crossTenantStatement<{ items: number }>(MEASURE_DUE_RUNS, [[runs.tenant.tenantId]]);
    expect(due?.items).toBe(0);
    await reinstate();
    expect(await runs.tenant.ended(runId)).toMatchObject({
      status: 'succeeded',
      steps: [{ status: 'succeeded' }, { status: 'succeeded' }],
    });
    expect(created().filter((name) => names.includes(name))).toEqual([...names]);
  });

  it('has runs whose refused steps count no attempt', async () => {
    const name = newId();
    const { path } = await runs.tenant.hooked(creating(name));
    let refusals = 0;
    // Refused for good, as a token of a suspended tenant is when it is minted.
    runs.answerCreate = async () => {
      refusals += 1;
      if (refusals > 1) return { id: newId() };
      await suspend();
      throw new PlatformError('WORKSPACE_SUSPENDED');
    };
    const { runId } = (await post(path)).body;
    await waitUntil(() => runs.service.get(RevocationSource).isSuspended(runs.tenant.tenantId));
    await anotherRun();
    const { rows } = await runs.world.admin.query('SELECT attempts, status FROM run_step WHERE run_id = $1', [runId]);
    expect(rows).toEqual([{ attempts: 0, status: 'running' }]);
    await reinstate();
    expect((await runs.tenant.ended(runId)).status).toBe('succeeded');
    expect(created().filter((one) => one === name)).toHaveLength(2);
  });
});
