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

describe('a run whose workflow is changed', () => {
  it('is finished when its workflow is disabled while it waits', async () => {
    const { path, id } = await runs.tenant.hooked({
      actions: [
        { type: 'wait', seconds: 1 },
        { type: 'create_task', title: 'x' },
      ],
    });
    const runId = await runs.start(path, {});
    await waitUntil(async () => (await runs.tenant.run(runId)).steps.length > 0, { describe: 'the run to wait' });
    await runs.tenant.call('PATCH', `/workflows/${id}`, { enabled: false });
    expect((await runs.service.request('POST', path, { body: {} })).status).toBe(404);
    expect((await runs.tenant.ended(runId)).status).toBe('succeeded');
    expect(runs.created()).toHaveLength(1);
  });

  it('is cancelled at once when its workflow is deleted while it waits', async () => {
    const { path, id } = await runs.tenant.hooked({
      actions: [
        { type: 'wait', seconds: 86_400 },
        { type: 'create_task', title: 'x' },
      ],
    });
    const runId = await runs.start(path, {});
    await waitUntil(async () => (await runs.tenant.run(runId)).steps.length > 0, { describe: 'the run to wait' });
    await runs.tenant.call('DELETE', `/workflows/${id}`);
    expect(await runs.tenant.run(runId)).toMatchObject({ status: 'cancelled', error: { code: 'WORKFLOW_DELETED' } });
    const { rows } = await runs.world.admin.query('SELECT 1 FROM run_queue WHERE run_id = $1', [runId]);
    expect(rows).toEqual([]);
  });

  it('is cancelled after its current step when its workflow is deleted meanwhile', async () => {
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    runs.answerCreate = () => answered.then(() => ({ id: newId() }));
    const { path, id } = await runs.tenant.hooked({
      actions: [
        { type: 'create_task', title: 'first' },
        { type: 'create_task', title: 'second' },
      ],
    });
    const runId = await runs.start(path, {});
    await waitUntil(() => runs.created().length === 1, { describe: 'the first step to begin' });
    await runs.tenant.call('DELETE', `/workflows/${id}`);
    answer();
    // The run of another workflow comes after it, on the only place.
    const later = await runs.tenant.hooked({ actions: [{ type: 'create_task', title: 'later' }] });
    expect((await runs.tenant.ended(await runs.start(later.path, {}))).status).toBe('succeeded');
    expect(await runs.tenant.run(runId)).toMatchObject({ status: 'cancelled', error: { code: 'WORKFLOW_DELETED' } });
    expect(runs.created().map(({ values }) => values.title)).toEqual(['first', 'later']);
  });

  it('is cancelled by the worker that claims it when its workflow was deleted while it was being accepted', async () => {
    const runId = newId();
    const workflowId = newId();
    await runs.world.admin.query(
      `INSERT INTO run (tenant_id, id, workflow_id, workflow_version, input, status) VALUES ($1, $2, $3, 1, '{}', 'queued')`,
      [runs.tenant.tenantId, runId, workflowId],
    );
    await runs.world.admin.query('INSERT INTO run_queue (tenant_id, run_id, workflow_id) VALUES ($1, $2, $3)', [
      runs.tenant.tenantId,
      runId,
      workflowId,
    ]);
    expect(await runs.tenant.ended(runId)).toMatchObject({ status: 'cancelled', error: { code: 'WORKFLOW_DELETED' } });
  });
});
