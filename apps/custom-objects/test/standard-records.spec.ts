import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Problem, type StandardRecords, startStandardRecords } from './standard-records.js';

let app: StandardRecords;
beforeAll(async () => {
  app = await startStandardRecords();
});
afterAll(() => app.close());

describe('a record of a standard object', () => {
  it('is created with every field, null where none was given', async () => {
    const { call } = await app.tenant();
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
    const { call } = await app.tenant();
    const created = await call('POST', `/api/crm/${path}`, values);
    expect(created.status).toBe(201);
    const read = await call('GET', `/api/crm/${path}/${created.body.id}`);
    expect(read.status).toBe(200);
    expect(read.headers.get('etag')).toBe('"1.0"');
    expect(read.body).toEqual(created.body);
    expect(read.body).toMatchObject({ ...values, ...defaults });
  });

  it('is changed field by field, and its version counts up', async () => {
    const { call } = await app.tenant();
    const { body: lead } = await call('POST', '/api/crm/leads', { lastName: 'Hopper', source: 'fair' });
    const { status, body, headers } = await call('PATCH', `/api/crm/leads/${lead.id}`, { status: 'new', source: null });
    expect(status).toBe(200);
    expect(headers.get('etag')).toBe('"2.0"');
    expect(body).toMatchObject({ version: 2, lastName: 'Hopper', status: 'new', source: null });
    expect(new Date(body.updatedAt) >= new Date(lead.updatedAt)).toBe(true);
  });

  it('keeps its version when nothing differs', async () => {
    const { call, tenantId } = await app.tenant();
    const { body: lead } = await call('POST', '/api/crm/leads', { lastName: 'Hopper' });
    const { body } = await call('PATCH', `/api/crm/leads/${lead.id}`, { lastName: 'Hopper', email: null });
    expect(body).toEqual(lead);
    expect((await app.events(tenantId)).map((event) => event.name)).toEqual(['lead.created']);
  });

  it('is deleted once', async () => {
    const { call } = await app.tenant();
    const { body: lead } = await call('POST', '/api/crm/leads', { lastName: 'Hopper' });
    expect((await call('DELETE', `/api/crm/leads/${lead.id}`)).status).toBe(204);
    expect((await call('DELETE', `/api/crm/leads/${lead.id}`)).status).toBe(404);
    expect((await call('GET', `/api/crm/leads/${lead.id}`)).status).toBe(404);
  });

  it('is guarded by If-Match on PATCH and DELETE', async () => {
    const { call } = await app.tenant();
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
    const { call } = await app.tenant();
    const { body: lead } = await call('POST', '/api/crm/leads', { lastName: 'Hopper' });
    const change = (status: string) => call('PATCH', `/api/crm/leads/${lead.id}`, { status }, { 'if-match': '"1"' });
    const statuses = (await Promise.all([change('a'), change('b'), change('c')])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 412, 412]);
  });
});

describe('what is written', () => {
  it('is judged as a whole: every wrong value is named', async () => {
    const { call } = await app.tenant();
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
    const { call } = await app.tenant();
    const { status, body } = await call<Problem>('POST', `/api/crm/${path}`, values);
    expect(status).toBe(422);
    expect(body.errors?.map((error) => error.pointer)).toEqual([pointer]);
  });

  it.each(['+44 20 7946 0000', '030 901820', '(555) 010-0199 ext. 12'])('may be the phone number %s', async (phone) => {
    const { call } = await app.tenant();
    const values = { lastName: 'A', phone };
    expect(await call('POST', '/api/crm/contacts', values)).toMatchObject({ status: 201, body: values });
  });

  it('never reaches a column that is no field', async () => {
    const { call } = await app.tenant();
    const { body: lead } = await call('POST', '/api/crm/leads', { lastName: 'A' });
    for (const name of ['version', 'createdAt', 'tenant_id', 'search_text', '__proto__x']) {
      expect((await call('PATCH', `/api/crm/leads/${lead.id}`, { [name]: 'x' })).status).toBe(422);
    }
  });
});

describe('a reference', () => {
  it('has to name a record of the tenant', async () => {
    const own = await app.tenant();
    const other = await app.tenant();
    const { body: foreign } = await other.call('POST', '/api/crm/companies', { name: 'Foreign' });
    const { status, body } = await own.call<Problem>('POST', '/api/crm/opportunities', {
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
    expect(await app.events(own.tenantId)).toEqual([]);
  });

  it('of a task may name a record of any other standard object', async () => {
    const { call } = await app.tenant();
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
    const { call, tenantId } = await app.tenant();
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
    const { call, tenantId } = await app.tenant();
    const { body: lead } = await call('POST', '/api/crm/leads', { lastName: 'A', status: 'new' });
    const { body: changed } = await call('PATCH', `/api/crm/leads/${lead.id}`, { status: 'won over', source: 'web' });
    await call('DELETE', `/api/crm/leads/${lead.id}`);
    expect(await app.events(tenantId)).toEqual([
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
    const { call, tenantId } = await app.tenant();
    const { body } = await call('POST', `/api/crm/${path}`, values);
    await call('PATCH', `/api/crm/${path}/${body.id}`, change);
    expect((await app.events(tenantId)).map(({ name }) => name)).toEqual(names);
  });
});
