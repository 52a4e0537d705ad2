import { PlatformError } from '@crm/contracts';
import { newId } from '@crm/database';
import { waitUntil } from '@crm/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Created, RunsWorld } from './runs-world.js';

let runs: RunsWorld;
beforeAll(async () => {
  runs = await RunsWorld.start();
});
beforeEach(() => runs.beginTest());
afterAll(() => runs?.close());

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
