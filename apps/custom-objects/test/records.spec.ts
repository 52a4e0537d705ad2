import { randomUUID } from 'node:crypto';
import type { ValidationRule } from '@crm/fields';
import { testTokens } from '@crm/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { DeclaredObject } from '../src/object/object-definition.js';
import { DeletedRecordSweeper } from '../src/writing/deleted-record.sweeper.js';
import { app, call, RECORDS, type Tenant, useCustomObjects } from './custom-objects-service.js';

useCustomObjects();

let tenant: Tenant;
beforeAll(async () => {
  tenant = await app.tenant();
});

const create = (body: object) => app.create(RECORDS, tenant.admin, body);
/** In order. */
const eventNames = async ({ id }: Tenant) => (await app.events(id)).map(({ name }) => name);

it('a deleted record is removed for good after thirty days, and no other', async () => {
  const own = await app.tenant();
  const [kept, recent, old] = await Promise.all(
    ['Kept', 'Recent', 'Old'].map((title) => app.create(RECORDS, own.admin, { title })),
  );
  for (const [id, days] of Object.entries({ [String(recent?.id)]: 29, [String(old?.id)]: 31 })) {
    await call('DELETE', `${RECORDS}/${id}`, own.admin);
    const past = 'UPDATE custom_record SET deleted_at = now() - make_interval(days => $2) WHERE id = $1';
    await app.admin.query(past, [id, days]);
  }
  // More than one transaction removes, some of them deleted at the same time.
  await app.admin.query(
    `INSERT INTO custom_record (tenant_id, object_id, id, version, data, created_at, updated_at, deleted_at)
     SELECT $1, $1, gen_random_uuid(), 1, '{}', now(), now(), now() - make_interval(days => 40 + n / 900) FROM generate_series(1, 2500) AS n`,
    [own.id],
  );
  await app.service.get(DeletedRecordSweeper).sweep();
  const { rows } = await app.admin.query('SELECT id FROM custom_record WHERE tenant_id = $1', [own.id]);
  expect(rows.map(({ id }) => id).sort()).toEqual([kept?.id, recent?.id].sort());
});

describe('a record of a custom object', () => {
  it('is created, read, changed and deleted', async () => {
    const created = await create({ title: 'Roof', hours: 3, rate: 50 });
    const computed = { total: 150, doubled: 6, stage: 'planned', code: null };
    expect(created).toMatchObject({ version: 1, title: 'Roof', hours: 3, rate: 50, ...computed });

    const changed = await call('PATCH', `${RECORDS}/${created.id}`, tenant.admin, { hours: 4 });
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({ version: 2, hours: 4, total: 200, title: 'Roof' });
    // Version and revision; a formula of the object reads the date, so date and zone are part of the tag too.
    expect(changed.headers.get('etag')).toMatch(/^"2\.1\.\d{4}-\d{2}-\d{2}\.Europe\/Berlin"$/);

    expect((await call('DELETE', `${RECORDS}/${created.id}`, tenant.admin)).status).toBe(204);
    for (const method of ['GET', 'DELETE']) {
      expect((await call(method, `${RECORDS}/${created.id}`, tenant.admin)).status).toBe(404);
    }
  });

  it('keeps every text and number as it is, read alone and in a list', async () => {
    const { admin } = await app.tenant();
    for (const title of ['"', '\\', '\\"', 'a", "2": "b', '{[', 'é𝄞', '\\u0041']) {
      const { id } = await app.create(RECORDS, admin, { title, hours: 1e-7, rate: 999999999999999 });
      const { body: alone } = await call('GET', `${RECORDS}/${id}`, admin);
      const { body: list } = await call('GET', `${RECORDS}?size=1`, admin);
      for (const read of [alone, list.data?.[0]])
        expect(read).toMatchObject({ title, hours: 1e-7, rate: 999999999999999 });
    }
  });

  it('is judged as a whole: every problem of a body is reported, with a pointer', async () => {
    const wrong = { hours: -1, stage: 'unknown', total: 5, parent: 'no-id' };
    // No fields: members of the view, columns, and what objects inherit.
    const unknown = { nonsense: 1, id: randomUUID(), tenant_id: 'x', search_text: 'x', constructor: 1, toString: 2 };
    const { status, body } = await call('POST', RECORDS, tenant.admin, { ...wrong, ...unknown });
    expect([status, body.code]).toEqual([422, 'VALIDATION_FAILED']);
    const names = ['title', ...Object.keys(wrong), ...Object.keys(unknown)];
    expect(body.errors?.map(({ pointer }) => pointer).sort()).toEqual(names.map((name) => `/${name}`).sort());
    for (const error of body.errors ?? []) {
      expect(error).toMatchObject({ code: expect.stringMatching(/^[A-Z_]+$/), detail: expect.any(String) });
    }
    const { id } = await create({ title: 'x' });
    for (const name of ['version', 'createdAt', '__proto__x']) {
      expect((await call('PATCH', `${RECORDS}/${id}`, tenant.admin, { [name]: 'x' })).status).toBe(422);
    }
  });

  it('is refused when it is no object, and not found by what is no id', async () => {
    for (const body of [[], 'text', 7, null]) {
      expect((await call('POST', RECORDS, tenant.admin, body)).status).toBe(400);
    }
    expect((await call('GET', `${RECORDS}/not-an-id`, tenant.admin)).status).toBe(404);
  });

  it('of another tenant is not found by reading, changing, deleting or listing', async () => {
    const created = await create({ title: 'Mine' });
    const stranger = await app.tenant();
    const path = `${RECORDS}/${created.id}`;
    for (const [method, body] of [['GET'], ['PATCH', { title: 'Yours' }], ['DELETE']] as const) {
      const answer = await call(method, path, stranger.admin, body);
      expect(answer).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    }
    expect((await call('GET', RECORDS, stranger.admin)).body.data).toEqual([]);
    expect((await call('GET', path, tenant.admin)).body).toEqual(created);
    const nowhere = await app.tenant('business', []);
    expect((await call('GET', RECORDS, nowhere.admin)).status).toBe(404);
  });

  it('of another tenant is neither listed nor found by search where both have the object, a standard one', async () => {
    const lead = await app.create('/api/crm/leads', tenant.admin, { lastName: 'Quillfeather' });
    const stranger = await app.tenant();
    for (const query of ['', '?q=quillfeather']) {
      expect((await call('GET', `/api/crm/leads${query}`, tenant.admin)).body.data).toEqual([lead]);
      expect((await call('GET', `/api/crm/leads${query}`, stranger.admin)).body.data).toEqual([]);
    }
  });

  it('keeps the value of a unique field to itself under concurrent writes, and the conflict does not name it', async () => {
    const code = `C-${randomUUID()}`;
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => call('POST', RECORDS, tenant.admin, { title: `${index}`, code })),
    );
    const statuses = answers.map((answer) => answer.status).sort();
    expect(statuses).toEqual([201, 409, 409, 409, 409, 409, 409, 409]);
    const conflict = answers.find((answer) => answer.status === 409);
    expect(conflict?.body.code).toBe('UNIQUE_VIOLATION');
    expect(JSON.stringify(conflict?.body)).not.toContain(code);
  });

  it('releases a unique value when it changes or is deleted', async () => {
    const first = await create({ title: 'one', code: 'K1' });
    await call('PATCH', `${RECORDS}/${first.id}`, tenant.admin, { code: 'K2' });
    const second = await create({ title: 'two', code: 'K1' });
    await call('DELETE', `${RECORDS}/${second.id}`, tenant.admin);
    await create({ title: 'three', code: 'K1' });
    expect((await call('POST', RECORDS, tenant.admin, { title: 'four', code: 'k2' })).status).toBe(409);
  });

  it('is not changed or deleted on the basis of an older version', async () => {
    const created = await create({ title: 'v' });
    const path = `${RECORDS}/${created.id}`;
    const change = (hours: number, tag: string) => call('PATCH', path, tenant.admin, { hours }, { 'if-match': tag });
    expect((await change(1, '"1"')).status).toBe(200);
    const stale = await change(2, '"1"');
    expect([stale.status, stale.body.code]).toEqual([412, 'VERSION_MISMATCH']);
    expect((await call('DELETE', path, tenant.admin, undefined, { 'if-match': '"1"' })).status).toBe(412);
    expect((await change(2, 'garbage')).status).toBe(400);
  });
});

describe('field security', () => {
  it('leaves out fields that the role cannot read, and formulas that use them', async () => {
    const created = await create({ title: 'Secret rate', hours: 2, rate: 99 });
    const { body } = await call('GET', `${RECORDS}/${created.id}`, tenant.member);
    expect(body).toMatchObject({ title: 'Secret rate', doubled: 4 });
    for (const record of [body, ...(await call('GET', RECORDS, tenant.member)).body.data]) {
      expect(record).not.toHaveProperty('rate');
      expect(record).not.toHaveProperty('total');
    }
  });

  it('refuses a write to a field that the role cannot write, whatever else is wrong', async () => {
    const answer = await call('POST', RECORDS, tenant.member, { title: 'x', rate: 'not even a number' });
    expect(answer.status).toBe(403);
    expect(answer.body).toMatchObject({ code: 'FIELD_ACCESS_DENIED', errors: [{ pointer: '/rate' }] });
    const created = await create({ title: 'y' });
    expect((await call('PATCH', `${RECORDS}/${created.id}`, tenant.member, { rate: null })).status).toBe(403);
  });

  it('answers a filter by an unreadable field like a filter by an unknown field', async () => {
    const names = ['rate', 'total', 'nowhere'];
    const answers = await Promise.all(
      names.map((name) => call('GET', `${RECORDS}?filterField=${name}&filterValue=1`, tenant.member)),
    );
    for (const answer of answers) expect(answer.status).toBe(400);
    const details = answers.map(({ body }, index) => String(body.detail).replace(names[index] as string, 'F'));
    expect(new Set(details).size).toBe(1);
  });

  it('follows a changed definition at once, also where the old one was in use', async () => {
    const changing = await app.tenant();
    const created = await app.create(RECORDS, changing.admin, { title: 'Open', hours: 1 });
    const path = `${RECORDS}/${created.id}`;
    expect((await changing.call('GET', path)).body).toHaveProperty('hours', 1);
    await app.redefine(changing.id, `definition || '{"readRoles": ["admin"]}' WHERE api_name = 'hours'`);
    const { body } = await changing.call('GET', path);
    expect(body).not.toHaveProperty('hours');
    expect(body).not.toHaveProperty('doubled');
    expect((await changing.call('GET', `${RECORDS}?filterField=hours&filterValue=1`)).status).toBe(400);
    expect((await call('GET', path, changing.admin)).body).toMatchObject({ hours: 1, doubled: 2 });
  });

  it('refuses nothing by a definition that has changed, in a filter or in a body', async () => {
    const changing = await app.tenant();
    const { id } = await app.create(RECORDS, changing.admin, { title: 'Opened', rate: 5 });
    const filtered = `${RECORDS}?filterField=rate&filterValue=5`;
    expect((await changing.call('GET', filtered)).status).toBe(400);
    await app.redefine(changing.id, `definition - 'readRoles' - 'writeRoles' WHERE api_name = 'rate'`);
    expect((await changing.call('GET', filtered)).body.data).toMatchObject([{ id, rate: 5 }]);
    const other = await app.tenant();
    expect((await other.call('POST', RECORDS, { title: 'Closed', rate: 5 })).status).toBe(403);
    await app.redefine(other.id, `definition - 'writeRoles' WHERE api_name = 'rate'`);
    expect((await other.call('POST', RECORDS, { title: 'Opened', rate: 5 })).status).toBe(201);
  });

  it('does not reveal whether a value written to an unreadable field is the one it had', async () => {
    const answers = await Promise.all(
      ['the value', 'another'].map(async (guess) => {
        const { id } = await create({ title: 'Guess', remark: 'the value' });
        const { body, headers } = await call('PATCH', `${RECORDS}/${id}`, tenant.member, { remark: guess });
        return { version: body.version, etag: headers.get('etag'), isNewer: body.updatedAt !== body.createdAt };
      }),
    );
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]).toMatchObject({ version: 2 });
  });
});

const hidden = { readRoles: ['admin'] };
const UP_TO_77: ValidationRule = { type: 'max', value: 77, message: 'Secret message' };

/** An object with fields that members write and do not read. Certification refuses the unique one. */
const VISIT: DeclaredObject = {
  apiName: 'site_visit',
  fields: [
    { apiName: 'title', type: 'text', is_unique: true },
    { apiName: 'badge', type: 'text', is_unique: true, ...hidden },
    { apiName: 'stage', type: 'picklist', options: ['secret_stage'], ...hidden },
    { apiName: 'tags', type: 'multi_select', options: ['secret_tag'], ...hidden },
    { apiName: 'score', label: 'Secret score', type: 'number', validationRules: [UP_TO_77], ...hidden },
    { apiName: 'pin', type: 'text', validationRules: [{ type: 'regex', value: '^77$' }], ...hidden },
    { apiName: 'lead', label: 'Secret lead', type: 'reference', referenceTarget: 'lead', ...hidden },
    { apiName: 'parent', label: 'Secret parent', type: 'reference', referenceTarget: 'custom:site_visit', ...hidden },
  ],
};

describe('a field that the caller cannot read', () => {
  let tenant: Tenant;
  beforeAll(async () => {
    tenant = await app.tenant('business', [VISIT]);
  });

  it('does not reveal a guessed unique value by a conflict, alone or beside another one', async () => {
    const title = randomUUID();
    expect((await call('POST', RECORDS, tenant.admin, { title, badge: 'B-7' })).status).toBe(201);
    const answers = await Promise.all(
      ['B-7', 'B-8'].flatMap((badge) => [
        tenant.call('POST', RECORDS, { title, badge }),
        tenant.call('POST', RECORDS, { title: randomUUID(), badge }),
      ]),
    );
    for (const { status, body } of answers) {
      expect([status, body.code]).toEqual([403, 'FIELD_ACCESS_DENIED']);
      expect(body.errors).toEqual([expect.objectContaining({ pointer: '/badge' })]);
    }
    const { body: mine } = await tenant.call('POST', RECORDS, { title: randomUUID() });
    for (const badge of ['B-7', 'B-8', null]) {
      expect((await tenant.call('PATCH', `${RECORDS}/${mine.id}`, { badge })).status).toBe(403);
    }
    const { body: definition } = await tenant.call('GET', '/api/crm/custom/site_visit');
    expect(JSON.stringify(definition)).not.toContain('badge');
  });

  it('does not reveal the default of a unique field by a conflict', async () => {
    const withDefault: DeclaredObject = {
      apiName: 'site_visit',
      fields: [
        { apiName: 'title', type: 'text' },
        { apiName: 'badge', type: 'text', is_unique: true, default: 'first', writeRoles: ['admin'], ...hidden },
      ],
    };
    const other = await app.tenant('business', [withDefault]);
    const statuses = [];
    for (const token of [other.member, other.admin, other.member, other.admin]) {
      statuses.push((await call('POST', RECORDS, token, { title: 'x' })).status);
    }
    expect(statuses).toEqual([403, 201, 403, 409]);
  });

  it.each([
    ['stage', 'guess', 'NOT_AN_OPTION'],
    ['tags', ['guess'], 'NOT_AN_OPTION'],
    ['score', 78, 'ABOVE_MAX'],
    ['pin', '78', 'PATTERN_MISMATCH'],
    ['lead', randomUUID(), 'REFERENCE_NOT_FOUND'],
    ['parent', randomUUID(), 'REFERENCE_NOT_FOUND'],
  ])('shows neither options, limits nor texts of its author when %s is refused', async (name, value, code) => {
    const body = { title: randomUUID(), [name]: value };
    const refused = await tenant.call('POST', RECORDS, body);
    expect(refused.status).toBe(422);
    expect(refused.body.errors).toEqual([
      { pointer: expect.stringMatching(`^/${name}`), code, detail: expect.stringMatching(/^\w/) },
    ]);
    expect(JSON.stringify(refused.body.errors)).not.toMatch(/secret|77/i);
    if (code === 'REFERENCE_NOT_FOUND') return;
    // Anyone who reads the field learns what would be accepted.
    const shown = await call('POST', RECORDS, tenant.admin, body);
    expect(JSON.stringify(shown.body.errors)).toMatch(/secret|77/i);
  });

  it('is part of a new entity tag when a new definition takes it away', async () => {
    const { body } = await tenant.call('POST', RECORDS, { title: randomUUID() });
    const tag = async () => (await tenant.call('GET', `${RECORDS}/${body.id}`)).headers.get('etag');
    const before = await tag();
    await app.redefine(tenant.id, 'definition');
    expect(await tag()).not.toBe(before);
  });
});

/** A tenant that has standard objects only. */
const standard = () => app.tenant('business', []);

const ADDRESS = { street: null, postalCode: null, city: null, region: null, country: null };
const UNCONVERTED = { convertedContactId: null, convertedCompanyId: null, convertedOpportunityId: null };

describe('a record of a standard object', () => {
  it.each([
    [
      'leads',
      { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.org', phone: '+44 20 7946 0000' },
      {
        ...{ companyName: null, status: null, source: null, ownerId: null },
        ...{ jobTitle: null, website: null, ...ADDRESS, description: null, ...UNCONVERTED },
      },
    ],
    [
      'contacts',
      { lastName: 'A', phone: '030 901820' },
      { firstName: null, email: null, companyId: null, ownerId: null, jobTitle: null, ...ADDRESS, description: null },
    ],
    [
      'companies',
      { name: 'A', website: 'https://example.org/a', phone: '(555) 010-0199 ext. 12', employees: 12 },
      { ownerId: null, industry: null, ...ADDRESS, description: null },
    ],
    [
      'opportunities',
      { name: 'A', amount: 12.5, currency: 'EUR', closeDate: '2026-03-01' },
      { status: 'open', stage: null, companyId: null, contactId: null, ownerId: null, description: null },
    ],
    [
      'tasks',
      { title: 'A', dueAt: '2026-03-01T10:00:00Z', description: 'one\ntwo' },
      { status: 'open', assigneeId: null, relatedTo: null, priority: null },
    ],
  ])(
    'of %s has every field, null where none was given, and is read back as it was written',
    async (path, ...fields) => {
      const { call } = await standard();
      const { status, body, headers } = await call('POST', `/api/crm/${path}`, fields[0]);
      expect([status, headers.get('etag')]).toEqual([201, '"1.0"']);
      const id = expect.stringMatching(/^[0-9a-f-]{36}$/);
      const createdAt = expect.stringMatching(/\.\d{3}Z$/);
      expect(body).toEqual(Object.assign({ id, version: 1, createdAt, updatedAt: body.createdAt }, ...fields));
      const read = await call('GET', `/api/crm/${path}/${body.id}`);
      expect([read.status, read.headers.get('etag'), read.body]).toEqual([200, '"1.0"', body]);
    },
  );

  it.each([
    ['opportunities', { name: 'A', status: 'maybe' }, '/status'],
    ['opportunities', { name: 'A', status: null }, '/status'],
    ['opportunities', { name: 'A', amount: '12' }, '/amount'],
    ['opportunities', { name: 'A', closeDate: '2026-02-30' }, '/closeDate'],
    ['opportunities', { name: 'A', currency: 'EURO' }, '/currency'],
    ['opportunities', { name: 'A', currency: 'eur' }, '/currency'],
    ['opportunities', { name: 'A', currency: 'XQQ' }, '/currency'],
    ['companies', { name: 'A', website: 'javascript:alert(1)' }, '/website'],
    ['companies', { name: '' }, '/name'],
    ['companies', { name: null }, '/name'],
    ['tasks', { title: 'A', dueAt: 'tomorrow' }, '/dueAt'],
    ['leads', { lastName: 'A', firstName: 'x'.repeat(121) }, '/firstName'],
    ['leads', { lastName: 'A', email: 'not an address' }, '/email'],
    ['leads', { lastName: 'A', ownerId: '17' }, '/ownerId'],
    ['contacts', { lastName: 7 }, '/lastName'],
    ['contacts', { lastName: 'A', phone: 'call me' }, '/phone'],
  ])('of %s is refused with %j', async (path, values, pointer) => {
    const { status, body } = await (await standard()).call('POST', `/api/crm/${path}`, values);
    expect(status).toBe(422);
    expect(body.errors?.map((error) => error.pointer)).toEqual([pointer]);
  });

  it('names users of the workspace alone as owner and assignee, and keeps one who has gone', async () => {
    const own = await standard();
    const [user, stranger, self] = [randomUUID(), randomUUID(), randomUUID()];
    app.users.set(own.id, new Set([user]));
    app.users.set((await standard()).id, new Set([stranger]));
    const write = async (method: string, path: string, values: object, token = own.member) => {
      const { status, body } = await app.call(method, `/api/crm/${path}`, token, values);
      return { status, body, problems: body.errors?.map(({ pointer, code }) => `${pointer} ${code}`) };
    };
    for (const [path, values, pointer] of [
      ['leads', { lastName: 'A', ownerId: stranger }, '/ownerId'],
      ['tasks', { title: 'A', assigneeId: randomUUID() }, '/assigneeId'],
    ] as const) {
      const refused = { status: 422, problems: [`${pointer} REFERENCE_NOT_FOUND`] };
      expect(await write('POST', path, values)).toMatchObject(refused);
    }
    const { body: lead } = await write('POST', 'leads', { lastName: 'A', ownerId: user.toUpperCase() });
    expect(lead).toMatchObject({ ownerId: user });
    const { body: task } = await write('POST', 'tasks', { title: 'A', assigneeId: user });
    // Known for a while, and the caller needs no asking.
    expect(app.askedUsers.filter((id) => id === user)).toHaveLength(1);
    const token = await app.userToken(own.id, self);
    expect(await write('PATCH', `tasks/${task.id}`, { assigneeId: self }, token)).toMatchObject({ status: 200 });
    expect(app.askedUsers).not.toContain(self);
    expect(await write('PATCH', `tasks/${task.id}`, { title: 'B', assigneeId: self })).toMatchObject({ status: 200 });
    expect(await write('PATCH', `leads/${lead.id}`, { ownerId: self })).toMatchObject({ status: 422 });
    expect((await own.call('GET', `/api/crm/tasks/${task.id}`)).body).toMatchObject({ title: 'B', assigneeId: self });
  });

  it('keeps its version, and has no event, when nothing differs', async () => {
    const own = await standard();
    const { body: lead } = await own.call('POST', '/api/crm/leads', { lastName: 'Hopper' });
    const { body } = await own.call('PATCH', `/api/crm/leads/${lead.id}`, { lastName: 'Hopper', email: null });
    expect(body).toEqual(lead);
    expect(await eventNames(own)).toEqual(['lead.created']);
  });

  it('has events that tell what was created, changed and deleted', async () => {
    const { call, id: tenantId } = await standard();
    const { body: lead } = await call('POST', '/api/crm/leads', { lastName: 'A', source: 'fair' });
    const changes = { status: 'qualified', source: null };
    const { status, body: changed, headers } = await call('PATCH', `/api/crm/leads/${lead.id}`, changes);
    expect([status, headers.get('etag')]).toEqual([200, '"2.0"']);
    expect(changed).toEqual({ ...lead, ...changes, version: 2, updatedAt: changed.updatedAt });
    expect(new Date(changed.updatedAt) >= new Date(lead.updatedAt)).toBe(true);
    await call('DELETE', `/api/crm/leads/${lead.id}`);
    const events = await app.events(tenantId);
    expect(events.map(({ name, subject, version, data }) => ({ name, subject, version, data }))).toEqual([
      { name: 'lead.created', subject: lead.id, version: 1, data: { record: lead } },
      {
        name: 'lead.updated',
        subject: lead.id,
        version: 2,
        data: { record: changed, changed: ['status', 'source'], previous: { status: null, source: 'fair' } },
      },
      { name: 'lead.deleted', subject: lead.id, version: 3, data: { record: changed } },
    ]);
  });

  it.each([
    ['opportunities', { name: 'A' }, { status: 'won' }, 'deal.created deal.updated deal.won'],
    ['opportunities', { name: 'A' }, { status: 'lost' }, 'deal.created deal.updated deal.lost'],
    ['opportunities', { name: 'A', status: 'won' }, { amount: 1 }, 'deal.created deal.won deal.updated'],
    ['opportunities', { name: 'A' }, { stage: 'won' }, 'deal.created deal.updated deal.won'],
    ['opportunities', { name: 'A', stage: 'lost' }, { stage: 'proposal' }, 'deal.created deal.lost deal.updated'],
    ['tasks', { title: 'A' }, { status: 'completed' }, 'task.created task.updated task.completed'],
    ['tasks', { title: 'A', status: 'completed' }, { status: 'open' }, 'task.created task.completed task.updated'],
  ])('of %s, %j, changed by %j has the events %s', async (path, values, change, names) => {
    const own = await standard();
    const { body } = await own.call('POST', `/api/crm/${path}`, values);
    await own.call('PATCH', `/api/crm/${path}/${body.id}`, change);
    expect((await eventNames(own)).join(' ')).toBe(names);
  });

  it('is described by the OpenAPI document', async () => {
    type Document = { paths: { [path: string]: { [method: string]: unknown } } };
    const { body } = await app.service.request<Document>('GET', '/api/openapi.json');
    const properties = { lastName: { type: 'string', maxLength: 120 }, companyId: { type: ['string', 'null'] } };
    expect(body.paths['/api/crm/contacts']?.post).toMatchObject({
      requestBody: { content: { 'application/json': { schema: { properties, required: ['lastName'] } } } },
      responses: { 201: { content: { 'application/json': { schema: { properties } } } } },
    });
    expect(Object.keys(body.paths)).toEqual(expect.arrayContaining(['/api/crm/leads/{id}', '/api/crm/opportunities']));
  });
});

describe('a record created with an Idempotency-Key', () => {
  const createBy = (token: string, key: string, body: object, path = RECORDS) =>
    call('POST', path, token, body, { 'idempotency-key': key });
  const countOf = async (title: string) =>
    (await call('GET', `${RECORDS}?filterField=title&filterValue=${title}`, tenant.admin)).body.total;

  it('is created once, and a repetition returns it in its present state', async () => {
    const title = randomUUID();
    const first = await createBy(tenant.admin, 'k1', { title, hours: 2 });
    expect(first.status).toBe(201);
    await call('PATCH', `${RECORDS}/${first.body.id}`, tenant.admin, { hours: 3 });
    const again = await createBy(tenant.admin, 'k1', { hours: 2, title });
    expect(again).toMatchObject({ status: 201, body: { id: first.body.id, version: 2, hours: 3 } });
    expect(again.headers.get('etag')).toMatch(/^"2\./);
    expect(await countOf(title)).toBe(1);
  });

  it('is refused with another body; another user, object or tenant can use the same key', async () => {
    const title = 'A';
    const first = await createBy(tenant.admin, 'k2', { title });
    const other = await createBy(tenant.admin, 'k2', { title: 'B' });
    expect([other.status, other.body.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    const { admin } = await app.tenant();
    const others = await Promise.all([
      createBy(tenant.member, 'k2', { title }),
      createBy(tenant.admin, 'k2', { title }, '/api/crm/tasks'),
      createBy(admin, 'k2', { title }),
    ]);
    expect(others.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set([first, ...others].map(({ body }) => body.id)).size).toBe(4);
  });

  it('is created once by concurrent calls, also with a unique value', async () => {
    const body = { title: randomUUID(), code: randomUUID() };
    const answers = await Promise.all(Array.from({ length: 6 }, () => createBy(tenant.admin, 'k3', body)));
    const created = answers.filter(({ status }) => status === 201);
    expect(new Set(created.map((answer) => answer.body.id)).size).toBe(1);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expect([answer.status, answer.body.code]).toEqual([409, 'IDEMPOTENCY_KEY_IN_USE']);
    }
    expect(await countOf(body.title)).toBe(1);
  });

  it('is found again after the record that it refers to was deleted', async () => {
    const parent = await create({ title: 'Parent' });
    const body = { title: 'Child', parent: parent.id };
    const first = await createBy(tenant.admin, 'k4', body);
    await call('DELETE', `${RECORDS}/${parent.id}`, tenant.admin);
    expect(await createBy(tenant.admin, 'k4', body)).toMatchObject({ status: 201, body: { id: first.body.id } });
  });

  it('is shown with the present rights of the caller', async () => {
    const userId = randomUUID();
    const sign = (role: string) => testTokens().sign({ tid: tenant.id, sub: userId, roles: [role] });
    const body = { title: 'Rated', rate: 9 };
    expect((await createBy(await sign('admin'), 'k5', body)).body).toHaveProperty('rate', 9);
    const again = await createBy(await sign('member'), 'k5', body);
    expect(again.status).toBe(201);
    expect(again.body).not.toHaveProperty('rate');
    expect((await createBy(await sign('viewer'), 'k5', body)).status).toBe(403);
  });

  it('is not found after it was deleted', async () => {
    const first = await createBy(tenant.admin, 'k6', { title: 'Short-lived' });
    await call('DELETE', `${RECORDS}/${first.body.id}`, tenant.admin);
    expect((await createBy(tenant.admin, 'k6', { title: 'Short-lived' })).status).toBe(404);
  });

  it('is refused with a key that is none', async () => {
    const answer = await createBy(tenant.admin, 'two words', { title: 'x' });
    expect([answer.status, answer.body.code]).toEqual([400, 'MALFORMED_REQUEST']);
  });
});
