import { newId } from '@crm/database';
import { waitUntil } from '@crm/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { RunsWorld } from './runs-world.js';

let runs: RunsWorld;
beforeAll(async () => {
  runs = await RunsWorld.start();
});
beforeEach(() => runs.beginTest());
afterAll(() => runs?.close());

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
