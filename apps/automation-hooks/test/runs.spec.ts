import { PlatformError, type RpcRequest, rpc } from '@crm/contracts';
import { newId } from '@crm/database';
import { waitUntil } from '@crm/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { traceOf } from '../src/run/run-trace.js';
import { type RunBody, type Service, startWorld, type Tenant, tenantOn, type World } from './automations-service.js';

type Created = RpcRequest<typeof rpc.customObjects.createRecord> & {
  tenantId: string | undefined;
  roles: readonly string[];
  token: string | undefined;
};

let world: World;
let service: Service;
let tenant: Tenant;
/** What the stand-in for custom-objects was asked to create, and how it answers. */
const created: Created[] = [];
let answerCreate: (request: Created) => { id: string };
const updated: RpcRequest<typeof rpc.customObjects.updateRecord>[] = [];

beforeAll(async () => {
  world = await startWorld();
  await world.answer(rpc.customObjects.createRecord, (request, { principal }) => {
    const { tenantId, roles = [], token } = principal ?? {};
    const seen = { ...request, tenantId, roles, token };
    created.push(seen);
    return answerCreate(seen);
  });
  await world.answer(rpc.customObjects.updateRecord, (request) => {
    updated.push(request);
    return { id: request.id };
  });
  service = await world.start();
});
beforeEach(async () => {
  answerCreate = () => ({ id: newId() });
  tenant = await tenantOn(world, service);
});
afterAll(async () => {
  await service.close();
  await world.close();
});

/** Starts a workflow through its hook and returns the id of the run. */
async function start(path: string, body: object): Promise<string> {
  const answer = await service.request<{ runId: string }>('POST', path, { body });
  expect(answer.status).toBe(202);
  return answer.body.runId;
}

const createdFor = (tenantId: string): Created[] => created.filter((request) => request.tenantId === tenantId);

describe('a run', () => {
  it('fills in templates; a text that is only a placeholder keeps the type of its value', async () => {
    const { path } = await tenant.hooked({
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
    expect(await tenant.ended(await start(path, { name: 'Ada', amount: 12.5 }))).toMatchObject({
      status: 'succeeded',
      steps: [{ key: 'step1', type: 'create_record', status: 'succeeded' }],
    });
    expect(createdFor(tenant.tenantId)).toMatchObject([
      { object: 'opportunity', values: { name: 'Deal of Ada ()', amount: 12.5, stage: null, status: 'open' } },
    ]);
  });

  it('makes the output of a step available to later steps', async () => {
    const id = newId();
    answerCreate = () => ({ id });
    const { path } = await tenant.hooked({
      actions: [
        { key: 'lead', type: 'create_record', object: 'lead', values: { lastName: '{{lead}}' } },
        { type: 'update_record', object: 'lead', id: '{{lead.id}}', values: { status: 'new' } },
      ],
    });
    // A key of the payload does not hide the step of that name.
    expect((await tenant.ended(await start(path, { lead: 'Ada' }))).status).toBe('succeeded');
    expect(createdFor(tenant.tenantId)[0]?.values).toEqual({ lastName: 'Ada' });
    expect(updated.at(-1)).toEqual({ object: 'lead', id, values: { status: 'new' } });
  });

  it('creates tasks whose due date is counted from its start', async () => {
    const { path } = await tenant.hooked({
      actions: [{ type: 'create_task', title: 'Call {{name}}', description: 'About {{topic}}', dueInDays: 2 }],
    });
    const before = Date.now();
    await tenant.ended(await start(path, { name: 'Ada', topic: 'engines' }));
    const [{ object, values }] = createdFor(tenant.tenantId) as [Created];
    expect({ object, values }).toMatchObject({
      object: 'task',
      values: { title: 'Call Ada', description: 'About engines' },
    });
    const days = (Date.parse(values.dueAt as string) - before) / 86_400_000;
    expect(days).toBeGreaterThan(1.99);
    expect(days).toBeLessThan(2.01);
  });

  it('can create records of custom objects', async () => {
    const { path } = await tenant.hooked({
      actions: [{ type: 'create_record', object: 'custom:site_visit', values: { place: '{{place}}' } }],
    });
    await tenant.ended(await start(path, { place: 'Turin' }));
    expect(createdFor(tenant.tenantId)).toMatchObject([{ object: 'site_visit', values: { place: 'Turin' } }]);
  });

  it('never takes a name with the prefix of custom objects for a standard object', async () => {
    const { path } = await tenant.hooked({
      actions: [{ type: 'create_record', object: 'custom:lead', values: { lastName: 'Ada' } }],
    });
    expect(await tenant.ended(await start(path, {}))).toMatchObject({
      status: 'failed',
      steps: [{ status: 'failed', error: { code: 'NOT_FOUND' } }],
    });
    expect(createdFor(tenant.tenantId)).toEqual([]);
  });

  it('has the rights of the workflow’s author', async () => {
    const { path } = await tenant.hooked({ actions: [{ type: 'create_task', title: 'x' }] });
    await tenant.ended(await start(path, {}));
    expect(world.minted.findLast(({ tenantId }) => tenantId === tenant.tenantId)).toEqual({
      tenantId: tenant.tenantId,
      userId: tenant.userId,
    });
  });

  it('continues with a new token when the kept one was revoked', async () => {
    const { path } = await tenant.hooked({ actions: [{ type: 'create_task', title: '{{n}}' }] });
    expect((await tenant.ended(await start(path, { n: 1 }))).status).toBe('succeeded');
    const cutOff = createdFor(tenant.tenantId).map(({ token }) => token);
    answerCreate = ({ token }) => {
      if (cutOff.includes(token)) throw new PlatformError('TOKEN_REVOKED');
      return { id: newId() };
    };
    for (const n of [2, 3]) expect((await tenant.ended(await start(path, { n }))).status).toBe('succeeded');
    const [first, refused, again, next] = createdFor(tenant.tenantId);
    expect(refused?.token).toBe(first?.token);
    // The same step has the same key; and the new token is kept.
    expect(again?.idempotencyKey).toBe(refused?.idempotencyKey);
    expect(next?.token).toBe(again?.token);
    expect(world.minted.filter(({ tenantId }) => tenantId === tenant.tenantId)).toHaveLength(2);
  });

  it('fails when its author no longer has the right to do the work', async () => {
    const { path } = await tenant.hooked({ actions: [{ type: 'create_task', title: 'x' }] });
    expect((await tenant.ended(await start(path, {}))).status).toBe('succeeded');
    const [known] = createdFor(tenant.tenantId);
    answerCreate = ({ token }) => {
      throw new PlatformError(token === known?.token ? 'TOKEN_REVOKED' : 'FORBIDDEN');
    };
    expect(await tenant.ended(await start(path, {}))).toMatchObject({ status: 'failed', error: { code: 'FORBIDDEN' } });
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
    const { path } = await tenant.hooked({ trigger, condition, actions: [{ type: 'create_task', title: 'x' }] });
    expect((await tenant.ended(await start(path, payload))).status).toBe(status);
    expect(createdFor(tenant.tenantId)).toHaveLength(status === 'succeeded' ? 1 : 0);
  });

  it('fails with the step whose value was refused, and executes no later step', async () => {
    answerCreate = () => {
      const errors = [{ pointer: '/lastName', code: 'REQUIRED', detail: 'Must have a value' }];
      throw new PlatformError('VALIDATION_FAILED', undefined, { errors });
    };
    const lead = { type: 'create_record', object: 'lead', values: { lastName: '{{name}}' } };
    const { path } = await tenant.hooked({ actions: [lead, { type: 'create_task', title: 'x' }] });
    const run = await tenant.ended(await start(path, {}));
    expect(run.status).toBe('failed');
    expect(run.steps).toEqual([
      {
        key: 'step1',
        type: 'create_record',
        status: 'failed',
        error: { code: 'VALIDATION_FAILED', detail: expect.stringContaining('/lastName: Must have a value') },
      },
    ]);
    expect(createdFor(tenant.tenantId)).toHaveLength(1);
  });

  it('repeats a step with the same idempotency key while another service is unavailable', async () => {
    let tries = 0;
    answerCreate = () => {
      tries += 1;
      if (tries < 2) throw new PlatformError('SERVICE_UNAVAILABLE');
      return { id: newId() };
    };
    const { path } = await tenant.hooked({ actions: [{ type: 'create_task', title: 'x' }] });
    expect((await tenant.ended(await start(path, {}))).status).toBe('succeeded');
    const keys = createdFor(tenant.tenantId).map((request) => request.idempotencyKey);
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
  });

  it('pauses for the seconds of an action wait', async () => {
    const { path } = await tenant.hooked({
      actions: [
        { type: 'wait', seconds: 1 },
        { type: 'create_task', title: 'x' },
      ],
    });
    const begun = Date.now();
    const run = await tenant.ended(await start(path, {}));
    expect(Date.now() - begun).toBeGreaterThan(1000);
    expect(run).toMatchObject({
      status: 'succeeded',
      steps: [{ type: 'wait', status: 'succeeded' }, { status: 'succeeded' }],
    });
  });

  it('is finished when its workflow is disabled while it waits', async () => {
    const { path, id } = await tenant.hooked({
      actions: [
        { type: 'wait', seconds: 1 },
        { type: 'create_task', title: 'x' },
      ],
    });
    const runId = await start(path, {});
    await waitUntil(async () => (await tenant.run(runId)).steps.length > 0, { describe: 'the run to wait' });
    await tenant.call('PATCH', `/workflows/${id}`, { enabled: false });
    expect((await service.request('POST', path, { body: {} })).status).toBe(404);
    expect((await tenant.ended(runId)).status).toBe('succeeded');
    expect(createdFor(tenant.tenantId)).toHaveLength(1);
  });

  it('is cancelled at once when its workflow is deleted while it waits', async () => {
    const { path, id } = await tenant.hooked({
      actions: [
        { type: 'wait', seconds: 86_400 },
        { type: 'create_task', title: 'x' },
      ],
    });
    const runId = await start(path, {});
    await waitUntil(async () => (await tenant.run(runId)).steps.length > 0, { describe: 'the run to wait' });
    await tenant.call('DELETE', `/workflows/${id}`);
    expect(await tenant.run(runId)).toMatchObject({ status: 'cancelled', error: { code: 'WORKFLOW_DELETED' } });
    const { rows } = await world.admin.query('SELECT 1 FROM run_queue WHERE run_id = $1', [runId]);
    expect(rows).toEqual([]);
  });

  it('is shown as running while a step takes its time, and keeps when it began', async () => {
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    answerCreate = (() => answered.then(() => ({ id: newId() }))) as unknown as typeof answerCreate;
    const { path } = await tenant.hooked({ actions: [{ type: 'create_task', title: 'x' }] });
    const runId = await start(path, {});
    const times = async () =>
      (await world.admin.query('SELECT created_at, started_at, finished_at FROM run WHERE id = $1', [runId])).rows[0];
    try {
      await waitUntil(async () => (await tenant.run(runId)).status === 'running', { describe: 'the run to be shown' });
    } finally {
      answer();
    }
    const { started_at: startedAt } = await times();
    expect((await tenant.ended(runId)).status).toBe('succeeded');
    const ended = await times();
    expect(ended.started_at).toEqual(startedAt);
    expect(ended.started_at >= ended.created_at && ended.finished_at >= ended.started_at).toBe(true);
  });

  it('is cancelled after its current step when its workflow is deleted meanwhile', async () => {
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    answerCreate = (() => answered.then(() => ({ id: newId() }))) as unknown as typeof answerCreate;
    const { path, id } = await tenant.hooked({
      actions: [
        { type: 'create_task', title: 'first' },
        { type: 'create_task', title: 'second' },
      ],
    });
    const runId = await start(path, {});
    await waitUntil(() => createdFor(tenant.tenantId).length === 1, { describe: 'the first step to begin' });
    await tenant.call('DELETE', `/workflows/${id}`);
    answer();
    // The run of another workflow comes after it, on the only place.
    const later = await tenant.hooked({ actions: [{ type: 'create_task', title: 'later' }] });
    expect((await tenant.ended(await start(later.path, {}))).status).toBe('succeeded');
    expect(await tenant.run(runId)).toMatchObject({ status: 'cancelled', error: { code: 'WORKFLOW_DELETED' } });
    expect(createdFor(tenant.tenantId).map(({ values }) => values.title)).toEqual(['first', 'later']);
  });

  it('whose workflow was deleted while it was being accepted is cancelled by the worker that claims it', async () => {
    const runId = newId();
    const workflowId = newId();
    await world.admin.query(
      `INSERT INTO run (tenant_id, id, workflow_id, workflow_version, input, status) VALUES ($1, $2, $3, 1, '{}', 'queued')`,
      [tenant.tenantId, runId, workflowId],
    );
    await world.admin.query('INSERT INTO run_queue (tenant_id, run_id, workflow_id) VALUES ($1, $2, $3)', [
      tenant.tenantId,
      runId,
      workflowId,
    ]);
    expect(await tenant.ended(runId)).toMatchObject({ status: 'cancelled', error: { code: 'WORKFLOW_DELETED' } });
  });

  it.each([
    ['a text', { type: 'create_task', title: '{{p}}'.repeat(800) }],
    [
      'values that are passed on whole',
      { type: 'create_record', object: 'lead', values: { all: Array(2_000).fill('{{p}}') } },
    ],
  ])('whose templates give too much, by %s, fails at the step and is not repeated', async (_what, action) => {
    const { path } = await tenant.hooked({ actions: [action] });
    const failure = { code: 'TEMPLATE_TOO_LARGE', detail: expect.stringContaining('characters') };
    expect(await tenant.ended(await start(path, { p: 'x'.repeat(250_000) }))).toMatchObject({
      status: 'failed',
      error: failure,
      steps: [{ status: 'failed', error: failure }],
    });
    expect(createdFor(tenant.tenantId)).toEqual([]);
  });
});

describe('a worker of runs', () => {
  it('that dies loses no accepted run, because another worker executes it', async () => {
    const { path } = await tenant.hooked({ actions: [{ type: 'create_task', title: 'x' }] });
    // A service whose worker claims nothing, as if it died right after it answered.
    const dying = await world.start({ pollMs: 60_000, concurrency: 0 });
    const idle = await service.request<{ runId: string }>('POST', path, { body: {} });
    const accepted = await dying.request<{ runId: string }>('POST', path, { body: {} });
    await dying.close();
    for (const { status, body } of [idle, accepted]) {
      expect(status).toBe(202);
      expect((await tenant.ended(body.runId)).status).toBe('succeeded');
    }
  });

  it('that dies holds a run no longer than its lease, and its finished steps are not repeated', async () => {
    const { path, id } = await tenant.hooked({
      actions: [
        { type: 'create_task', title: 'x' },
        { type: 'create_task', title: 'y' },
      ],
    });
    const runId = newId();
    // The state that a worker leaves when it is killed after the first step: claimed, with a lease that is about to end.
    await world.admin.query(
      `INSERT INTO run (tenant_id, id, workflow_id, workflow_version, input, status) VALUES ($1, $2, $3, 1, '{}', 'running')`,
      [tenant.tenantId, runId, id],
    );
    await world.admin.query(
      `INSERT INTO run_step (tenant_id, run_id, position, key, type, status) VALUES ($1, $2, 0, 'step1', 'create_task', 'succeeded')`,
      [tenant.tenantId, runId],
    );
    await world.admin.query(
      `INSERT INTO run_queue (tenant_id, run_id, workflow_id, due_at, claim_id)
       VALUES ($1, $2, $3, now() + interval '500 milliseconds', $4)`,
      [tenant.tenantId, runId, id, newId()],
    );
    expect((await tenant.ended(runId)).status).toBe('succeeded');
    expect(createdFor(tenant.tenantId).map(({ values }) => values.title)).toEqual(['y']);
    expect(path).toBeDefined();
  });

  it('writes nothing after it has lost its claim', async () => {
    const { path } = await tenant.hooked({ actions: [{ type: 'create_task', title: 'x' }] });
    let runId = '';
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    let calls = 0;
    answerCreate = (() => {
      calls += 1;
      return calls === 1 ? gate.then(() => ({ id: newId() })) : { id: newId() };
    }) as typeof answerCreate;
    runId = await start(path, {});
    await waitUntil(() => calls === 1, { describe: 'the first worker to call' });
    // The lease ends while the first worker is still calling.
    await world.admin.query('UPDATE run_queue SET due_at = now() WHERE run_id = $1', [runId]);
    expect((await tenant.ended(runId)).status).toBe('succeeded');
    const { rows: before } = await world.admin.query('SELECT * FROM run_step WHERE run_id = $1', [runId]);
    release();
    await waitUntil(() => calls === 2, { describe: 'both workers to have called' });
    const later = await tenant.hooked({ actions: [{ type: 'create_task', title: 'later' }] });
    await tenant.ended(await start(later.path, {}));
    const { rows: after } = await world.admin.query('SELECT * FROM run_step WHERE run_id = $1', [runId]);
    expect(after).toEqual(before);
  });

  it('gives its runs back after the current step when it is stopped', async () => {
    const { path } = await tenant.hooked({
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
    answerCreate = (() => {
      calls += 1;
      return gate.then(() => ({ id: newId() }));
    }) as unknown as typeof answerCreate;
    await service.close();
    try {
      const stopping = await world.start();
      const { body } = await stopping.request<{ runId: string }>('POST', path, { body: {} });
      await waitUntil(() => calls === 1, { describe: 'the first step to begin' });
      const closed = stopping.close();
      release();
      await closed;
      const { rows } = await world.admin.query('SELECT position, status FROM run_step WHERE run_id = $1', [body.runId]);
      expect(rows).toEqual([{ position: 0, status: 'succeeded' }]);
      service = await world.start();
      tenant = await tenant.on(service);
      expect((await tenant.ended(body.runId)).status).toBe('succeeded');
      expect(createdFor(tenant.tenantId).map(({ values }) => values.title)).toEqual(['first', 'second']);
    } finally {
      release();
    }
  });

  it('shares the runs with other workers, and no run is executed twice', async () => {
    const second = await world.start();
    try {
      const { path } = await tenant.hooked({ actions: [{ type: 'create_task', title: '{{n}}' }] });
      const runIds = await Promise.all(Array.from({ length: 40 }, (_value, n) => start(path, { n })));
      for (const runId of runIds) expect((await tenant.ended(runId)).status).toBe('succeeded');
      const titles = createdFor(tenant.tenantId).map(({ values }) => values.title);
      expect(titles).toHaveLength(40);
      expect(new Set(titles).size).toBe(40);
    } finally {
      await second.close();
    }
  });
});

describe('an event', () => {
  const runsOf = async (workflowId: string) =>
    (await tenant.call<{ data: RunBody[] }>('GET', `/runs?workflowId=${workflowId}`)).body.data;
  const waitForRuns = async (workflowId: string, count: number) => {
    await waitUntil(async () => (await runsOf(workflowId)).length >= count, { timeoutMs: 15_000, describe: 'runs' });
    return runsOf(workflowId);
  };
  const workflowFor = async (event: string, rest: object = {}) => {
    const { body } = await tenant.call<{ id: string; hookUrl?: string }>('POST', '/workflows', {
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
    const emit = await world.eventSource();
    const other = await tenantOn(world, service);
    const id = await workflowFor('lead.created', { condition: 'status == "new"' });
    const unconcerned = await workflowFor('lead.deleted');
    await emit('lead.created', other.tenantId, { record: lead });
    await emit('lead.created', tenant.tenantId, { record: lead });
    const [run] = await waitForRuns(id, 1);
    expect(await tenant.ended(run?.id as string)).toMatchObject({
      status: 'succeeded',
      input: { ...lead, record: lead },
    });
    expect(createdFor(tenant.tenantId)).toMatchObject([{ values: { title: 'Welcome Ada Lovelace' } }]);
    expect(await runsOf(unconcerned)).toEqual([]);
    expect((await other.call<{ data: RunBody[] }>('GET', '/runs')).body.data).toEqual([]);
  });

  it('starts no disabled workflow', async () => {
    const emit = await world.eventSource();
    const disabled = await workflowFor('lead.created');
    await tenant.call('PATCH', `/workflows/${disabled}`, { enabled: false });
    const enabled = await workflowFor('lead.created');
    await emit('lead.created', tenant.tenantId, { record: lead });
    await waitForRuns(enabled, 1);
    expect(await runsOf(disabled)).toEqual([]);
  });

  it.each([
    ['with the trace of the run', (runId: string) => [traceOf(runId), 'internal'] as const],
    // That of a run which is recorded is the trace of what started it.
    ['that names the run, in any trace', (runId: string) => [traceOf(newId()), 'internal', runId] as const],
  ])('that runs cause in a circle, %s, ends in a cancelled run', async (_, attributed) => {
    const emit = await world.eventSource();
    const id = await workflowFor('task.created');
    await emit('task.created', tenant.tenantId, { record: { title: 'x' } });
    for (let round = 1; round <= 6; round += 1) {
      const [latest] = await waitForRuns(id, round);
      expect((await tenant.ended(latest?.id as string)).status).toBe('succeeded');
      // What custom-objects would emit for the task that this run created.
      await emit('task.created', tenant.tenantId, { record: { title: 'x' } }, ...attributed(latest?.id as string));
    }
    const [last] = await waitForRuns(id, 7);
    expect(last).toMatchObject({ status: 'cancelled', steps: [], error: { code: 'LOOP_STOPPED' } });
  });

  it('is not taken for a circle when a user sends the trace of a run', async () => {
    const emit = await world.eventSource();
    const id = await workflowFor('task.created');
    await emit('task.created', tenant.tenantId, { record: { title: 'x' } });
    for (let round = 1; round <= 7; round += 1) {
      const [latest] = await waitForRuns(id, round);
      expect((await tenant.ended(latest?.id as string)).status).toBe('succeeded');
      await emit('task.created', tenant.tenantId, { record: { title: 'x' } }, traceOf(latest?.id as string));
    }
  });
});

describe('the list of runs', () => {
  it('is ordered newest first, has pages, and can be filtered by workflow and status', async () => {
    const one = await tenant.hooked({ actions: [{ type: 'create_task', title: 'x' }] });
    const two = await tenant.hooked({ condition: 'FALSE', actions: [{ type: 'create_task', title: 'x' }] });
    const ids: string[] = [];
    for (const path of [one.path, two.path, one.path]) ids.unshift(await start(path, {}));
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
    const other = await tenantOn(world, service);
    expect((await other.call('GET', `/runs?size=2&cursor=${first.nextCursor}`)).status).toBe(400);
  });

  it('contains no runs of another tenant, which are not found by id either', async () => {
    const { path } = await tenant.hooked({ actions: [{ type: 'create_task', title: 'x' }] });
    const runId = await start(path, {});
    const other = await tenantOn(world, service);
    expect((await other.call('GET', `/runs/${runId}`)).status).toBe(404);
    expect((await other.call<{ data: unknown[] }>('GET', '/runs')).body.data).toEqual([]);
  });

  it('and the single run show payloads to administrators only', async () => {
    const { path } = await tenant.hooked({ actions: [{ type: 'create_task', title: 'x' }] });
    const runId = await start(path, { salary: 1 });
    const member = await tenant.as('member');
    expect((await member<RunBody>('GET', `/runs/${runId}`)).body.input).toBeUndefined();
    // An administrator's embed token runs inside a page of another product.
    const embedded = await tenant.as('admin', ['automations:read'], { embed: true, embed_app_id: 'portal' });
    expect((await embedded<RunBody>('GET', `/runs/${runId}`)).body.input).toBeUndefined();
    expect((await tenant.call<RunBody>('GET', `/runs/${runId}`)).body.input).toEqual({ salary: 1 });
  });
});
