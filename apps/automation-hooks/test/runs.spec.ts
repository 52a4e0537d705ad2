import { PlatformError } from '@crm/contracts';
import { newId } from '@crm/database';
import { waitUntil } from '@crm/testing';
import { describe, expect, it } from '@jest/globals';
import { traceOf } from '../src/run/run-chain.js';
import { type Created, emit, gate, type RunBody, record, task, useAutomations, wait } from './automations-service.js';

const { world, service, tenant, newTenant } = useAutomations();

/** Starts a run of a workflow and waits until it has ended. */
const runThrough = async (path: string, payload?: object) => tenant.ended(await tenant.start(path, payload));

describe('a run', () => {
  it('fills in templates; a text that is only a placeholder keeps the type of its value', async () => {
    const templates = { name: 'Deal of {{name}} ({{missing}})', amount: '{{amount}}', stage: '{{missing}}' };
    const values = { name: 'Deal of Ada ()', amount: 12.5, stage: null };
    const run = await tenant.runOf([record('opportunity', templates)], { name: 'Ada', amount: 12.5 });
    const steps = [{ key: 'step1', type: 'create_record', status: 'succeeded' }];
    expect(run).toMatchObject({ status: 'succeeded', steps });
    expect(tenant.created()).toMatchObject([{ object: 'opportunity', values }]);
  });

  it('makes the output of a step available to later steps', async () => {
    const id = newId();
    world.customObjects.create = () => ({ id });
    const create = { key: 'lead', ...record('lead', { lastName: '{{lead}}' }) };
    const update = { type: 'update_record', object: 'lead', id: '{{lead.id}}', values: { status: 'new' } };
    // A key of the payload does not hide the step of that name.
    expect((await tenant.runOf([create, update], { lead: 'Ada' })).status).toBe('succeeded');
    expect(tenant.created()[0]?.values).toEqual({ lastName: 'Ada' });
    expect(world.updated.at(-1)).toEqual({ object: 'lead', id, values: { status: 'new' } });
  });

  it('creates tasks whose due date is counted from its start', async () => {
    const action = { ...task('Call {{name}}'), description: 'About {{topic}}', dueInDays: 2 };
    const before = Date.now();
    await tenant.runOf([action], { name: 'Ada', topic: 'engines' });
    const [{ object, values }] = tenant.created() as [Created];
    expect([object, values]).toMatchObject(['task', { title: 'Call Ada', description: 'About engines' }]);
    const days = (Date.parse(values.dueAt as string) - before) / 86_400_000;
    expect(days).toBeGreaterThan(1.99);
    expect(days).toBeLessThan(2.01);
  });

  it('creates records of custom objects, with the rights of the workflow’s author', async () => {
    await tenant.runOf([record('custom:site_visit', { place: '{{place}}' })], { place: 'Turin' });
    expect(tenant.created()).toMatchObject([{ object: 'site_visit', values: { place: 'Turin' } }]);
    const { tenantId, userId } = tenant;
    expect(world.minted.findLast((one) => one.tenantId === tenantId)).toEqual({ tenantId, userId });
  });

  it('never takes a name with the prefix of custom objects for a standard object', async () => {
    const steps = [{ status: 'failed', error: { code: 'NOT_FOUND' } }];
    expect(await tenant.runOf([record('custom:lead', { lastName: 'Ada' })])).toMatchObject({ status: 'failed', steps });
    expect(tenant.created()).toEqual([]);
  });

  it('continues with a new token when the kept one was revoked', async () => {
    const { path } = await tenant.hooked({ actions: [task('{{n}}')] });
    expect((await runThrough(path, { n: 1 })).status).toBe('succeeded');
    const cutOff = tenant.created().map(({ token }) => token);
    world.customObjects.create = ({ token }) => {
      if (cutOff.includes(token)) throw new PlatformError('TOKEN_REVOKED');
      return { id: newId() };
    };
    for (const n of [2, 3]) expect((await runThrough(path, { n })).status).toBe('succeeded');
    const [first, refused, again, next] = tenant.created();
    expect(refused?.token).toBe(first?.token);
    // The same step has the same key; and the new token is kept.
    expect(again?.idempotencyKey).toBe(refused?.idempotencyKey);
    expect(next?.token).toBe(again?.token);
    expect(world.minted.filter(({ tenantId }) => tenantId === tenant.tenantId)).toHaveLength(2);
  });

  it('fails when its author no longer has the right to do the work', async () => {
    const { path } = await tenant.hooked();
    expect((await runThrough(path)).status).toBe('succeeded');
    const [known] = tenant.created();
    world.customObjects.create = ({ token }) => {
      throw new PlatformError(token === known?.token ? 'TOKEN_REVOKED' : 'FORBIDDEN');
    };
    expect(await runThrough(path)).toMatchObject({ status: 'failed', error: { code: 'FORBIDDEN' } });
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
    const { path } = await tenant.hooked({ trigger, condition, actions: [task()] });
    expect((await runThrough(path, payload)).status).toBe(status);
    expect(tenant.created()).toHaveLength(status === 'succeeded' ? 1 : 0);
  });

  it('fails with the step whose value was refused, and executes no later step', async () => {
    world.customObjects.create = () => {
      const errors = [{ pointer: '/lastName', code: 'REQUIRED', detail: 'Must have a value' }];
      throw new PlatformError('VALIDATION_FAILED', undefined, { errors });
    };
    const run = await tenant.runOf([record('lead', { lastName: '{{name}}' }), task()]);
    const error = { code: 'VALIDATION_FAILED', detail: expect.stringContaining('/lastName: Must have a value') };
    expect(run.status).toBe('failed');
    expect(run.steps).toEqual([{ key: 'step1', type: 'create_record', status: 'failed', error }]);
    expect(tenant.created()).toHaveLength(1);
  });

  it('repeats a step with the same idempotency key while another service is unavailable', async () => {
    let tries = 0;
    world.customObjects.create = () => {
      tries += 1;
      if (tries < 2) throw new PlatformError('SERVICE_UNAVAILABLE');
      return { id: newId() };
    };
    expect((await tenant.runOf([task()])).status).toBe('succeeded');
    const keys = tenant.created().map((request) => request.idempotencyKey);
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
  });

  it('pauses for the seconds of an action wait', async () => {
    const begun = Date.now();
    const run = await tenant.runOf([wait(1), task()]);
    expect(Date.now() - begun).toBeGreaterThan(1000);
    const steps = [{ type: 'wait', status: 'succeeded' }, { status: 'succeeded' }];
    expect(run).toMatchObject({ status: 'succeeded', steps });
  });

  it('is shown as running while a step takes its time, and keeps when it began', async () => {
    const { opened: answered, open: answer } = gate();
    world.customObjects.create = () => answered.then(() => ({ id: newId() }));
    const { path } = await tenant.hooked();
    const runId = await tenant.start(path);
    type Times = { created_at: Date; started_at: Date; finished_at: Date };
    const times = async () =>
      (await world.sql<Times>('SELECT created_at, started_at, finished_at FROM run WHERE id = $1', runId))[0] as Times;
    try {
      await waitUntil(async () => (await tenant.run(runId)).status === 'running', { describe: 'the run is shown' });
    } finally {
      answer();
    }
    const { started_at: startedAt } = await times();
    expect((await tenant.ended(runId)).status).toBe('succeeded');
    const ended = await times();
    expect(ended.started_at).toEqual(startedAt);
    expect(ended.started_at >= ended.created_at && ended.finished_at >= ended.started_at).toBe(true);
  });

  it.each([
    ['a text', { type: 'create_task', title: '{{p}}'.repeat(800) }],
    ['values that are passed on whole', record('lead', { all: Array(2_000).fill('{{p}}') })],
  ])('whose templates give too much, by %s, fails at the step and is not repeated', async (_what, action) => {
    const failure = {
      status: 'failed',
      error: { code: 'TEMPLATE_TOO_LARGE', detail: expect.stringContaining('characters') },
    };
    const run = await tenant.runOf([action], { p: 'x'.repeat(250_000) });
    expect(run).toMatchObject({ ...failure, steps: [failure] });
    expect(tenant.created()).toEqual([]);
  });
});

describe('a run whose workflow is changed', () => {
  const deleted = { status: 'cancelled', error: { code: 'WORKFLOW_DELETED' } };
  /** Starts a run and waits until it waits itself. */
  const waiting = async (path: string) => {
    const runId = await tenant.start(path);
    await waitUntil(async () => (await tenant.run(runId)).steps.length > 0, { describe: 'the run to wait' });
    return runId;
  };

  it('is finished when its workflow is disabled while it waits', async () => {
    const { path, id } = await tenant.hooked({ actions: [wait(1), task()] });
    const runId = await waiting(path);
    await tenant.call('PATCH', `/workflows/${id}`, { enabled: false });
    expect((await service.request('POST', path, { body: {} })).status).toBe(404);
    expect((await tenant.ended(runId)).status).toBe('succeeded');
    expect(tenant.created()).toHaveLength(1);
  });

  it('is cancelled at once when its workflow is deleted while it waits', async () => {
    const { path, id } = await tenant.hooked({ actions: [wait(86_400), task()] });
    const runId = await waiting(path);
    await tenant.call('DELETE', `/workflows/${id}`);
    expect(await tenant.run(runId)).toMatchObject(deleted);
    expect(await world.sql('SELECT 1 FROM run_queue WHERE run_id = $1', runId)).toEqual([]);
  });

  it('is cancelled after its current step when its workflow is deleted meanwhile', async () => {
    const { opened: answered, open: answer } = gate();
    world.customObjects.create = () => answered.then(() => ({ id: newId() }));
    const { path, id } = await tenant.hooked({ actions: [task('first'), task('second')] });
    const runId = await tenant.start(path);
    await waitUntil(() => tenant.created().length === 1, { describe: 'the first step to begin' });
    await tenant.call('DELETE', `/workflows/${id}`);
    answer();
    // The run of another workflow comes after it.
    expect((await tenant.runOf([task('later')])).status).toBe('succeeded');
    expect(await tenant.run(runId)).toMatchObject(deleted);
    expect(tenant.createdNames()).toEqual(['first', 'later']);
  });

  it('is cancelled by the worker that claims it when its workflow was deleted while it was being accepted', async () => {
    const runId = await tenant.storeRun({ status: 'queued' });
    expect(await tenant.ended(runId)).toMatchObject(deleted);
  });
});

describe('an event', () => {
  const runsOf = (workflowId: string) => tenant.runs(`workflowId=${workflowId}`);
  const waitForRuns = async (workflowId: string, count: number) => {
    await waitUntil(async () => (await runsOf(workflowId)).length >= count, { timeoutMs: 15_000, describe: 'runs' });
    return runsOf(workflowId);
  };
  const workflowFor = async (event: string, rest: object = {}) => {
    const actions = [task('Welcome {{firstName}} {{record.lastName}}')];
    const { id, hookUrl } = await tenant.onEvent(event, { actions, ...rest });
    expect(hookUrl).toBeUndefined();
    return id;
  };
  const lead = { firstName: 'Ada', lastName: 'Lovelace', status: 'new' };

  it('starts the enabled workflows of its tenant that wait for it, with the fields of its record as input', async () => {
    const other = await newTenant();
    const id = await workflowFor('lead.created', { condition: 'status == "new"' });
    const unconcerned = [await workflowFor('lead.deleted'), await workflowFor('lead.created')];
    await tenant.call('PATCH', `/workflows/${unconcerned[1]}`, { enabled: false });
    await emit('lead.created', other.tenantId, { record: lead });
    await emit('lead.created', tenant.tenantId, { record: lead });
    const [run] = await waitForRuns(id, 1);
    const input = { ...lead, record: lead };
    expect(await tenant.ended(run?.id as string)).toMatchObject({ status: 'succeeded', input });
    expect(tenant.created()).toMatchObject([{ values: { title: 'Welcome Ada Lovelace' } }]);
    for (const id of unconcerned) expect(await runsOf(id)).toEqual([]);
    expect(await other.runs()).toEqual([]);
  });

  it.each([
    ['with the trace of the run, ends in a cancelled run', 'internal', false, 'cancelled'],
    // That of a run which is recorded is the trace of what started it.
    ['that names the run, in any trace, ends so too', 'internal', true, 'cancelled'],
    ['with a trace that a user has sent is no circle', 'user', false, 'succeeded'],
  ])('that runs cause in a circle, %s', async (_, actorkind, isNamed, status) => {
    const id = await workflowFor('task.created');
    const data = { record: { title: 'x' } };
    await emit('task.created', tenant.tenantId, data);
    for (let round = 1; round <= 6; round += 1) {
      const latest = (await waitForRuns(id, round))[0]?.id as string;
      expect((await tenant.ended(latest)).status).toBe('succeeded');
      // What custom-objects would emit for the task that this run created.
      const cause = isNamed ? { traceparent: traceOf(newId()), causeid: latest } : { traceparent: traceOf(latest) };
      await emit('task.created', tenant.tenantId, data, { actorkind, ...cause });
    }
    const [last] = await waitForRuns(id, 7);
    const stopped = { steps: [], error: { code: 'LOOP_STOPPED' } };
    expect(await tenant.ended(last?.id as string)).toMatchObject({ status, ...(status === 'cancelled' && stopped) });
  });
});

describe('the list of runs', () => {
  it('is ordered newest first, has pages, is filtered by workflow and status, and has none of another tenant', async () => {
    const one = await tenant.hooked();
    const two = await tenant.hooked({ condition: 'FALSE', actions: [task()] });
    const ids: string[] = [];
    for (const path of [one.path, two.path, one.path]) ids.unshift(await tenant.start(path));
    for (const id of ids) await tenant.ended(id);
    type List = { data: RunBody[]; total: number; hasMore: boolean; nextCursor: string | null };
    const list = async (query: string) => (await tenant.call<List>('GET', `/runs?${query}`)).body;
    expect((await list('')).data.map(({ id }) => id)).toEqual(ids);
    expect((await list(`workflowId=${two.id}`)).data.map(({ status }) => status)).toEqual(['skipped']);
    expect(await list('status=succeeded')).toMatchObject({ total: 2 });
    const first = await list('size=2');
    expect(first).toMatchObject({ total: 3, hasMore: true });
    expect((await list(`size=2&cursor=${first.nextCursor}`)).data.map(({ id }) => id)).toEqual(ids.slice(2));
    expect((await list('size=2&page=2')).data.map(({ id }) => id)).toEqual(ids.slice(2));
    const other = await newTenant();
    expect((await other.call('GET', `/runs?size=2&cursor=${first.nextCursor}`)).status).toBe(400);
    expect((await other.call('GET', `/runs/${ids[0]}`)).status).toBe(404);
    expect(await other.runs()).toEqual([]);
  });

  it('and the single run show payloads to administrators only', async () => {
    const { path } = await tenant.hooked();
    const runId = await tenant.start(path, { salary: 1 });
    const member = await tenant.as('member');
    expect((await member<RunBody>('GET', `/runs/${runId}`)).body.input).toBeUndefined();
    // An administrator's embed token runs inside a page of another product.
    const embedded = await tenant.as('admin', ['automations:read'], { embed: true, embed_app_id: 'portal' });
    expect((await embedded<RunBody>('GET', `/runs/${runId}`)).body.input).toBeUndefined();
    expect((await tenant.call<RunBody>('GET', `/runs/${runId}`)).body.input).toEqual({ salary: 1 });
  });
});
