import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Crm, type List, type Problem, type Record, startCrm } from './crm-service.js';

let crm: Crm;
beforeAll(async () => {
  crm = await startCrm();
});
afterAll(() => crm.close());

describe('a record', () => {
  it('is created with every field, null where none was given', async () => {
    const { call } = await crm.tenant();
    const { status, body, headers } = await call('POST', '/api/crm/leads', {
      firstName: 'Ada',
      lastName: 'Lovelace',
      email: 'ada@example.org',
      phone: '+44 20 7946 0000',
    });
    expect(status).toBe(201);
    expect(headers.get('etag')).toBe('"1"');
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      version: 1,
      createdAt: expect.stringMatching(/Z$/),
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
    const { call } = await crm.tenant();
    const created = await call('POST', `/api/crm/${path}`, values);
    expect(created.status).toBe(201);
    const read = await call('GET', `/api/crm/${path}/${created.body.id}`);
    expect(read.status).toBe(200);
    expect(read.headers.get('etag')).toBe('"1"');
    expect(read.body).toEqual(created.body);
    expect(read.body).toMatchObject({ ...values, ...defaults });
  });

  it('is changed field by field, and its version counts up', async () => {
    const { call } = await crm.tenant();
    const { body: lead } = await call('POST', '/api/crm/leads', { lastName: 'Hopper', source: 'fair' });
    const { status, body, headers } = await call('PATCH', `/api/crm/leads/${lead.id}`, { status: 'new', source: null });
    expect(status).toBe(200);
    expect(headers.get('etag')).toBe('"2"');
    expect(body).toMatchObject({ version: 2, lastName: 'Hopper', status: 'new', source: null });
    expect(new Date(body.updatedAt) >= new Date(lead.updatedAt)).toBe(true);
  });

  it('keeps its version when nothing differs', async () => {
    const { call, tenantId } = await crm.tenant();
    const { body: lead } = await call('POST', '/api/crm/leads', { lastName: 'Hopper' });
    const { body } = await call('PATCH', `/api/crm/leads/${lead.id}`, { lastName: 'Hopper', email: null });
    expect(body).toEqual(lead);
    expect((await crm.events(tenantId)).map((event) => event.name)).toEqual(['lead.created']);
  });

  it('is deleted once', async () => {
    const { call } = await crm.tenant();
    const { body: lead } = await call('POST', '/api/crm/leads', { lastName: 'Hopper' });
    expect((await call('DELETE', `/api/crm/leads/${lead.id}`)).status).toBe(204);
    expect((await call('DELETE', `/api/crm/leads/${lead.id}`)).status).toBe(404);
    expect((await call('GET', `/api/crm/leads/${lead.id}`)).status).toBe(404);
  });

  it('is guarded by If-Match on PATCH and DELETE', async () => {
    const { call } = await crm.tenant();
    const { body: lead } = await call('POST', '/api/crm/leads', { lastName: 'Hopper' });
    const path = `/api/crm/leads/${lead.id}`;
    const stale = { 'if-match': '"7"' };
    for (const answer of [
      await call<Problem>('PATCH', path, { status: 'x' }, stale),
      await call<Problem>('DELETE', path, undefined, stale),
    ]) {
      expect(answer).toMatchObject({ status: 412, body: { code: 'VERSION_MISMATCH' } });
    }
    expect((await call('PATCH', path, { status: 'x' }, { 'if-match': '"1"' })).status).toBe(200);
    expect((await call('DELETE', path, undefined, { 'if-match': '"2"' })).status).toBe(204);
  });

  it('takes one of two changes that were made at once to the same version', async () => {
    const { call } = await crm.tenant();
    const { body: lead } = await call('POST', '/api/crm/leads', { lastName: 'Hopper' });
    const change = (status: string) => call('PATCH', `/api/crm/leads/${lead.id}`, { status }, { 'if-match': '"1"' });
    const statuses = (await Promise.all([change('a'), change('b'), change('c')])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 412, 412]);
  });
});

describe('what is written', () => {
  it('is judged as a whole: every wrong value is named', async () => {
    const { call } = await crm.tenant();
    const { status, body } = await call<Problem>('POST', '/api/crm/leads', {
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
    const { call } = await crm.tenant();
    const { status, body } = await call<Problem>('POST', `/api/crm/${path}`, values);
    expect(status).toBe(422);
    expect(body.errors?.map((error) => error.pointer)).toEqual([pointer]);
  });

  it('has to be a JSON object', async () => {
    const { call } = await crm.tenant();
    for (const body of [[], 'text', 7, null]) {
      expect((await call('POST', '/api/crm/leads', body)).status).toBe(400);
    }
  });

  it.each(['+44 20 7946 0000', '030 901820', '(555) 010-0199 ext. 12'])('may be the phone number %s', async (phone) => {
    const { call } = await crm.tenant();
    const values = { lastName: 'A', phone };
    expect(await call('POST', '/api/crm/contacts', values)).toMatchObject({ status: 201, body: values });
  });

  it('never reaches a column that is no field', async () => {
    const { call } = await crm.tenant();
    const { body: lead } = await call('POST', '/api/crm/leads', { lastName: 'A' });
    for (const name of ['version', 'createdAt', 'tenant_id', 'search_text', '__proto__x']) {
      expect((await call('PATCH', `/api/crm/leads/${lead.id}`, { [name]: 'x' })).status).toBe(422);
    }
  });
});

describe('a reference', () => {
  it('has to name a record of the tenant', async () => {
    const own = await crm.tenant();
    const other = await crm.tenant();
    const { body: foreign } = await other.call('POST', '/api/crm/companies', { name: 'Foreign' });
    const { status, body } = await own.call<Problem>('POST', '/api/crm/opportunities', {
      name: 'A',
      companyId: foreign.id,
      contactId: '0190a000-0000-7000-8000-0000000000aa',
    });
    expect(status).toBe(422);
    expect(body).toMatchObject({
      code: 'REFERENCE_NOT_FOUND',
      errors: [{ pointer: '/companyId' }, { pointer: '/contactId' }],
    });
    expect(await crm.events(own.tenantId)).toEqual([]);
  });

  it('of a task may name any core record', async () => {
    const { call } = await crm.tenant();
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
    const { call, tenantId } = await crm.tenant();
    const { body: company } = await call('POST', '/api/crm/companies', { name: 'A' });
    const { body: contact } = await call('POST', '/api/crm/contacts', { lastName: 'B', companyId: company.id });
    expect((await call('DELETE', `/api/crm/companies/${company.id}`)).status).toBe(204);
    expect((await call('GET', `/api/crm/contacts/${contact.id}`)).body).toMatchObject({ companyId: null, version: 2 });
    const events = (await crm.events(tenantId)).slice(2);
    expect(events.map(({ name }) => name)).toEqual(['contact.updated', 'company.deleted']);
    expect(events[0]?.data).toMatchObject({ changed: ['companyId'], previous: { companyId: company.id } });
  });
});

describe('events', () => {
  it('tell what was created, changed and deleted', async () => {
    const { call, tenantId } = await crm.tenant();
    const { body: lead } = await call('POST', '/api/crm/leads', { lastName: 'A', status: 'new' });
    const { body: changed } = await call('PATCH', `/api/crm/leads/${lead.id}`, { status: 'won over', source: 'web' });
    await call('DELETE', `/api/crm/leads/${lead.id}`);
    expect(await crm.events(tenantId)).toEqual([
      { name: 'lead.created', subject: lead.id, version: 1, data: { record: lead } },
      {
        name: 'lead.updated',
        subject: lead.id,
        version: 2,
        data: { record: changed, changed: ['status', 'source'], previous: { status: 'new', source: null } },
      },
      { name: 'lead.deleted', subject: lead.id, version: 2, data: { record: changed } },
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
    const { call, tenantId } = await crm.tenant();
    const { body } = await call('POST', `/api/crm/${path}`, values);
    await call('PATCH', `/api/crm/${path}/${body.id}`, change);
    expect((await crm.events(tenantId)).map(({ name }) => name)).toEqual(names);
  });
});

describe('a list', () => {
  const names = ['Dora', 'Adam', 'Cleo', 'Berta', 'Adam'];
  const filled = async () => {
    const tenant = await crm.tenant();
    for (const [index, lastName] of names.entries()) {
      await tenant.call('POST', '/api/crm/leads', { lastName, status: index % 2 ? 'odd' : null });
    }
    const list = async (query: string) => (await tenant.call<List>('GET', `/api/crm/leads?${query}`)).body;
    return { ...tenant, list, namesOf: async (query: string) => (await list(query)).data.map((lead) => lead.lastName) };
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
        const page: List = await list(`sort=${sort}&size=2${cursor && `&cursor=${cursor}`}`);
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

  it('is searched without regard to case and accents, wildcards being characters', async () => {
    const { call, namesOf } = await filled();
    await call('POST', '/api/crm/leads', { firstName: 'Zoë', lastName: 'Ünal_100%', email: 'zoe@example.org' });
    expect(await namesOf('q=zoe%20unal')).toEqual(['Ünal_100%']);
    expect(await namesOf('q=EXAMPLE.org')).toEqual(['Ünal_100%']);
    expect(await namesOf('q=100%25')).toEqual(['Ünal_100%']);
    expect(await namesOf('q=%25')).toEqual(['Ünal_100%']);
    expect(await namesOf('q=nobody')).toEqual([]);
  });

  it.each([
    'page=0',
    'size=201',
    'size=x',
    'sort=nothing',
    'filterField=lastName',
    'unknown=1',
    'count=all',
    'cursor=x',
  ])('refuses ?%s', async (query) => {
    const { call } = await crm.tenant();
    expect(await call<Problem>('GET', `/api/crm/leads?${query}`)).toMatchObject({
      status: 400,
      body: { code: 'INVALID_QUERY' },
    });
  });

  it('refuses a cursor of another tenant', async () => {
    const { list } = await filled();
    const { nextCursor } = await list('size=1');
    const other = await crm.tenant();
    expect((await other.call('GET', `/api/crm/leads?size=1&cursor=${nextCursor}`)).status).toBe(400);
  });
});

describe('who may do what', () => {
  it('another tenant finds nothing', async () => {
    const own = await crm.tenant();
    const other = await crm.tenant();
    const { body: lead } = await own.call('POST', '/api/crm/leads', { lastName: 'A' });
    const path = `/api/crm/leads/${lead.id}`;
    const unknown = await other.call<Problem>('GET', '/api/crm/leads/0190a000-0000-7000-8000-0000000000aa');
    for (const [method, body] of [
      ['GET', undefined],
      ['PATCH', { lastName: 'B' }],
      ['DELETE', undefined],
    ] as const) {
      expect(await other.call<Problem>(method, path, body)).toMatchObject({
        status: 404,
        body: { code: unknown.body.code },
      });
    }
    expect((await other.call<List>('GET', '/api/crm/leads')).body.data).toEqual([]);
    expect((await own.call('GET', path)).body).toEqual(lead);
  });

  it('what is no id is not found', async () => {
    const { call } = await crm.tenant();
    expect((await call('GET', '/api/crm/leads/17')).status).toBe(404);
    expect((await call('DELETE', '/api/crm/leads/%27')).status).toBe(404);
  });

  it('a viewer reads and does not write', async () => {
    const { as, call } = await crm.tenant();
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
    const { as } = await crm.tenant();
    const reader = await as('member', [`${scope}:read`]);
    expect((await reader('GET', `/api/crm/${path}`)).status).toBe(200);
    expect(await reader<Problem>('POST', `/api/crm/${path}`, {})).toMatchObject({
      status: 403,
      body: { code: 'INSUFFICIENT_SCOPE' },
    });
    const writer = await as('member', [scope]);
    expect((await writer('POST', `/api/crm/${path}`, {})).status).toBe(422);
    const stranger = await as('member', ['webhooks']);
    expect((await stranger('GET', `/api/crm/${path}`)).status).toBe(403);
  });

  it('nobody comes in without a token', async () => {
    expect((await crm.request('GET', '/api/crm/leads')).status).toBe(401);
  });
});

describe('an Idempotency-Key', () => {
  const key = (value: string) => ({ 'idempotency-key': value });

  it('makes a repeated call find the record of the first', async () => {
    const { call, tenantId } = await crm.tenant();
    const first = await call('POST', '/api/crm/leads', { lastName: 'A', status: 'new' }, key('k1'));
    await call('PATCH', `/api/crm/leads/${first.body.id}`, { status: 'old' });
    const again = await call('POST', '/api/crm/leads', { status: 'new', lastName: 'A' }, key('k1'));
    expect(again).toMatchObject({ status: 201, body: { id: first.body.id, version: 2, status: 'old' } });
    expect((await crm.events(tenantId)).filter(({ name }) => name === 'lead.created')).toHaveLength(1);
  });

  it('is refused with another body', async () => {
    const { call } = await crm.tenant();
    await call('POST', '/api/crm/leads', { lastName: 'A' }, key('k1'));
    expect(await call<Problem>('POST', '/api/crm/leads', { lastName: 'B' }, key('k1'))).toMatchObject({
      status: 422,
      body: { code: 'IDEMPOTENCY_KEY_REUSED' },
    });
  });

  it('belongs to one tenant, caller and route', async () => {
    const one = await crm.tenant();
    const two = await crm.tenant();
    const ids = new Set<string>();
    for (const { call } of [one, two]) {
      ids.add((await call('POST', '/api/crm/leads', { lastName: 'A' }, key('k'))).body.id);
      ids.add((await call('POST', '/api/crm/contacts', { lastName: 'A' }, key('k'))).body.id);
    }
    expect(ids.size).toBe(4);
  });

  it('makes one record of many calls at once', async () => {
    const { call } = await crm.tenant();
    const calls = Array.from({ length: 8 }, () => call('POST', '/api/crm/leads', { lastName: 'A' }, key('k')));
    const answers = await Promise.all(calls);
    const made = answers.filter(({ status }) => status === 201);
    expect(new Set(made.map(({ body }) => body.id)).size).toBe(1);
    for (const { status, body } of answers) {
      if (status !== 201) expect({ status, code: body.code }).toEqual({ status: 409, code: 'IDEMPOTENCY_KEY_IN_USE' });
    }
    expect((await call<List>('GET', '/api/crm/leads')).body.total).toBe(1);
  });

  it('of a failed call can be used again', async () => {
    const { call } = await crm.tenant();
    expect((await call('POST', '/api/crm/leads', {}, key('k'))).status).toBe(422);
    expect((await call('POST', '/api/crm/leads', { lastName: 'A' }, key('k'))).status).toBe(201);
  });

  it('does not give back a record that was deleted', async () => {
    const { call } = await crm.tenant();
    const { body } = await call<Record>('POST', '/api/crm/leads', { lastName: 'A' }, key('k'));
    await call('DELETE', `/api/crm/leads/${body.id}`);
    expect((await call('POST', '/api/crm/leads', { lastName: 'A' }, key('k'))).status).toBe(404);
  });

  it.each(['', 'with space', 'x'.repeat(256)])('%j is refused', async (value) => {
    const { call } = await crm.tenant();
    expect((await call('POST', '/api/crm/leads', { lastName: 'A' }, key(value))).status).toBe(400);
  });
});

it('the OpenAPI document describes what is written and read', async () => {
  const { body } = await crm.request<{ paths: { [path: string]: { [method: string]: unknown } } }>(
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
