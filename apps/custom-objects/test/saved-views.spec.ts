import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { MAX_VIEWS } from '../src/view/saved-view.service.js';
import { app, call, type Json, type Tenant, text, useCustomObjects } from './custom-objects-service.js';
import { and, is, or } from './visits.js';

useCustomObjects();

const VIEWS = '/api/crm/views';
const OPEN = {
  object: 'site_visit',
  name: 'Planned',
  filter: { field: 'stage', value: 'planned' },
  sort: '-hours,title',
};

let tenant: Tenant;
let ann: string;
let ben: string;
beforeEach(async () => {
  tenant = await app.tenant();
  [ann, ben] = await Promise.all([app.userToken(tenant.id, randomUUID()), app.userToken(tenant.id, randomUUID())]);
});

const save = async (token: string, body: object = OPEN) => {
  const answer = await call('POST', VIEWS, token, body);
  expect(answer).toMatchObject({ status: 201 });
  return answer.body;
};
const list = async (token: string, object = 'site_visit') =>
  (await call('GET', `${VIEWS}?object=${object}`, token)).body.data as Json[];
const renamed = (method: string, { id }: Json, token: string) =>
  call(method, `${VIEWS}/${id}`, token, method === 'PATCH' ? { name: 'x' } : undefined);
const namesOf = async (token: string) => (await list(token)).map(({ name }) => name);

describe('a saved view', () => {
  it('is its own for everyone: listed by name, changed and deleted', async () => {
    const view = await save(ann, { ...OPEN, columns: ['title', 'hours', 'createdAt'] });
    expect(view).toEqual({
      ...{ ...OPEN, id: expect.any(String), ownerId: expect.any(String) },
      ...{ columns: ['title', 'hours', 'createdAt'], shared: false, writable: true, usable: true },
    });
    const other = await save(ann, { object: 'site_visit', name: 'All' });
    expect(other).toMatchObject({ filter: null, sort: null, columns: [] });
    expect(await list(ann)).toEqual([other, view]);
    expect(await list(ben)).toEqual([]);
    expect(await list(ann, 'lead')).toEqual([]);

    const changed = await call('PATCH', `${VIEWS}/${view.id}`, ann, { name: 'Again', filter: null });
    expect(changed.body).toEqual({ ...view, name: 'Again', filter: null });
    expect(await list(ann)).toEqual(
      [changed.body, other].sort((one, two) => (String(one.name) < String(two.name) ? -1 : 1)),
    );
    for (const method of ['PATCH', 'DELETE']) expect((await renamed(method, view, ben)).status).toBe(404);
    expect((await renamed('DELETE', view, tenant.admin)).status).toBe(404);
    expect((await call('DELETE', `${VIEWS}/${view.id}`, ann)).status).toBe(204);
    expect(await namesOf(ann)).toEqual(['All']);
  });

  it('is one that the list takes', async () => {
    const view = await save(ann);
    await app.create('/api/crm/custom/site_visit/records', tenant.admin, { title: 'A', hours: 1 });
    const query = `filter=${encodeURIComponent(JSON.stringify(view.filter))}&sort=${view.sort}`;
    expect((await call('GET', `/api/crm/custom/site_visit/records?${query}`, ann)).body.total).toBe(1);
  });

  it('is shared by administrators, who alone change it then', async () => {
    expect((await call('POST', VIEWS, ann, { ...OPEN, shared: true })).body.code).toBe('FORBIDDEN');
    const view = await save(tenant.admin, { ...OPEN, shared: true });
    expect(await list(ann)).toEqual([{ ...view, writable: false }]);
    expect(await list(await tenant.sign({ roles: ['viewer'] }))).toHaveLength(1);
    for (const method of ['PATCH', 'DELETE']) {
      expect((await renamed(method, view, ann)).status).toBe(403);
    }
    const colleague = await tenant.sign({ roles: ['admin'] });
    const ours = await call('PATCH', `${VIEWS}/${view.id}`, colleague, { name: 'Ours' });
    expect(ours.body).toMatchObject({ name: 'Ours', shared: true });
    const own = await save(ann);
    expect((await call('PATCH', `${VIEWS}/${own.id}`, ann, { shared: true })).status).toBe(403);
    expect((await call('PATCH', `${VIEWS}/${view.id}`, tenant.admin, { shared: false })).status).toBe(200);
    expect(await namesOf(ann)).toEqual(['Planned']);
  });

  it.each([
    ['an API key', { api_key: true, sid: 'key' }],
    ['a scope for reading', {}],
    ['an embedded page', { embed: true, embed_app_id: 'acme-visits', sid: undefined }],
  ])('is not shared, changed or deleted for everyone with %s of an administrator', async (_what, claims) => {
    const token = await app.tokenOf(tenant.id, { roles: ['admin'], scopes: ['custom_objects:read'], ...claims });
    const { id } = await save(tenant.admin, { ...OPEN, shared: true });
    expect(await list(token)).toMatchObject([{ id, writable: false }]);
    const own = await save(token);
    for (const [method, path, body] of [
      ['POST', VIEWS, { ...OPEN, shared: true }],
      ['PATCH', `${VIEWS}/${own.id}`, { shared: true }],
      ['PATCH', `${VIEWS}/${id}`, { name: 'x' }],
      ['DELETE', `${VIEWS}/${id}`, undefined],
    ] as const) {
      expect([method, (await call(method, path, token, body)).status]).toEqual([method, 403]);
    }
  });

  it('that filters or sorts by a field is not shown to who cannot read the field, and columns are left out', async () => {
    const hidden = and(or(is('title', 'x'), is('rate', 1, 'gt')));
    const views = [
      { name: 'filter', filter: hidden },
      { name: 'sort', sort: 'title,-rate' },
      { name: 'formula', filter: { field: 'total', op: 'gt', value: 10 } },
      { name: 'columns', columns: ['title', 'rate'], sort: 'title' },
    ];
    const saved = [];
    for (const view of views) saved.push(await save(tenant.admin, { object: 'site_visit', shared: true, ...view }));
    expect(await namesOf(tenant.admin)).toEqual(['columns', 'filter', 'formula', 'sort']);
    expect(await list(ann)).toEqual([expect.objectContaining({ name: 'columns', columns: ['title'] })]);
    for (const { id, name } of saved.filter(({ name }) => name !== 'columns')) {
      expect([name, (await call('PATCH', `${VIEWS}/${id}`, ann, { name: 'x' })).status]).toEqual([name, 404]);
    }
  });

  it('is changed by an administrator who cannot see one of its columns, which stays where it is and is not named', async () => {
    const columns = ['rate', 'title', 'remark', 'code', 'hours'];
    const { id } = await save(tenant.admin, { ...OPEN, columns, shared: true });
    // Only some administrators read it from now on.
    await app.redefine(
      tenant.id,
      `CASE WHEN definition->>'apiName' IN ('rate', 'remark', 'code') THEN definition || '{"readRoles": ["finance"]}' ELSE definition END`,
    );
    const finance = await tenant.sign({ roles: ['admin', 'finance'] });
    const stored = async () => (await list(finance))[0]?.columns;
    const change = (body: object) => call('PATCH', `${VIEWS}/${id}`, tenant.admin, body);
    expect((await change({ name: 'Renamed' })).body).toMatchObject({ name: 'Renamed', columns: ['title', 'hours'] });
    expect(await stored()).toEqual(columns);
    expect((await change({ columns: ['hours', 'title', 'stage'] })).body.columns).toEqual(['hours', 'title', 'stage']);
    expect(await stored()).toEqual(['rate', 'hours', 'title', 'remark', 'code', 'stage']);
    const refused = await change({ columns: ['title', 'rate'] });
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ pointer: '/columns/1' }] } });
    expect(refused.body.errors).toHaveLength(1);
    expect((await change({ columns: [] })).body.columns).toEqual([]);
    expect(await stored()).toEqual(['rate', 'remark', 'code']);
  });

  it.each([
    [{ filter: { field: 'rate', op: 'gt', value: 1 } }, '/filter', 'filter: unknown field "rate"'],
    [{ filter: { field: 'stage', value: 'none' } }, '/filter', 'filter: not a valid value for stage'],
    [{ filter: { and: [] } }, '/filter', 'filter: a group must be'],
    [{ sort: 'title,remark' }, '/sort', 'sort: unknown field "remark"'],
    [{ columns: ['title', 'rate'] }, '/columns/1', 'Unknown field "rate"'],
  ])('with what a list would refuse is refused: %j', async (part, pointer, detail) => {
    const expected = { status: 422, body: { errors: [{ pointer, detail: expect.stringContaining(detail) }] } };
    expect(await call('POST', VIEWS, ann, { ...OPEN, ...part })).toMatchObject(expected);
    const { id } = await save(ann);
    expect(await call('PATCH', `${VIEWS}/${id}`, ann, part)).toMatchObject(expected);
  });

  it('is of an object that the caller sees', async () => {
    const scoped = await tenant.sign({ roles: ['admin'], scopes: ['leads:read'] });
    expect(await save(scoped, { object: 'lead', name: 'All' })).toMatchObject({ object: 'lead' });
    for (const object of ['site_visit', 'nothing']) {
      expect((await call('GET', `${VIEWS}?object=${object}`, scoped)).status).toBe(404);
      expect((await call('POST', VIEWS, scoped, { ...OPEN, object })).status).toBe(404);
    }
    const { id } = await save(tenant.admin, { ...OPEN, shared: true });
    expect((await call('PATCH', `${VIEWS}/${id}`, scoped, { name: 'x' })).status).toBe(404);
    const ofApp = await app.appToken(tenant.id, 'acme-visits', ['leads']);
    expect((await call('GET', `${VIEWS}?object=lead`, ofApp)).status).toBe(403);
  });

  it('of another workspace does not exist', async () => {
    const { id } = await save(tenant.admin, { object: 'lead', name: 'All', shared: true });
    const other = await app.tenant();
    expect(await list(other.admin, 'lead')).toEqual([]);
    expect((await call('DELETE', `${VIEWS}/${id}`, other.admin)).status).toBe(404);
    expect(await list(tenant.admin, 'lead')).toHaveLength(1);
  });

  it('stays with who made it when a field that it filters by is hidden from them', async () => {
    const view = await save(ann, { ...OPEN, columns: ['title', 'hours'] });
    await app.redefine(
      tenant.id,
      `CASE WHEN definition->>'apiName' = 'hours' THEN definition || '{"readRoles": ["admin"]}' ELSE definition END`,
    );
    expect(await list(ann)).toEqual([{ ...view, filter: null, sort: null, columns: ['title'], usable: false }]);
    const parts = { filter: null, sort: 'title', columns: ['title'] };
    const repaired = await call('PATCH', `${VIEWS}/${view.id}`, ann, parts);
    expect(repaired.body).toEqual({ ...view, ...parts });
  });

  it('goes with its object', async () => {
    const installationId = randomUUID();
    await app.provision(tenant.id, [{ apiName: 'trip', fields: [text('name')] }], { installationId });
    const { id } = await save(ann, { object: 'trip', name: 'All' });
    const deleted = await save(ann, { object: 'trip', name: 'Own' });
    await app.objects.remove(tenant.id, installationId, false);
    expect((await call('GET', `${VIEWS}?object=trip`, ann)).status).toBe(404);
    expect((await call('PATCH', `${VIEWS}/${id}`, ann, { name: 'x' })).status).toBe(404);
    expect((await call('DELETE', `${VIEWS}/${id}`, ben)).status).toBe(404);
    expect((await call('DELETE', `${VIEWS}/${deleted.id}`, ann)).status).toBe(204);
    const { rows } = await app.admin.query('SELECT id FROM saved_view WHERE tenant_id = $1', [tenant.id]);
    expect(rows).toEqual([{ id }]);
    await app.admin.query(
      `INSERT INTO saved_view (tenant_id, id, object_id, owner_id, name, shared, columns)
       SELECT tenant_id, gen_random_uuid(), object_id, owner_id, name, shared, columns FROM saved_view, generate_series(2, $2::int)
        WHERE tenant_id = $1`,
      [tenant.id, MAX_VIEWS],
    );
    await save(ann);
    await app.objects.remove(tenant.id, installationId, true);
    expect((await app.admin.query('SELECT 1 FROM saved_view WHERE id = $1', [id])).rows).toEqual([]);
  });

  it(`is one of ${MAX_VIEWS} at most, however many are saved at once`, async () => {
    const { ownerId } = await save(ann);
    await app.admin.query(
      `INSERT INTO saved_view (tenant_id, id, object_id, owner_id, name, shared, columns)
       SELECT $1, gen_random_uuid(), gen_random_uuid(), $2, 'x', false, '[]' FROM generate_series(2, $3::int)`,
      [tenant.id, ownerId, MAX_VIEWS - 1],
    );
    const answers = await Promise.all(Array.from({ length: 4 }, () => call('POST', VIEWS, ann, OPEN)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422]);
    await save(ben);
  });
});
