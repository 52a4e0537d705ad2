import { PlatformError } from '@crm/contracts';
import { newId } from '@crm/database';
import { waitUntil } from '@crm/testing';
import { describe, expect, it } from '@jest/globals';
import { traceOf } from '../src/run/run.service.js';
import type { RunBody } from './automations-service.js';
import { type Created, useRuns } from './runs-world.js';

const runs = useRuns();

describe('a run', () => {
  it('fills in templates; a text that is only a placeholder keeps the type of its value', async () => {
    const { path } = await runs.tenant.hooked({
      actions: [
        {
          type: 'create_record',
          object: 'opportunity',
          values: {
            name: 'Deal of {{name}} ({{missing}})',
            amount: '{{amount}}',
            stage: '{{missing}}',
            status: 'open',
          },
        },
      ],
    });
    expect(await runs.tenant.ended(await runs.start(path, { name: 'Ada', amount: 12.5 }))).toMatchObject({
      status: 'succeeded',
      steps: [{ key: 'step1', type: 'create_record', status: 'succeeded' }],
    });
    expect(runs.created()).toMatchObject([
      { object: 'opportunity', values: { name: 'Deal of Ada ()', amount: 12.5, stage: null, status: 'open' } },
    ]);
  });

  it('makes the output of a step available to later steps', async () => {
    const id = newId();
    runs.answerCreate = () => ({ id });
    const { path } = await runs.tenant.hooked({
      actions: [
        { key: 'lead', type: 'create_record', object: 'lead', values: { lastName: '{{lead}}' } },
        { type: 'update_record', object: 'lead', id: '{{lead.id}}', values: { status: 'new' } },
      ],
    });
    // A key of the payload does not hide the step of that name.
    expect((await runs.tenant.ended(await runs.start(path, { lead: 'Ada' }))).status).toBe('succeeded');
    expect(runs.created()[0]?.values).toEqual({ lastName: 'Ada' });
    expect(runs.updated.at(-1)).toEqual({ object: 'lead', id, values: { status: 'new' } });
  });

  it('creates tasks whose due date is counted from its start', async () => {
    const { path } = await runs.tenant.hooked({
      actions: [{ type: 'create_task', title: 'Call {{name}}', description: 'About {{topic}}', dueInDays: 2 }],
    });
    const before = Date.now();
    await runs.tenant.ended(await runs.start(path, { name: 'Ada', topic: 'engines' }));
    const [{ object, values }] = runs.created() as [Created];
    expect({ object, values }).toMatchObject({
      object: 'task',
      values: { title: 'Call Ada', description: 'About engines' },
    });
    const days = (Date.parse(values.dueAt as string) - before) / 86_400_000;
    expect(days).toBeGreaterThan(1.99);
    expect(days).toBeLessThan(2.01);
  });

  it('can create records of custom objects', async () => {
    const { path } = await runs.tenant.hooked({
      actions: [{ type: 'create_record', object: 'custom:site_visit', values: { place: '{{place}}' } }],
    });
    await runs.tenant.ended(await runs.start(path, { place: 'Turin' }));
    expect(runs.created()).toMatchObject([{ object: 'site_visit', values: { place: 'Turin' } }]);
  });

  it('never takes a name with the prefix of custom objects for a standard object', async () => {
    const { path } = await runs.tenant.hooked({
      actions: [{ type: 'create_record', object: 'custom:lead', values: { lastName: 'Ada' } }],
    });
    expect(await runs.tenant.ended(await runs.start(path, {}))).toMatchObject({
      status: 'failed',
      steps: [{ status: 'failed', error: { code: 'NOT_FOUND' } }],
    });
    expect(runs.created()).toEqual([]);
  });

  it('has the rights of the workflow’s author', async () => {
    const { path } = await runs.tenant.hooked({ actions: [{ type: 'create_task', title: 'x' }] });
    await runs.tenant.ended(await runs.start(path, {}));
    expect(runs.world.minted.findLast(({ tenantId }) => tenantId === runs.tenant.tenantId)).toEqual({
      tenantId: runs.tenant.tenantId,
      userId: runs.tenant.userId,
    });
  });

  it('continues with a new token when the kept one was revoked', async () => {
    const { path } = await runs.tenant.hooked({ actions: [{ type: 'create_task', title: '{{n}}' }] });
    expect((await runs.tenant.ended(await runs.start(path, { n: 1 }))).status).toBe('succeeded');
    const cutOff = runs.created().map(({ token }) => token);
    runs.answerCreate = ({ token }) => {
      if (cutOff.includes(token)) throw new PlatformError('TOKEN_REVOKED');
      return { id: newId() };
    };
    for (const n of [2, 3]) expect((await runs.tenant.ended(await runs.start(path, { n }))).status).toBe('succeeded');
    const [first, refused, again, next] = runs.created();
    expect(refused?.token).toBe(first?.token);
    // The same step has the same key; and the new token is kept.
    expect(again?.idempotencyKey).toBe(refused?.idempotencyKey);
    expect(next?.token).toBe(again?.token);
    expect(runs.world.minted.filter(({ tenantId }) => tenantId === runs.tenant.tenantId)).toHaveLength(2);
  });

  it('fails when its author no longer has the right to do the work', async () => {
    const { path } = await runs.tenant.hooked({ actions: [{ type: 'create_task', title: 'x' }] });
    expect((await runs.tenant.ended(await runs.start(path, {}))).status).toBe('succeeded');
    const [known] = runs.created();
    runs.answerCreate = ({ token }) => {
      throw new PlatformError(token === known?.token ? 'TOKEN_REVOKED' : 'FORBIDDEN');
    };
    expect(await runs.tenant.ended(await runs.start(path, {}))).toMatchObject({
      status: 'failed',
      error: { code: 'FORBIDDEN' },
    });
  });

  it.each([
    ['amount > 10', { amount: 11 }, 'succeeded'],
    ['amount > 10', { amount: 10 }, 'skipped'],
    ['amount > 10', { amount: 'eleven' }, 'skipped'],
    ['kind == "visit" && NOT done', { kind: 'visit' }, 'succeeded'],
    ['kind == "visit"', { kind: { no: 'text' } }, 'skipped'],
    ['kind == "visit"', {}, 'skipped'],
  ])('whose condition is %s ends, for the payload %j, as %s', async (condition, payload, status) => {
    const trigger = { type: 'webhook_received', payload: [{ name: 'amount', type: 'number' }] };
    const { path } = await runs.tenant.hooked({ trigger, condition, actions: [{ type: 'create_task', title: 'x' }] });
    expect((await runs.tenant.ended(await runs.start(path, payload))).status).toBe(status);
    expect(runs.created()).toHaveLength(status === 'succeeded' ? 1 : 0);
  });

  it('fails with the step whose value was refused, and executes no later step', async () => {
    runs.answerCreate = () => {
      const errors = [{ pointer: '/lastName', code: 'REQUIRED', detail: 'Must have a value' }];
      throw new PlatformError('VALIDATION_FAILED', undefined, { errors });
    };
    const lead = { type: 'create_record', object: 'lead', values: { lastName: '{{name}}' } };
    const { path } = await runs.tenant.hooked({ actions: [lead, { type: 'create_task', title: 'x' }] });
    const run = await runs.tenant.ended(await runs.start(path, {}));
    expect(run.status).toBe('failed');
    expect(run.steps).toEqual([
      {
        key: 'step1',
        type: 'create_record',
        status: 'failed',
        error: { code: 'VALIDATION_FAILED', detail: expect.stringContaining('/lastName: Must have a value') },
      },
    ]);
    expect(runs.created()).toHaveLength(1);
  });

  it('repeats a step with the same idempotency key while another service is unavailable', async () => {
    let tries = 0;
    runs.answerCreate = () => {
      tries += 1;
      if (tries < 2) throw new PlatformError('SERVICE_UNAVAILABLE');
      return { id: newId() };
    };
    const { path } = await runs.tenant.hooked({ actions: [{ type: 'create_task', title: 'x' }] });
    expect((await runs.tenant.ended(await runs.start(path, {}))).status).toBe('succeeded');
    const keys = runs.created().map((request) => request.idempotencyKey);
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
  });

  it('pauses for the seconds of an action wait', async () => {
    const { path } = await runs.tenant.hooked({
      actions: [
        { type: 'wait', seconds: 1 },
        { type: 'create_task', title: 'x' },
      ],
    });
    const begun = Date.now();
    const run = await runs.tenant.ended(await runs.start(path, {}));
    expect(Date.now() - begun).toBeGreaterThan(1000);
    expect(run).toMatchObject({
      status: 'succeeded',
      steps: [{ type: 'wait', status: 'succeeded' }, { status: 'succeeded' }],
    });
  });

  it('is shown as running while a step takes its time, and keeps when it began', async () => {
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    runs.answerCreate = () => answered.then(() => ({ id: newId() }));
    const { path } = await runs.tenant.hooked({ actions: [{ type: 'create_task', title: 'x' }] });
    const runId = await runs.start(path, {});
    const times = async () =>
      (await runs.world.admin.query('SELECT created_at, started_at, finished_at FROM run WHERE id = $1', [runId]))
        .rows[0];
    try {
      await waitUntil(async () => (await runs.tenant.run(runId)).status === 'running', {
        describe: 'the run to be shown',
      });
    } finally {
      answer();
    }
    const { started_at: startedAt } = await times();
    expect((await runs.tenant.ended(runId)).status).toBe('succeeded');
    const ended = await times();
    expect(ended.started_at).toEqual(startedAt);
    expect(ended.started_at >= ended.created_at && ended.finished_at >= ended.started_at).toBe(true);
  });

  it.each([
    ['a text', { type: 'create_task', title: '{{p}}'.repeat(800) }],
    [
      'values that are passed on whole',
      { type: 'create_record', object: 'lead', values: { all: Array(2_000).fill('{{p}}') } },
    ],
  ])('whose templates give too much, by %s, fails at the step and is not repeated', async (_what, action) => {
    const { path } = await runs.tenant.hooked({ actions: [action] });
    const failure = { code: 'TEMPLATE_TOO_LARGE', detail: expect.stringContaining('characters') };
    expect(await runs.tenant.ended(await runs.start(path, { p: 'x'.repeat(250_000) }))).toMatchObject({
      status: 'failed',
      error: failure,
      steps: [{ status: 'failed', error: failure }],
    });
    expect(runs.created()).toEqual([]);
  });
});

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
