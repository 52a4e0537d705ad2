import { newId } from '@crm/database';
import { waitUntil } from '@crm/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { traceOf } from '../src/run/run.service.js';
import type { RunBody } from './automations-service.js';
import { RunsWorld } from './runs-world.js';

let runs: RunsWorld;
beforeAll(async () => {
  runs = await RunsWorld.start();
});
beforeEach(() => runs.beginTest());
afterAll(() => runs?.close());

describe('an event', () => {
  const runsOf = async (workflowId: string) =>
    (await runs.tenant.call<{ data: RunBody[] }>('GET', `/runs?workflowId=${workflowId}`)).body.data;
  const waitForRuns = async (workflowId: string, count: number) => {
    await waitUntil(async () => (await runsOf(workflowId)).length >= count, { timeoutMs: 15_000, describe: 'runs' });
    return runsOf(workflowId);
  };
  const workflowFor = async (event: string, rest: object = {}) => {
    const { body } = await runs.tenant.call<{ id: string; hookUrl?: string }>('POST', '/workflows', {
      name: 'On event',
      trigger: { type: 'event', event },
      actions: [{ type: 'create_task', title: 'Welcome {{firstName}} {{record.lastName}}' }],
      ...rest,
    });
    expect(body.hookUrl).toBeUndefined();
    return body.id;
  };
  const lead = { firstName: 'Ada', lastName: 'Lovelace', status: 'new' };

  it('starts the workflows of its tenant that wait for it, with the fields of its record as input', async () => {
    const emit = await runs.world.eventSource();
    const other = await runs.newTenant();
    const id = await workflowFor('lead.created', { condition: 'status == "new"' });
    const unconcerned = await workflowFor('lead.deleted');
    await emit('lead.created', other.tenantId, { record: lead });
    await emit('lead.created', runs.tenant.tenantId, { record: lead });
    const [run] = await waitForRuns(id, 1);
    expect(await runs.tenant.ended(run?.id as string)).toMatchObject({
      status: 'succeeded',
      input: { ...lead, record: lead },
    });
    expect(runs.created()).toMatchObject([{ values: { title: 'Welcome Ada Lovelace' } }]);
    expect(await runsOf(unconcerned)).toEqual([]);
    expect((await other.call<{ data: RunBody[] }>('GET', '/runs')).body.data).toEqual([]);
  });

  it('starts no disabled workflow', async () => {
    const emit = await runs.world.eventSource();
    const disabled = await workflowFor('lead.created');
    await runs.tenant.call('PATCH', `/workflows/${disabled}`, { enabled: false });
    const enabled = await workflowFor('lead.created');
    await emit('lead.created', runs.tenant.tenantId, { record: lead });
    await waitForRuns(enabled, 1);
    expect(await runsOf(disabled)).toEqual([]);
  });

  it.each([
    ['with the trace of the run', (runId: string) => [traceOf(runId), 'internal'] as const],
    // That of a run which is recorded is the trace of what started it.
    ['that names the run, in any trace', (runId: string) => [traceOf(newId()), 'internal', runId] as const],
  ])('that runs cause in a circle, %s, ends in a cancelled run', async (_, attributed) => {
    const emit = await runs.world.eventSource();
    const id = await workflowFor('task.created');
    await emit('task.created', runs.tenant.tenantId, { record: { title: 'x' } });
    for (let round = 1; round <= 6; round += 1) {
      const [latest] = await waitForRuns(id, round);
      expect((await runs.tenant.ended(latest?.id as string)).status).toBe('succeeded');
      // What custom-objects would emit for the task that this run created.
      await emit('task.created', runs.tenant.tenantId, { record: { title: 'x' } }, ...attributed(latest?.id as string));
    }
    const [last] = await waitForRuns(id, 7);
    expect(last).toMatchObject({ status: 'cancelled', steps: [], error: { code: 'LOOP_STOPPED' } });
  });

  it('is not taken for a circle when a user sends the trace of a run', async () => {
    const emit = await runs.world.eventSource();
    const id = await workflowFor('task.created');
    await emit('task.created', runs.tenant.tenantId, { record: { title: 'x' } });
    for (let round = 1; round <= 7; round += 1) {
      const [latest] = await waitForRuns(id, round);
      expect((await runs.tenant.ended(latest?.id as string)).status).toBe('succeeded');
      await emit('task.created', runs.tenant.tenantId, { record: { title: 'x' } }, traceOf(latest?.id as string));
    }
  });
});
