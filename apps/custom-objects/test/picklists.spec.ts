import { DEFAULT_PIPELINE } from '@crm/contracts';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { app, call, type Json, type Tenant, useCustomObjects } from './custom-objects-service.js';

useCustomObjects();

const LEADS = '/api/crm/leads';
const DEALS = '/api/crm/opportunities';
const PIPELINES = '/api/crm/pipelines';
const optionsOf = (field: string) => `/api/crm/objects/${field.replace('.', '/fields/')}/options`;
const SOURCE = optionsOf('lead.source');

interface Option {
  value: string;
  label: string;
  order?: number;
  active?: boolean;
}

let tenant: Tenant;
beforeEach(async () => {
  tenant = await app.tenant();
});

const optionsNow = async (path = SOURCE) => {
  const answer = await tenant.call('GET', path);
  expect(answer).toMatchObject({ status: 200 });
  return answer.body.options as Option[];
};
const put = (options: readonly Option[], path = SOURCE) => call('PUT', path, tenant.admin, { options });
const replaced = async (options: readonly Option[], path = SOURCE) => {
  const answer = await put(options, path);
  expect(answer).toMatchObject({ status: 200 });
  return answer.body.options as Option[];
};
const retire = async (value: string) =>
  replaced((await optionsNow()).map((option) => (option.value === value ? { ...option, active: false } : option)));
const lead = (fields: object) => tenant.call('POST', LEADS, { lastName: 'A', ...fields });
const shown = ({ status, body }: { status: number; body: Json }) => [
  status,
  body.errors?.map(({ pointer }) => pointer),
];

describe('the options of a standard picklist', () => {
  it.each([
    ['lead.status', 'new'],
    ['lead.source', 'fair'],
    ['opportunity.stage', 'proposal'],
    ['task.priority', 'high'],
  ])('of %s begin with those that every workspace has', async (field, value) => {
    const options = await optionsNow(optionsOf(field));
    expect(options.find((option) => option.value === value)).toMatchObject({ active: true });
    expect(options.map(({ order }) => order)).toEqual(options.map((_, index) => index));
  });

  it.each(['lead.lastName', 'opportunity.status', 'site_visit.stage', 'lead.toString', 'nothing.status'])(
    'are none of %s',
    async (field) => {
      expect((await tenant.call('GET', optionsOf(field))).status).toBe(404);
      expect((await put([], optionsOf(field))).status).toBe(404);
    },
  );

  it('are renamed, ordered, retired and added, in the definition of the object too', async () => {
    const options = await replaced([
      { value: 'radio', label: 'Radio', order: 5 },
      { value: 'fair', label: 'Trade fair', order: 1 },
      { value: 'web', label: 'Web', order: 7, active: false },
    ]);
    expect(options).toEqual([
      { value: 'fair', label: 'Trade fair', order: 0, active: true },
      { value: 'radio', label: 'Radio', order: 1, active: true },
      { value: 'web', label: 'Web', order: 2, active: false },
    ]);
    expect(await optionsNow()).toEqual(options);
    const { body } = await tenant.call('GET', '/api/crm/objects/lead?language=de');
    const fields = body.fields as { apiName: string; options: Option[] }[];
    expect(fields.find(({ apiName }) => apiName === 'source')?.options).toEqual([
      { value: 'fair', label: 'Trade fair', active: true },
      { value: 'radio', label: 'Radio', active: true },
      { value: 'web', label: 'Web', active: false },
    ]);
    // Nobody else has them.
    const other = await app.tenant();
    expect((await other.call('GET', SOURCE)).body.options).toHaveLength(7);
    expect((await other.call('POST', LEADS, { lastName: 'A', source: 'radio' })).status).toBe(422);
    expect((await lead({ source: 'radio' })).status).toBe(201);
  });

  it('keep the labels of the catalogue in every language, whatever else of them changes', async () => {
    const { body } = await tenant.call('GET', `${SOURCE}?language=de`);
    await replaced((body.options as Option[]).reverse());
    expect((await optionsNow()).find(({ value }) => value === 'fair')?.label).toBe('Trade show');
    const german = (await tenant.call('GET', `${SOURCE}?language=de`)).body.options as Option[];
    expect(german.find(({ value }) => value === 'fair')?.label).toBe('Messe');
  });

  it('are the only ones that a record takes; a retired one it keeps', async () => {
    const { body: before } = await lead({ source: 'fair' });
    await retire('fair');
    const refused = await lead({ source: 'fair' });
    expect(shown(refused)).toEqual([422, ['/source']]);
    expect(refused.body.errors).toMatchObject([
      { code: 'NOT_AN_OPTION', params: { options: expect.not.arrayContaining(['fair']) } },
    ]);
    expect(shown(await lead({ source: 'Trade show' }))).toEqual([422, ['/source']]);
    const path = `${LEADS}/${before.id}`;
    expect((await tenant.call('PATCH', path, { source: 'fair', firstName: 'Ada' })).status).toBe(200);
    expect((await tenant.call('PATCH', path, { source: 'web' })).status).toBe(200);
    expect(shown(await tenant.call('PATCH', path, { source: 'fair' }))).toEqual([422, ['/source']]);
    // It can be asked for, and be in use again.
    expect((await tenant.call('GET', `${LEADS}?filterField=source&filterValue=fair`)).body.total).toBe(0);
    await replaced((await optionsNow()).map((option) => ({ ...option, active: true })));
    expect((await lead({ source: 'fair' })).status).toBe(201);
  });

  it('are not removed while records have them, also deleted ones', async () => {
    const { body } = await lead({ source: 'fair' });
    const without = (await optionsNow()).filter(({ value }) => value !== 'fair' && value !== 'web');
    const refusal = { status: 422, body: { errors: [{ pointer: '/options', code: 'IN_USE' }] } };
    expect(await put(without)).toMatchObject(refusal);
    await tenant.call('DELETE', `${LEADS}/${body.id}`);
    expect(await put(without)).toMatchObject(refusal);
    expect(await put(without.concat({ value: 'fair', label: 'Trade show' }))).toMatchObject({ status: 200 });
    expect(shown(await lead({ source: 'web' }))).toEqual([422, ['/source']]);
  });

  it.each([
    ['two with one value', { A: 'a', B: 'a' }, '/options/1/value'],
    ['one without a label', { '': 'a' }, '/options/0/label'],
    ['one without a value', { A: '' }, '/options/0/value'],
  ])('are refused with %s', async (_, values, pointer) => {
    const options = Object.entries(values).map(([label, value]) => ({ value, label }));
    expect(shown(await put(options))).toEqual([422, [pointer]]);
  });

  it('are read by anyone who has the scope of the object, and changed by administrators alone', async () => {
    const options = await optionsNow();
    const leads = await app.appToken(tenant.id, 'acme-visits', ['leads:read']);
    const tasks = await app.appToken(tenant.id, 'acme-visits', ['tasks']);
    expect((await call('GET', SOURCE, leads)).status).toBe(200);
    expect((await call('GET', SOURCE, tasks)).status).toBe(404);
    expect((await call('GET', PIPELINES, tasks)).status).toBe(403);
    const writers = [tenant.member, tenant.viewer, await app.appToken(tenant.id, 'acme-visits', ['leads'])];
    for (const token of writers) {
      expect((await call('PUT', SOURCE, token, { options })).status).toBe(403);
      expect((await call('POST', PIPELINES, token, { name: 'A', stages: [] })).status).toBe(403);
    }
  });

  it('count as no object of an app', async () => {
    await retire('fair');
    expect((await tenant.call('GET', '/api/crm/custom')).body.data).toHaveLength(1);
    expect((await tenant.call('GET', '/api/crm/custom/lead')).status).toBe(404);
    const { body } = await tenant.call('GET', '/api/crm/objects');
    expect(body.data.map(({ apiName }) => apiName)).toEqual([
      'lead',
      'contact',
      'company',
      'opportunity',
      'task',
      'site_visit',
    ]);
  });

  it('take part in saved views, searches and references as before', async () => {
    await replaced([...(await optionsNow()), { value: 'Old, strange', label: 'Strange' }]);
    const { body } = await lead({ source: 'Old, strange' });
    const filter = { field: 'source', value: 'Old, strange' };
    const view = await tenant.call('POST', '/api/crm/views', { object: 'lead', name: 'A', filter });
    expect(view.status).toBe(201);
    expect((await tenant.call('PATCH', `/api/crm/views/${view.body.id}`, { filter, name: 'B' })).status).toBe(200);
    const found = await tenant.call('GET', `${LEADS}?filter=${encodeURIComponent(JSON.stringify(filter))}`);
    expect(found.body.data.map(({ id }) => id)).toEqual([body.id]);
    expect((await tenant.call('GET', '/api/crm/search?q=strange')).body.data).toMatchObject([{ id: body.id }]);
    await tenant.call('POST', '/api/crm/tasks', { title: 'A', relatedTo: body.id });
    const { body: tasks } = await tenant.call('GET', '/api/crm/tasks?expand=relatedTo');
    expect(tasks.data).toMatchObject([{ expanded: { relatedTo: { source: 'Old, strange' } } }]);
  });

  it('bind each write that begins after their change, and no write slips in while they change', async () => {
    const statuses = await Promise.all([
      ...Array.from({ length: 20 }, async () => (await lead({ source: 'fair' })).status),
      retire('fair').then(() => 0),
      ...Array.from({ length: 20 }, async () => (await lead({ source: 'fair' })).status),
    ]);
    expect(statuses.filter((status) => ![0, 201, 422].includes(status))).toEqual([]);
    expect((await lead({ source: 'fair' })).status).toBe(422);
    const used = await put((await optionsNow()).filter(({ value }) => value !== 'fair'));
    expect(used.status).toBe(statuses.includes(201) ? 422 : 200);
  });

  it('are never removed beside a write of them', async () => {
    for (let round = 0; round < 5; round += 1) {
      const value = `round ${round}`;
      const options = await optionsNow();
      await replaced([...options, { value, label: value }]);
      const [written, removed] = await Promise.all([lead({ source: value }), put(options)]);
      expect([
        [201, 422],
        [422, 200],
      ]).toContainEqual([written.status, removed.status]);
      if (removed.status === 422) await tenant.call('PATCH', `${LEADS}/${written.body.id}`, { source: null });
    }
  });
});

interface Stage extends Option {
  probability: number;
  meaning: string;
}
type Pipeline = Json & { name: string; stages: Stage[] };

const stage = (value: string, meaning = 'open', more: object = {}) => ({
  ...{ value, label: value, meaning, probability: 50 },
  ...more,
});
const STAGES = [stage('p1'), stage('p2'), stage('signed', 'won'), stage('gone', 'lost')];
const pipelines = async () => (await tenant.call('GET', PIPELINES)).body.data as Pipeline[];
const addPipeline = async (name = 'Partners', stages: readonly object[] = STAGES) => {
  const answer = await call('POST', PIPELINES, tenant.admin, { name, stages });
  expect(answer).toMatchObject({ status: 201 });
  return answer.body as Pipeline;
};
const deal = (fields: object) => tenant.call('POST', DEALS, { name: 'A', ...fields });

describe('a pipeline', () => {
  it('is there in every workspace, with stages in order', async () => {
    const [sales, ...others] = await pipelines();
    expect(others).toEqual([]);
    expect(sales).toMatchObject({ id: DEFAULT_PIPELINE.id, name: 'Sales' });
    expect(sales?.stages.map(({ value, meaning }) => `${value} ${meaning}`)).toEqual([
      ...['qualification open', 'discovery open', 'proposal open', 'negotiation open', 'won won', 'lost lost'],
    ]);
  });

  it('is created, changed and deleted; its stages are options of the field', async () => {
    const made = await addPipeline();
    expect(await pipelines()).toEqual([expect.objectContaining({ name: 'Sales' }), made]);
    const values = (await optionsNow(optionsOf('opportunity.stage'))).map(({ value }) => value);
    expect(values).toEqual([...Object.keys(DEFAULT_PIPELINE.stages), 'p1', 'p2', 'signed', 'gone']);
    const { body } = await tenant.call('GET', '/api/crm/objects/opportunity');
    expect(body.pipelines).toEqual([
      { id: DEFAULT_PIPELINE.id, name: 'Sales' },
      { id: made.id, name: 'Partners' },
    ]);
    const stages = (body.fields as { apiName: string; options: object[] }[]).find(({ apiName }) => apiName === 'stage');
    expect(stages?.options.at(-1)).toEqual({
      ...{ value: 'gone', label: 'gone', active: true, meaning: 'lost', probability: 50, pipelineId: made.id },
    });
    const changes = { name: 'Resellers', stages: STAGES.slice(1) };
    const changed = await call('PATCH', `${PIPELINES}/${made.id}`, tenant.admin, changes);
    expect(changed).toMatchObject({ status: 200, body: { name: 'Resellers' } });
    expect((await deal({ stage: 'p1' })).status).toBe(422);
    expect((await call('DELETE', `${PIPELINES}/${made.id}`, tenant.admin)).status).toBe(204);
    expect(await pipelines()).toHaveLength(1);
    expect((await call('DELETE', `${PIPELINES}/${DEFAULT_PIPELINE.id}`, tenant.admin)).status).toBe(409);
    expect((await call('PATCH', `${PIPELINES}/${made.id}`, tenant.admin, { name: 'A' })).status).toBe(404);
  });

  it('has no more stages than all of them may have together', async () => {
    const many = Array.from({ length: 1_990 }, (_, index) => ({ ...STAGES[0]!, value: `s${index}` }));
    const post = (name: string, stages: object[]) => call('POST', PIPELINES, tenant.admin, { name, stages });
    expect((await post('Large', [...many, ...STAGES])).status).toBe(201);
    const more = STAGES.map(({ value, ...stage }) => ({ ...stage, value: `m${value}` }));
    expect((await post('More', more)).body.detail).toBe('A workspace can have up to 2000 stages across all pipelines');
  });

  it('is kept, as a stage of it, while records are there', async () => {
    const { id } = await addPipeline();
    const { body } = await deal({ stage: 'p1' });
    await tenant.call('DELETE', `${DEALS}/${body.id}`);
    const change = { stages: STAGES.slice(1) };
    expect(await call('PATCH', `${PIPELINES}/${id}`, tenant.admin, change)).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/stages', code: 'IN_USE' }] },
    });
    expect((await call('DELETE', `${PIPELINES}/${id}`, tenant.admin)).status).toBe(409);
    const retired = { stages: [stage('p1', 'open', { active: false }), ...STAGES.slice(1)] };
    expect((await call('PATCH', `${PIPELINES}/${id}`, tenant.admin, retired)).status).toBe(200);
    expect(shown(await deal({ stage: 'p1' }))).toEqual([422, ['/stage']]);
  });

  it.each([
    ['a stage of another pipeline', 'A', [...STAGES, stage('proposal')], ['/stages/4/value']],
    ['no stage that means won', 'A', STAGES.filter(({ meaning }) => meaning !== 'won'), ['/stages']],
    ['the name of another', 'Sales', STAGES, ['/name']],
    ['a probability over 100', 'A', [...STAGES, stage('x', 'open', { probability: 101 })], ['/stages/4/probability']],
  ])('is refused with %s', async (_, name, stages, pointers) => {
    expect(shown(await call('POST', PIPELINES, tenant.admin, { name, stages }))).toEqual([422, pointers]);
  });

  it('leaves its stages alone when options are replaced', async () => {
    const stages = optionsOf('opportunity.stage');
    expect((await put(await optionsNow(stages), stages)).status).toBe(422);
  });
});

describe('the status of a deal', () => {
  beforeEach(() => addPipeline());

  it.each<[string, object, object | null, object]>([
    ['no stage and no status', {}, null, { stage: null, status: 'open' }],
    ['open without a stage', { status: 'open' }, null, { stage: null, status: 'open' }],
    ['a stage', { stage: 'signed' }, null, { stage: 'signed', status: 'won' }],
    ['a stage with its status', { stage: 'p1', status: 'open' }, null, { stage: 'p1', status: 'open' }],
    ['won', { status: 'won' }, null, { stage: 'won', status: 'won' }],
    ['lost, without a stage before', {}, { status: 'lost' }, { stage: 'lost', status: 'lost' }],
    ['lost, in the pipeline of its stage', { stage: 'p2' }, { status: 'lost' }, { stage: 'gone', status: 'lost' }],
    ['open again', { stage: 'signed' }, { status: 'open' }, { stage: 'p1', status: 'open' }],
    ['the status that it has', { stage: 'p2' }, { status: 'open' }, { stage: 'p2', status: 'open' }],
    ['a stage of another pipeline', { stage: 'p2' }, { stage: 'lost' }, { stage: 'lost', status: 'lost' }],
    ['no stage any more', { stage: 'p2' }, { stage: null }, { stage: null, status: 'open' }],
    ['something else', { stage: 'won' }, { amount: 5 }, { stage: 'won', status: 'won' }],
  ])('follows from %s', async (_, fields, change, expected) => {
    let answer = await deal(fields);
    if (change) answer = await tenant.call('PATCH', `${DEALS}/${answer.body.id}`, change);
    expect(answer.body).toMatchObject(expected);
  });

  it('contradicts no stage', async () => {
    expect(shown(await deal({ stage: 'won', status: 'lost' }))).toEqual([422, ['/status']]);
    const { body } = await deal({});
    const change = { stage: 'p1', status: 'won' };
    expect(shown(await tenant.call('PATCH', `${DEALS}/${body.id}`, change))).toEqual([422, ['/status']]);
  });
});
