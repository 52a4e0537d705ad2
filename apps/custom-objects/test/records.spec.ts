import { randomUUID } from 'node:crypto';
import { testTokens } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DeclaredObject } from '../src/object/object-definition.js';
import { type CustomObjectsService, RECORDS, startCustomObjects, type Tenant } from './custom-objects-service.js';

let app: CustomObjectsService;
let tenant: Tenant;
beforeAll(async () => {
  app = await startCustomObjects();
  tenant = await app.tenant();
});
afterAll(() => app?.close());

const call: CustomObjectsService['call'] = (...request) => app.call(...request);
const create = (body: object) => app.create(RECORDS, tenant.admin, body);

describe('a record of a custom object', () => {
  it('is created, read, changed and deleted', async () => {
    const created = await create({ title: 'Roof', hours: 3, rate: 50 });
    expect(created).toMatchObject({
      version: 1,
      title: 'Roof',
      hours: 3,
      rate: 50,
      total: 150,
      doubled: 6,
      stage: 'planned',
    });
    expect(created.code).toBeNull();

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

  describe('field security', () => {
    it('leaves out fields that the role cannot read, and formulas that use them', async () => {
      const created = await create({ title: 'Secret rate', hours: 2, rate: 99 });
      const { body } = await call('GET', `${RECORDS}/${created.id}`, tenant.member);
      expect(body).toMatchObject({ title: 'Secret rate', doubled: 4 });
      expect(body).not.toHaveProperty('rate');
      expect(body).not.toHaveProperty('total');
      const list = await call('GET', RECORDS, tenant.member);
      for (const record of list.body.data) expect(record).not.toHaveProperty('rate');
    });

    it('refuses a write to a field that the role cannot write, whatever else is wrong', async () => {
      const answer = await call('POST', RECORDS, tenant.member, { title: 'x', rate: 'not even a number' });
      expect(answer.status).toBe(403);
      expect(answer.body).toMatchObject({ code: 'FIELD_ACCESS_DENIED', errors: [{ pointer: '/rate' }] });
      const created = await create({ title: 'y' });
      const patched = await call('PATCH', `${RECORDS}/${created.id}`, tenant.member, { rate: null });
      expect(patched.status).toBe(403);
    });

    it('answers a filter by an unreadable field like a filter by an unknown field', async () => {
      const answers = await Promise.all(
        ['rate', 'total', 'nowhere'].map((name) =>
          call('GET', `${RECORDS}?filterField=${name}&filterValue=1`, tenant.member),
        ),
      );
      for (const answer of answers) expect(answer.status).toBe(400);
      const details = answers.map((answer, index) =>
        String(answer.body.detail).replace(['rate', 'total', 'nowhere'][index] as string, 'F'),
      );
      expect(new Set(details).size).toBe(1);
    });

    it('follows a changed definition at once, also where the old one was in use', async () => {
      const changing = await app.tenant();
      const created = (await call('POST', RECORDS, changing.admin, { title: 'Open', hours: 1 })).body;
      const path = `${RECORDS}/${created.id}`;
      expect((await call('GET', path, changing.member)).body).toHaveProperty('hours', 1);
      await app.redefine(changing.id, `definition || '{"readRoles": ["admin"]}' WHERE api_name = 'hours'`);
      const { body } = await call('GET', path, changing.member);
      expect(body).not.toHaveProperty('hours');
      expect(body).not.toHaveProperty('doubled');
      expect((await call('GET', `${RECORDS}?filterField=hours&filterValue=1`, changing.member)).status).toBe(400);
      expect((await call('GET', path, changing.admin)).body).toMatchObject({ hours: 1, doubled: 2 });
    });

    it('refuses nothing by a definition that has changed, in a filter or in a body', async () => {
      const changing = await app.tenant();
      const { id } = (await call('POST', RECORDS, changing.admin, { title: 'Opened', rate: 5 })).body;
      const filtered = `${RECORDS}?filterField=rate&filterValue=5`;
      expect((await call('GET', filtered, changing.member)).status).toBe(400);
      await app.redefine(changing.id, `definition - 'readRoles' - 'writeRoles' WHERE api_name = 'rate'`);
      expect((await call('GET', filtered, changing.member)).body.data).toMatchObject([{ id, rate: 5 }]);
      const other = await app.tenant();
      expect((await call('POST', RECORDS, other.member, { title: 'Closed', rate: 5 })).status).toBe(403);
      await app.redefine(other.id, `definition - 'writeRoles' WHERE api_name = 'rate'`);
      expect((await call('POST', RECORDS, other.member, { title: 'Opened', rate: 5 })).status).toBe(201);
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

    it('compares role names exactly: an owner is not an admin', async () => {
      const created = await create({ title: 'Exact', rate: 1 });
      const owner = await tenant.sign({ roles: ['owner'] });
      expect((await call('GET', `${RECORDS}/${created.id}`, owner)).body).not.toHaveProperty('rate');
    });
  });

  it('reports all problems of a body at once, with pointers', async () => {
    const answer = await call('POST', RECORDS, tenant.admin, {
      hours: -1,
      stage: 'unknown',
      total: 5,
      nonsense: 1,
      parent: 'no-id',
    });
    expect(answer.status).toBe(422);
    expect(answer.body.code).toBe('VALIDATION_FAILED');
    const pointers = (answer.body.errors ?? []).map((problem) => problem.pointer).sort();
    expect(pointers).toEqual(['/hours', '/nonsense', '/parent', '/stage', '/title', '/total']);
  });

  describe('unique fields', () => {
    it('stay unique under concurrent writes, and the conflict does not name the value', async () => {
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

    it('release a value when it changes or the record is deleted', async () => {
      const first = await create({ title: 'one', code: 'K1' });
      await call('PATCH', `${RECORDS}/${first.id}`, tenant.admin, { code: 'K2' });
      const second = await create({ title: 'two', code: 'K1' });
      await call('DELETE', `${RECORDS}/${second.id}`, tenant.admin);
      await create({ title: 'three', code: 'K1' });
      expect((await call('POST', RECORDS, tenant.admin, { title: 'four', code: 'k2' })).status).toBe(409);
    });
  });

  describe('versions', () => {
    it('refuse a change that is based on an older version', async () => {
      const created = await create({ title: 'v' });
      const path = `${RECORDS}/${created.id}`;
      expect((await call('PATCH', path, tenant.admin, { hours: 1 }, { 'if-match': '"1"' })).status).toBe(200);
      const stale = await call('PATCH', path, tenant.admin, { hours: 2 }, { 'if-match': '"1"' });
      expect([stale.status, stale.body.code]).toEqual([412, 'VERSION_MISMATCH']);
      expect((await call('DELETE', path, tenant.admin, undefined, { 'if-match': '"1"' })).status).toBe(412);
      expect((await call('PATCH', path, tenant.admin, { hours: 2 }, { 'if-match': 'garbage' })).status).toBe(400);
    });

    it('count every one of several concurrent changes', async () => {
      const created = await create({ title: 'many' });
      await Promise.all(
        Array.from({ length: 10 }, (_, hours) =>
          call('PATCH', `${RECORDS}/${created.id}`, tenant.admin, { hours: hours + 1 }),
        ),
      );
      const { body } = await call('GET', `${RECORDS}/${created.id}`, tenant.admin);
      expect(body.version).toBe(11);
    });
  });

  describe('a list', () => {
    let other: Tenant;
    beforeAll(async () => {
      other = await app.tenant();
      for (let index = 0; index < 7; index += 1) {
        const body = {
          title: `Väter ${index}%`,
          hours: index,
          stage: index < 3 ? 'done' : 'planned',
          tags: index % 2 ? ['b', 'a'] : [],
          visited_on: '2026-02-28',
        };
        expect((await call('POST', RECORDS, other.admin, body)).status).toBe(201);
      }
    });

    it('computes a formula that is too large for a query, and refuses a filter by it', async () => {
      const doubling = Array.from({ length: 11 }, (_, step) => ({
        apiName: `f${step}`,
        type: 'formula' as const,
        expression: step === 0 ? 'n' : `f${step - 1} + f${step - 1}`,
      }));
      const large = await app.tenant('business', [
        { apiName: 'site_visit', label: 'Visit', fields: [{ apiName: 'n', type: 'number' }, ...doubling] },
      ]);
      expect((await call('POST', RECORDS, large.member, { n: 1 })).body).toMatchObject({ f10: 1024 });
      expect((await call('GET', `${RECORDS}?filterField=f8&filterValue=256`, large.member)).body.total).toBe(1);
      const refused = await call('GET', `${RECORDS}?filterField=f10&filterValue=1024`, large.member);
      expect([refused.status, refused.body.code]).toEqual([400, 'INVALID_QUERY']);
      expect(refused.body.detail).toContain('more than 4000 nodes');
    });

    it.each([
      ['filterField=stage&filterValue=done', 3],
      ['filterField=hours&filterValue=4', 1],
      ['filterField=hours&filterValue=4.0', 1],
      ['filterField=tags&filterValue=a', 3],
      ['filterField=visited_on&filterValue=2026-02-28', 7],
      ['filterField=doubled&filterValue=8', 1],
      ['filterField=doubled&filterValue=8.0', 1],
      ['filterField=doubled&filterValue=7', 0],
      ['filterField=summary&filterValue=V%C3%A4ter%203%25%20(a,%20b)', 1],
      ['filterField=is_late&filterValue=true', 7],
      ['filterField=doubled&filterValue=1e-400', 1],
      ['filterField=visit_day&filterValue=2026-02-28', 7],
      ['q=vater', 7],
      ['q=%C3%A4ter%203', 1],
      ['q=3%25', 1],
      ['q=_', 0],
      ['q=vater&filterField=stage&filterValue=done', 3],
    ])('filtered by %s finds %d records', async (query, total) => {
      expect((await call('GET', `${RECORDS}?${query}`, other.member)).body.total).toBe(total);
    });

    it.each([
      'filterField=hours&filterValue=many',
      'filterField=stage',
      'filterValue=done',
      'filterField=stage&filterValue=unknown',
      'filterField=doubled&filterValue=many',
      'filterField=is_late&filterValue=1',
      'filterField=doubled&filterValue=1e999',
      'filterField=visit_day&filterValue=2026-02-30',
      'filterField=visit_day&filterValue=now',
      'filterField=__proto__&filterValue=2',
    ])('refuses the query %s', async (query) => {
      const answer = await call('GET', `${RECORDS}?${query}`, other.member);
      expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_QUERY']);
    });
  });

  describe("other tenants' records", () => {
    it('are not found by reading, changing or deleting them', async () => {
      const created = await create({ title: 'Mine' });
      const stranger = await app.tenant();
      const path = `${RECORDS}/${created.id}`;
      expect((await call('GET', path, stranger.admin)).status).toBe(404);
      expect((await call('PATCH', path, stranger.admin, { title: 'Yours' })).status).toBe(404);
      expect((await call('DELETE', path, stranger.admin)).status).toBe(404);
      const nowhere = await app.tenant('business', []);
      expect((await call('GET', RECORDS, nowhere.admin)).status).toBe(404);
    });
  });

  describe('access', () => {
    it('needs a token, the right and the scope', async () => {
      expect((await app.service.request('GET', RECORDS)).status).toBe(401);
      expect((await call('POST', RECORDS, tenant.viewer, { title: 'x' })).status).toBe(403);
      const reader = await tenant.sign({ roles: ['member'], scopes: ['custom_objects:read'] });
      expect((await call('GET', RECORDS, reader)).status).toBe(200);
      expect((await call('POST', RECORDS, reader, { title: 'x' })).status).toBe(403);
      const elsewhere = await tenant.sign({ roles: ['admin'], scopes: ['leads'] });
      expect((await call('GET', RECORDS, elsewhere)).status).toBe(403);
    });
  });

  it('refuses bodies that are not objects, and unknown keys that objects inherit', async () => {
    for (const body of [[], 'text', 7, null]) {
      expect((await call('POST', RECORDS, tenant.admin, body)).status).toBe(400);
    }
    const answer = await call('POST', RECORDS, tenant.admin, { title: 'x', constructor: 1, toString: 2 });
    expect(answer.status).toBe(422);
    expect((await call('GET', `${RECORDS}/not-an-id`, tenant.admin)).status).toBe(404);
  });
});

const hidden = { readRoles: ['admin'] };

/** An object with fields that members write and do not read. Certification refuses the unique one. */
const VISIT: DeclaredObject = {
  apiName: 'site_visit',
  fields: [
    { apiName: 'title', type: 'text', is_unique: true },
    { apiName: 'badge', type: 'text', is_unique: true, ...hidden },
    { apiName: 'stage', type: 'picklist', options: ['secret_stage'], ...hidden },
    { apiName: 'tags', type: 'multi_select', options: ['secret_tag'], ...hidden },
    {
      apiName: 'score',
      label: 'Secret score',
      type: 'number',
      validationRules: [{ type: 'max', value: 77, message: 'Secret message' }],
      ...hidden,
    },
    { apiName: 'pin', type: 'text', validationRules: [{ type: 'regex', value: '^77$' }], ...hidden },
    { apiName: 'lead', label: 'Secret lead', type: 'reference', referenceTarget: 'lead', ...hidden },
    {
      apiName: 'parent',
      label: 'Secret parent',
      type: 'reference',
      referenceTarget: 'custom:site_visit',
      ...hidden,
    },
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
        call('POST', RECORDS, tenant.member, { title, badge }),
        call('POST', RECORDS, tenant.member, { title: randomUUID(), badge }),
      ]),
    );
    for (const { status, body } of answers) {
      expect([status, body.code]).toEqual([403, 'FIELD_ACCESS_DENIED']);
      expect(body.errors).toEqual([expect.objectContaining({ pointer: '/badge' })]);
    }
    const { body: mine } = await call('POST', RECORDS, tenant.member, { title: randomUUID() });
    for (const badge of ['B-7', 'B-8', null]) {
      expect((await call('PATCH', `${RECORDS}/${mine.id}`, tenant.member, { badge })).status).toBe(403);
    }
    const { body: definition } = await call('GET', '/api/crm/custom/site_visit', tenant.member);
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
    const create = async (token: string) => (await call('POST', RECORDS, token, { title: 'x' })).status;
    expect(await create(other.member)).toBe(403);
    expect(await create(other.admin)).toBe(201);
    expect(await create(other.member)).toBe(403);
    expect(await create(other.admin)).toBe(409);
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
    const refused = await call('POST', RECORDS, tenant.member, body);
    expect(refused.status).toBe(422);
    expect(refused.body.errors).toEqual([
      { pointer: expect.stringMatching(`^/${name}`), code, detail: expect.stringMatching(/^\w/) },
    ]);
    expect(JSON.stringify(refused.body.errors)).not.toMatch(/secret|77/i);
    if (code === 'REFERENCE_NOT_FOUND') return;
    // Whoever reads the field learns what would be accepted.
    const shown = await call('POST', RECORDS, tenant.admin, body);
    expect(JSON.stringify(shown.body.errors)).toMatch(/secret|77/i);
  });

  it('is part of a new entity tag when a new definition takes it away', async () => {
    const { body } = await call('POST', RECORDS, tenant.admin, { title: randomUUID() });
    const tag = async () => (await call('GET', `${RECORDS}/${body.id}`, tenant.member)).headers.get('etag');
    const before = await tag();
    await app.redefine(tenant.id, 'definition');
    expect(await tag()).not.toBe(before);
  });
});

const createBy = (token: string, key: string, body: object) =>
  app.call('POST', RECORDS, token, body, { 'idempotency-key': key });
const countOf = async (token: string, title: string) =>
  (await app.call('GET', `${RECORDS}?filterField=title&filterValue=${title}`, token)).body.total;

describe('a record created with an Idempotency-Key', () => {
  it('is created once, and a repetition returns it in its present state', async () => {
    const title = randomUUID();
    const first = await createBy(tenant.admin, 'k1', { title, hours: 2 });
    expect(first.status).toBe(201);
    await call('PATCH', `${RECORDS}/${first.body.id}`, tenant.admin, { hours: 3 });
    const again = await createBy(tenant.admin, 'k1', { hours: 2, title });
    expect(again).toMatchObject({ status: 201, body: { id: first.body.id, version: 2, hours: 3 } });
    expect(again.headers.get('etag')).toMatch(/^"2\./);
    expect(await countOf(tenant.admin, title)).toBe(1);
  });

  it('is refused with another body, and another user can use the same key', async () => {
    const first = await createBy(tenant.admin, 'k2', { title: 'A' });
    const other = await createBy(tenant.admin, 'k2', { title: 'B' });
    expect([other.status, other.body.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    const somebodyElse = await createBy(tenant.member, 'k2', { title: 'A' });
    expect(somebodyElse.status).toBe(201);
    expect(somebodyElse.body.id).not.toBe(first.body.id);
  });

  it('is created once by concurrent calls, also with a unique value', async () => {
    const body = { title: randomUUID(), code: randomUUID() };
    const answers = await Promise.all(Array.from({ length: 6 }, () => createBy(tenant.admin, 'k3', body)));
    const created = answers.filter(({ status }) => status === 201);
    expect(new Set(created.map((answer) => answer.body.id)).size).toBe(1);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expect([answer.status, answer.body.code]).toEqual([409, 'IDEMPOTENCY_KEY_IN_USE']);
    }
    expect(await countOf(tenant.admin, body.title)).toBe(1);
  });

  it('is found again after the record that it refers to was deleted', async () => {
    const parent = await createBy(tenant.admin, 'k4-parent', { title: 'Parent' });
    const body = { title: 'Child', parent: parent.body.id };
    const first = await createBy(tenant.admin, 'k4', body);
    await call('DELETE', `${RECORDS}/${parent.body.id}`, tenant.admin);
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

  it.each(['', 'two words', 'x'.repeat(256)])('is refused with the key %j', async (key) => {
    const answer = await createBy(tenant.admin, key, { title: 'x' });
    expect([answer.status, answer.body.code]).toEqual([400, 'MALFORMED_REQUEST']);
  });
});
