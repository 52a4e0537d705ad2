import { Database } from '@crm/database';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { STANDARD_OBJECTS } from '../src/object/object-definition.js';
import { type CustomObjectsService, type Json, startCustomObjects } from './custom-objects-service.js';

let app: CustomObjectsService;
beforeAll(async () => {
  app = await startCustomObjects();
});
afterAll(() => app?.close());

/** A tenant that has standard objects only. */
const tenant = () => app.tenant('business', []);

describe('a record of a standard object', () => {
  it('is created with every field, null where none was given', async () => {
    const { call } = await tenant();
    const { status, body, headers } = await call('POST', '/api/crm/leads', {
      firstName: 'Ada',
      lastName: 'Lovelace',
      email: 'ada@example.org',
      phone: '+44 20 7946 0000',
    });
    expect(status).toBe(201);
    expect(headers.get('etag')).toBe('"1.0"');
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      version: 1,
      createdAt: expect.stringMatching(/\.\d{3}Z$/),
      updatedAt: body.createdAt,
      firstName: 'Ada',
      lastName: 'Lovelace',
      email: 'ada@example.org',
      phone: '+44 20 7946 0000',
      companyName: null,
      status: null,
      source: null,
      ownerId: null,
    });
  });

  it.each([
    ['leads', { lastName: 'A', ownerId: '0190a000-0000-7000-8000-0000000000aa' }, {}],
    ['contacts', { lastName: 'A' }, {}],
    ['companies', { name: 'A', website: 'https://example.org/a' }, {}],
    ['opportunities', { name: 'A', amount: 12.5, currency: 'EUR', closeDate: '2026-03-01' }, { status: 'open' }],
    ['tasks', { title: 'A', dueAt: '2026-03-01T10:00:00Z', description: 'one\ntwo' }, { status: 'open' }],
  ])('of %s is read back as it was written', async (path, values, defaults) => {
    const { call } = await tenant();
    const created = await call('POST', `/api/crm/${path}`, values);
    expect(created.status).toBe(201);
    const read = await call('GET', `/api/crm/${path}/${created.body.id}`);
    expect(read.status).toBe(200);
    expect(read.headers.get('etag')).toBe('"1.0"');
    expect(read.body).toEqual(created.body);
    expect(read.body).toMatchObject({ ...values, ...defaults });
  });

  it('is changed field by field, and its version counts up', async () => {
    const { call } = await tenant();
    const { body: lead } = await call('POST', '/api/crm/leads', { lastName: 'Hopper', source: 'fair' });
    const { status, body, headers } = await call('PATCH', `/api/crm/leads/${lead.id}`, { status: 'new', source: null });
    expect(status).toBe(200);
    expect(headers.get('etag')).toBe('"2.0"');
    expect(body).toMatchObject({ version: 2, lastName: 'Hopper', status: 'new', source: null });
    expect(new Date(body.updatedAt) >= new Date(lead.updatedAt)).toBe(true);
  });

  it('keeps its version when nothing differs', async () => {
    const { call, id: tenantId } = await tenant();
    const { body: lead } = await call('POST', '/api/crm/leads', { lastName: 'Hopper' });
    const { body } = await call('PATCH', `/api/crm/leads/${lead.id}`, { lastName: 'Hopper', email: null });
    expect(body).toEqual(lead);
    expect((await app.events(tenantId)).map((event) => event.name)).toEqual(['lead.created']);
  });
});

describe('what is written', () => {
  it('is judged as a whole: every wrong value is named', async () => {
    const { call } = await tenant();
    const { status, body } = await call('POST', '/api/crm/leads', {
      firstName: 'x'.repeat(121),
      email: 'not an address',
      ownerId: '17',
      colour: 'red',
      id: '0190a000-0000-7000-8000-0000000000aa',
    });
    expect(status).toBe(422);
    expect(body.code).toBe('VALIDATION_FAILED');
    expect(body.errors?.map(({ pointer }) => pointer).sort()).toEqual(
      ['/colour', '/email', '/firstName', '/id', '/lastName', '/ownerId'].sort(),
    );
    for (const error of body.errors ?? [])
      expect(error).toMatchObject({ code: expect.stringMatching(/^[A-Z_]+$/), detail: expect.any(String) });
  });

  it.each([
    ['opportunities', { name: 'A', status: 'maybe' }, '/status'],
    ['opportunities', { name: 'A', status: null }, '/status'],
    ['opportunities', { name: 'A', amount: '12' }, '/amount'],
    ['opportunities', { name: 'A', closeDate: '2026-02-30' }, '/closeDate'],
    ['opportunities', { name: 'A', currency: 'EURO' }, '/currency'],
    ['companies', { name: 'A', website: 'javascript:alert(1)' }, '/website'],
    ['companies', { name: '' }, '/name'],
    ['companies', { name: null }, '/name'],
    ['tasks', { title: 'A', dueAt: 'tomorrow' }, '/dueAt'],
    ['contacts', { lastName: 7 }, '/lastName'],
    ['contacts', { lastName: 'A', phone: 'call me' }, '/phone'],
  ])('%s refuse %j', async (path, values, pointer) => {
    const { call } = await tenant();
    const { status, body } = await call('POST', `/api/crm/${path}`, values);
    expect(status).toBe(422);
    expect(body.errors?.map((error) => error.pointer)).toEqual([pointer]);
  });

  it.each(['+44 20 7946 0000', '030 901820', '(555) 010-0199 ext. 12'])('may be the phone number %s', async (phone) => {
    const { call } = await tenant();
    const values = { lastName: 'A', phone };
    expect(await call('POST', '/api/crm/contacts', values)).toMatchObject({ status: 201, body: values });
  });

  it('never reaches a column that is no field', async () => {
    const { call } = await tenant();
    const { body: lead } = await call('POST', '/api/crm/leads', { lastName: 'A' });
    for (const name of ['version', 'createdAt', 'tenant_id', 'search_text', '__proto__x']) {
      expect((await call('PATCH', `/api/crm/leads/${lead.id}`, { [name]: 'x' })).status).toBe(422);
    }
  });
});

describe('a reference', () => {
  it('has to name a record of the tenant', async () => {
    const own = await tenant();
    const other = await tenant();
    const { body: foreign } = await other.call('POST', '/api/crm/companies', { name: 'Foreign' });
    const { status, body } = await own.call('POST', '/api/crm/opportunities', {
      name: 'A',
      companyId: foreign.id,
      contactId: '0190a000-0000-7000-8000-0000000000aa',
    });
    expect(status).toBe(422);
    expect(body).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: [
        { pointer: '/companyId', code: 'REFERENCE_NOT_FOUND' },
        { pointer: '/contactId', code: 'REFERENCE_NOT_FOUND' },
      ],
    });
    expect(await app.events(own.id)).toEqual([]);
  });

  it('of a task may name a record of any other standard object', async () => {
    const { call } = await tenant();
    for (const [path, values] of [
      ['leads', { lastName: 'A' }],
      ['contacts', { lastName: 'A' }],
      ['companies', { name: 'A' }],
      ['opportunities', { name: 'A' }],
    ] as const) {
      const { body: target } = await call('POST', `/api/crm/${path}`, values);
      expect(await call('POST', '/api/crm/tasks', { title: 'Call', relatedTo: target.id })).toMatchObject({
        status: 201,
        body: { relatedTo: target.id },
      });
    }
  });

  it('is unset, with an event, when what it names is deleted', async () => {
    const { call, id: tenantId } = await tenant();
    const { body: company } = await call('POST', '/api/crm/companies', { name: 'A' });
    const { body: contact } = await call('POST', '/api/crm/contacts', { lastName: 'B', companyId: company.id });
    expect((await call('DELETE', `/api/crm/companies/${company.id}`)).status).toBe(204);
    expect((await call('GET', `/api/crm/contacts/${contact.id}`)).body).toMatchObject({ companyId: null, version: 2 });
    const events = (await app.events(tenantId)).slice(2);
    expect(events.map(({ name }) => name)).toEqual(['contact.updated', 'company.deleted']);
    expect(events[0]?.data).toMatchObject({ changed: ['companyId'], previous: { companyId: company.id } });
  });
});

describe('events', () => {
  it('tell what was created, changed and deleted', async () => {
    const { call, id: tenantId } = await tenant();
    const { body: lead } = await call('POST', '/api/crm/leads', { lastName: 'A', status: 'new' });
    const { body: changed } = await call('PATCH', `/api/crm/leads/${lead.id}`, { status: 'won over', source: 'web' });
    await call('DELETE', `/api/crm/leads/${lead.id}`);
    const events = await app.events(tenantId);
    expect(events.map(({ name, subject, version, data }) => ({ name, subject, version, data }))).toEqual([
      { name: 'lead.created', subject: lead.id, version: 1, data: { record: lead } },
      {
        name: 'lead.updated',
        subject: lead.id,
        version: 2,
        data: { record: changed, changed: ['status', 'source'], previous: { status: 'new', source: null } },
      },
      { name: 'lead.deleted', subject: lead.id, version: 3, data: { record: changed } },
    ]);
  });

  it.each([
    ['opportunities', { name: 'A' }, { status: 'won' }, ['deal.created', 'deal.updated', 'deal.won']],
    ['opportunities', { name: 'A' }, { status: 'lost' }, ['deal.created', 'deal.updated', 'deal.lost']],
    ['opportunities', { name: 'A', status: 'won' }, { stage: 'x' }, ['deal.created', 'deal.won', 'deal.updated']],
    ['tasks', { title: 'A' }, { status: 'completed' }, ['task.created', 'task.updated', 'task.completed']],
    [
      'tasks',
      { title: 'A', status: 'completed' },
      { status: 'open' },
      ['task.created', 'task.completed', 'task.updated'],
    ],
  ])('of %s %j changed by %j are %j', async (path, values, change, names) => {
    const { call, id: tenantId } = await tenant();
    const { body } = await call('POST', `/api/crm/${path}`, values);
    await call('PATCH', `/api/crm/${path}/${body.id}`, change);
    expect((await app.events(tenantId)).map(({ name }) => name)).toEqual(names);
  });
});

describe('a list', () => {
  const names = ['Dora', 'Adam', 'Cleo', 'Berta', 'Adam'];
  const filled = async () => {
    const filledTenant = await tenant();
    for (const [index, lastName] of names.entries()) {
      await filledTenant.call('POST', '/api/crm/leads', { lastName, status: index % 2 ? 'odd' : null });
    }
    const list = async (query: string) => (await filledTenant.call('GET', `/api/crm/leads?${query}`)).body;
    return {
      ...filledTenant,
      list,
      namesOf: async (query: string) => (await list(query)).data.map((lead) => lead.lastName),
    };
  };

  it('has the newest first and counts all', async () => {
    const { list } = await filled();
    const { data, ...rest } = await list('');
    expect(data.map((lead) => lead.lastName)).toEqual([...names].reverse());
    expect(rest).toEqual({ page: 1, size: 25, total: 5, totalIsExact: true, hasMore: false, nextCursor: null });
  });

  it('comes in pages', async () => {
    const { list } = await filled();
    const second = await list('page=2&size=2&sort=lastName');
    expect(second).toMatchObject({ page: 2, size: 2, total: 5, hasMore: true });
    expect(second.data.map((lead) => lead.lastName)).toEqual(['Berta', 'Cleo']);
    expect(await list('page=3&size=2&sort=lastName')).toMatchObject({ hasMore: false, nextCursor: null });
  });

  it.each(['lastName', '-lastName', 'status', '-status', 'createdAt', '-createdAt', 'id', '-id'])(
    'read by cursor in the order %s has every record once, in the order of the pages',
    async (sort) => {
      const { list } = await filled();
      const whole = (await list(`sort=${sort}`)).data.map(({ id }) => id);
      const seen: string[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page: Json = await list(`sort=${sort}&size=2${cursor && `&cursor=${cursor}`}`);
        seen.push(...page.data.map(({ id }) => id));
        cursor = page.nextCursor;
      }
      expect(seen).toEqual(whole);
      expect(new Set(seen).size).toBe(5);
    },
  );

  it('is filtered by a field', async () => {
    const { namesOf, list } = await filled();
    expect(await namesOf('filterField=lastName&filterValue=Adam')).toEqual(['Adam', 'Adam']);
    expect(await namesOf('filterField=status&filterValue=odd&sort=lastName')).toEqual(['Adam', 'Berta']);
    expect((await list('filterField=status&filterValue=odd')).total).toBe(2);
  });

  it.each([
    ...['page=0', 'size=0', 'size=201', 'size=x', 'page=10000&size=200', 'unknown=1', 'count=all'],
    'filterField=amount&filterValue=much',
    'filterField=amount&filterValue=',
    'filterField=amount&filterValue=0x10',
    'filterField=closeDate&filterValue=2026-02-30',
    'filterField=companyId&filterValue=17',
    'filterField=nothing&filterValue=x',
    'filterField=tenant_id&filterValue=x',
    'filterField=status',
    'filterValue=won',
    ...['sort=-', 'sort=nothing', 'sort=search_text', 'sort=toString', 'cursor=x', 'cursor=abc', 'cursor=W10'],
  ])('refuses ?%s', async (query) => {
    const { call } = await tenant();
    expect(await call('GET', `/api/crm/opportunities?${query}`)).toMatchObject({
      status: 400,
      body: { code: 'INVALID_QUERY' },
    });
  });

  it('gives a filter value the type of its field', async () => {
    const { call } = await tenant();
    const { body: company } = await call('POST', '/api/crm/companies', { name: 'A' });
    const values = { amount: 12.5, status: 'won', closeDate: '2026-02-28', companyId: company.id };
    const { body: deal } = await call('POST', '/api/crm/opportunities', { name: 'A', ...values });
    await call('POST', '/api/crm/opportunities', { name: 'B', amount: 12 });
    for (const [field, value] of Object.entries(values)) {
      const query = `filterField=${field}&filterValue=${value}`;
      const { body } = await call('GET', `/api/crm/opportunities?${query}`);
      expect([field, body.data.map(({ id }) => id)]).toEqual([field, [deal.id]]);
    }
  });

  it('counts to 10,000 unless an exact count is asked for', async () => {
    const { id: tenantId, call } = await tenant();
    await app.service.get(Database).transaction(tenantId, (tx) =>
      tx.query(
        `WITH added AS (
           INSERT INTO custom_record (tenant_id, object_id, id, version, data, created_at, updated_at, created_by)
           SELECT $1, $2, gen_random_uuid(), 1, jsonb_build_object('1', 'Company ' || n), now(), now(), $1
             FROM generate_series(1, 10001) AS n RETURNING id, data)
         INSERT INTO record_search (tenant_id, object_id, id, audience, text)
         SELECT $1, $2, id, '', lower(data->>'1') FROM added`,
        [tenantId, STANDARD_OBJECTS.company.id],
      ),
    );
    const list = async (query: string) => (await call('GET', `/api/crm/companies?${query}`)).body;
    expect(await list('size=1')).toMatchObject({ total: 10_000, totalIsExact: false, hasMore: true });
    expect(await list('size=1&count=exact')).toMatchObject({ total: 10_001, totalIsExact: true });
    expect(await list('size=1&q=company%2010001')).toMatchObject({ total: 1, totalIsExact: true, hasMore: false });
  });
});

describe('a cursor', () => {
  const list = '/api/crm/leads?size=1&sort=lastName&filterField=status&filterValue=new&q=a';

  it.each([
    ['another order', list.replace('sort=', 'sort=-')],
    ['another filter', list.replace('filterValue=new', 'filterValue=old')],
    ['another search', list.replace('q=a', 'q=b')],
    ['a list without a filter', '/api/crm/leads?size=1&sort=lastName'],
    ['a list of another object', list.replace('leads', 'contacts').replace('status', 'lastName')],
  ])('is refused in %s', async (_name, other) => {
    const { call } = await tenant();
    for (const lastName of ['Ada', 'Alan']) await call('POST', '/api/crm/leads', { lastName, status: 'new' });
    const { nextCursor } = (await call('GET', list)).body;
    expect((await call('GET', `${list}&cursor=${nextCursor}`)).body.data).toMatchObject([{ lastName: 'Alan' }]);
    expect(await call('GET', `${other}&cursor=${nextCursor}`)).toMatchObject({
      status: 400,
      body: { code: 'INVALID_QUERY' },
    });
  });

  it('is refused in another tenant', async () => {
    const [own, other] = [await tenant(), await tenant()];
    for (const lastName of ['Ada', 'Alan']) await own.call('POST', '/api/crm/leads', { lastName });
    const { nextCursor } = (await own.call('GET', '/api/crm/leads?size=1')).body;
    expect((await own.call('GET', `/api/crm/leads?size=1&cursor=${nextCursor}`)).status).toBe(200);
    expect((await other.call('GET', `/api/crm/leads?size=1&cursor=${nextCursor}`)).status).toBe(400);
  });
});

describe('who may do what', () => {
  it('another tenant finds nothing', async () => {
    const own = await tenant();
    const other = await tenant();
    const { body: lead } = await own.call('POST', '/api/crm/leads', { lastName: 'A' });
    const path = `/api/crm/leads/${lead.id}`;
    const unknown = await other.call('GET', '/api/crm/leads/0190a000-0000-7000-8000-0000000000aa');
    for (const [method, body] of [
      ['GET', undefined],
      ['PATCH', { lastName: 'B' }],
      ['DELETE', undefined],
    ] as const) {
      expect(await other.call(method, path, body)).toMatchObject({
        status: 404,
        body: { code: unknown.body.code },
      });
    }
    expect((await other.call('GET', '/api/crm/leads')).body.data).toEqual([]);
    expect((await own.call('GET', path)).body).toEqual(lead);
  });

  it('what is no id is not found', async () => {
    const { call } = await tenant();
    expect((await call('GET', '/api/crm/leads/17')).status).toBe(404);
    expect((await call('DELETE', '/api/crm/leads/%27')).status).toBe(404);
  });

  it('a viewer reads and does not write', async () => {
    const { as, call } = await tenant();
    const viewer = await as('viewer');
    const { body: lead } = await call('POST', '/api/crm/leads', { lastName: 'A' });
    expect((await viewer('GET', `/api/crm/leads/${lead.id}`)).status).toBe(200);
    expect((await viewer('POST', '/api/crm/leads', { lastName: 'B' })).status).toBe(403);
    expect((await viewer('PATCH', `/api/crm/leads/${lead.id}`, { lastName: 'B' })).status).toBe(403);
    expect((await viewer('DELETE', `/api/crm/leads/${lead.id}`)).status).toBe(403);
  });

  it.each([
    ['leads', 'leads'],
    ['contacts', 'contacts'],
    ['companies', 'companies'],
    ['opportunities', 'pipeline'],
    ['tasks', 'tasks'],
  ])('%s need the scope %s', async (path, scope) => {
    const { as } = await tenant();
    const reader = await as('member', [`${scope}:read`]);
    expect((await reader('GET', `/api/crm/${path}`)).status).toBe(200);
    expect(await reader('POST', `/api/crm/${path}`, {})).toMatchObject({
      status: 403,
      body: { code: 'INSUFFICIENT_SCOPE' },
    });
    const writer = await as('member', [scope]);
    expect((await writer('POST', `/api/crm/${path}`, {})).status).toBe(422);
    const stranger = await as('member', ['webhooks']);
    expect((await stranger('GET', `/api/crm/${path}`)).status).toBe(403);
  });

  it('nobody comes in without a token', async () => {
    expect((await app.service.request('GET', '/api/crm/leads')).status).toBe(401);
  });
});

describe('an Idempotency-Key', () => {
  const key = (value: string) => ({ 'idempotency-key': value });

  it('belongs to one tenant, caller and route', async () => {
    const one = await tenant();
    const two = await tenant();
    const ids = new Set<string>();
    for (const { call } of [one, two]) {
      ids.add((await call('POST', '/api/crm/leads', { lastName: 'A' }, key('k'))).body.id);
      ids.add((await call('POST', '/api/crm/contacts', { lastName: 'A' }, key('k'))).body.id);
    }
    expect(ids.size).toBe(4);
  });

  it('of a failed call can be used again', async () => {
    const { call } = await tenant();
    expect((await call('POST', '/api/crm/leads', {}, key('k'))).status).toBe(422);
    expect((await call('POST', '/api/crm/leads', { lastName: 'A' }, key('k'))).status).toBe(201);
  });
});

it('the OpenAPI document describes what is written and read', async () => {
  const { body } = await app.service.request<{ paths: { [path: string]: { [method: string]: unknown } } }>(
    'GET',
    '/api/openapi.json',
  );
  const contact = {
    properties: { lastName: { type: 'string', maxLength: 120 }, companyId: { type: ['string', 'null'] } },
  };
  expect(body.paths['/api/crm/contacts']?.post).toMatchObject({
    requestBody: { content: { 'application/json': { schema: { ...contact, required: ['lastName'] } } } },
    responses: { 201: { content: { 'application/json': { schema: contact } } } },
  });
  expect(Object.keys(body.paths)).toEqual(expect.arrayContaining(['/api/crm/leads/{id}', '/api/crm/opportunities']));
});
