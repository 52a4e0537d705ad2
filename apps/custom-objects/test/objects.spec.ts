import { randomUUID } from 'node:crypto';
import { AUDIENCES, type RpcContract, type RpcRequest, type RpcResponse, rpc } from '@crm/contracts';
import { newId } from '@crm/database';
import { NatsConnection, Rpc } from '@crm/messaging';
import { testNats, testTokens } from '@crm/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { DeclaredObject } from '../src/object/object-definition.js';
import { ObjectModel } from '../src/object/object-model.js';
import { app, call, reference, SITE_VISIT, type Tenant, text, useCustomObjects } from './custom-objects-service.js';

useCustomObjects();

const { createRecord, updateRecord } = rpc.customObjects;
/** That of the service whose runs write records. */
let connection: NatsConnection;
beforeAll(async () => {
  const { url, passwords } = testNats();
  const service = 'automation-hooks';
  connection = await NatsConnection.open({ url, user: service, password: passwords[service], service });
});
afterAll(() => connection?.close());

const named = (apiName: string): DeclaredObject => ({ apiName, fields: [text('name')] });

describe('custom objects of a tenant', () => {
  const provision: typeof app.provision = (...installation) => app.provision(...installation);
  const count = async (token: string) => (await call('GET', '/api/crm/custom', token)).body.data.length;

  it('show the fields that the caller can read', async () => {
    const { body } = await (await app.tenant()).call('GET', '/api/crm/custom/site_visit');
    const fields = body.fields as { apiName: string; writable: boolean }[];
    const names = fields.map((field) => field.apiName);
    expect(names).toContain('doubled');
    expect(names).not.toContain('rate');
    expect(names).not.toContain('total');
    expect(fields.find((field) => field.apiName === 'doubled')?.writable).toBe(false);
  });

  const broken: DeclaredObject = { apiName: 'broken', fields: [{ apiName: 'choice', type: 'picklist' }] };
  it.each([
    ['beyond the plan', [named('two'), named('three'), named('four')], 'OBJECT_LIMIT_EXCEEDED'],
    ['with a definition that certification would refuse', [named('two'), broken], 'VALIDATION_FAILED'],
  ])('are provisioned all or none: %s nothing is left behind', async (_what, objects, code) => {
    const tenant = await app.tenant('business', [named('one')]);
    await expect(provision(tenant.id, objects)).rejects.toMatchObject({ code });
    expect(await count(tenant.admin)).toBe(1);
  });

  it('of a sandbox take nothing from the plan, and are as many at most', async () => {
    const tenant = await app.tenant('business', [named('one'), named('two')]);
    const sandbox = { sandbox: true, appKey: 'tried-app' };
    await provision(tenant.id, [named('a'), named('b'), named('c')], sandbox);
    await provision(tenant.id, [named('three')]);
    expect(await count(tenant.admin)).toBe(6);
    await expect(provision(tenant.id, [named('d')], sandbox)).rejects.toMatchObject({ code: 'OBJECT_LIMIT_EXCEEDED' });
    await expect(provision(tenant.id, [named('four')])).rejects.toMatchObject({ code: 'OBJECT_LIMIT_EXCEEDED' });
  });

  it('stay within the limit of the plan under concurrent installations', async () => {
    const tenant = await app.tenant('business', []);
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, (_, index) => provision(tenant.id, [named(`object_${index}`)])),
    );
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(3);
    expect(await count(tenant.admin)).toBe(3);
  });

  it('are provisioned once, however often the same installation asks', async () => {
    const tenant = await app.tenant('enterprise', []);
    const installationId = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => provision(tenant.id, [SITE_VISIT], { installationId })),
    );
    for (const answer of answers) expect(answer).toEqual([{ declaredApiName: 'site_visit', apiName: 'site_visit' }]);
    expect(await count(tenant.admin)).toBe(1);
  });

  it('name the targets of references as the tenant does, and omit a target that was removed', async () => {
    const tenant = await app.tenant('enterprise', []);
    const referring = (apiName: string, ...targets: string[]): DeclaredObject => ({
      apiName,
      fields: targets.map((target, index) => reference(`f${index}`, target)),
    });
    const visit = referring('visit', 'custom:site', 'lead');
    const targets = async (apiName: string) => {
      type Fields = { referenceTarget?: string }[];
      const get = async (path: string) => (await call('GET', `/api/crm/custom${path}`, tenant.admin)).body;
      const [one, all] = [await get(`/${apiName}`), await get('')];
      expect(all.data.find((object) => object.apiName === apiName)?.fields).toEqual(one.fields);
      return (one.fields as Fields).map((field) => field.referenceTarget);
    };
    await provision(tenant.id, [named('site')], { appKey: 'first-app' });
    await provision(tenant.id, [visit, named('site')]);
    expect(await targets('visit')).toEqual(['custom:acme_visits_site', 'lead']);
    await provision(tenant.id, [visit, named('site')], { sandbox: true });
    expect(await targets('sbx_visit')).toEqual(['custom:sbx_site', 'lead']);

    const installationId = randomUUID();
    await provision(tenant.id, [named('place')], { installationId });
    await provision(tenant.id, [referring('trip', 'custom:place')], { appKey: 'third-app' });
    expect(await targets('trip')).toEqual(['custom:place']);
    await app.objects.remove(tenant.id, installationId, false);
    expect(await targets('trip')).toEqual([undefined]);
  });

  it('whose target was removed keep their references, and take no new ones', async () => {
    const tenant = await app.tenant('enterprise', []);
    const installationId = randomUUID();
    await provision(tenant.id, [named('place')], { installationId });
    const fields = [text('name'), reference('place', 'custom:place')];
    await provision(tenant.id, [{ apiName: 'trip', fields }], { appKey: 'third-app' });
    const trips = '/api/crm/custom/trip/records';
    const { id: place } = await app.create('/api/crm/custom/place/records', tenant.admin, { name: 'Turin' });
    const trip = await app.create(trips, tenant.admin, { place });
    await app.objects.remove(tenant.id, installationId, false);
    const refused = { status: 422, body: { errors: [{ pointer: '/place', code: 'REFERENCE_NOT_FOUND' }] } };
    expect(await tenant.call('POST', trips, { place })).toMatchObject(refused);
    expect(await tenant.call('PATCH', `${trips}/${trip.id}`, { name: 'Spring', place })).toMatchObject({
      status: 200,
      body: { name: 'Spring', place },
    });
    expect((await tenant.call('PATCH', `${trips}/${trip.id}`, { place: null })).status).toBe(200);
    expect(await tenant.call('PATCH', `${trips}/${trip.id}`, { place })).toMatchObject(refused);
  });

  it('are not found after an uninstallation, and their names and places in the plan are free', async () => {
    const tenant = await app.tenant('business', []);
    const installationId = randomUUID();
    await provision(tenant.id, [named('a'), named('b'), named('c')], { installationId });
    const path = '/api/crm/custom/a/records';
    await app.create(path, tenant.admin, { name: 'x' });
    expect(await app.objects.remove(tenant.id, installationId, false)).toBe(3);
    expect((await tenant.call('GET', path)).status).toBe(404);
    await provision(tenant.id, [named('a')]);
    expect((await tenant.call('GET', path)).body.total).toBe(0);
  });

  it('leave no trace when a failed installation is rolled back, also when that is repeated', async () => {
    const tenant = await app.tenant('business', []);
    const installationId = randomUUID();
    await provision(tenant.id, [named('a')], { installationId });
    await app.create('/api/crm/custom/a/records', tenant.admin, { name: 'x' });
    expect(await app.objects.remove(tenant.id, installationId, true)).toBe(1);
    expect(await app.objects.remove(tenant.id, installationId, true)).toBe(0);
    expect(await count(tenant.admin)).toBe(0);
  });
});

/** The owner of the object, another app, and a third that nothing is shared with. */
const [OWNER, OTHER, THIRD] = ['acme-visits', 'other-app', 'third-app'] as const;

const VISIT: DeclaredObject = {
  apiName: 'visit',
  fields: [
    { apiName: 'title', type: 'text' },
    { apiName: 'own_note', type: 'text', readRoles: [`app:${OWNER}`], writeRoles: [`app:${OWNER}`] },
    { apiName: 'old_note', type: 'text', readRoles: ['app'], writeRoles: ['app'] },
  ],
};
const PATH = '/api/crm/custom/visit';

describe('the catalogue of objects', () => {
  type Field = Record<string, unknown> & { apiName: string; filterOps: string[] };
  type Entry = Record<string, unknown> & { apiName: string; fields: Field[] };
  const list = async (token: string, query = '') =>
    (await call('GET', `/api/crm/objects${query}`, token)).body.data as unknown as Entry[];
  const find = async (token: string, apiName: string, query = '') =>
    (await call('GET', `/api/crm/objects/${apiName}${query}`, token)).body as unknown as Entry;
  const fieldOf = ({ fields }: Entry, name: string) => fields.find(({ apiName }) => apiName === name);
  const namesOf = (entries: Entry[]) => entries.map(({ apiName }) => apiName);
  const STANDARD = ['lead', 'contact', 'company', 'opportunity', 'task'];

  it('has standard objects first, then custom ones, each as it is found by its name', async () => {
    const { member } = await app.tenant();
    const entries = await list(member);
    expect(namesOf(entries)).toEqual([...STANDARD, 'site_visit']);
    for (const entry of entries) expect(await find(member, entry.apiName)).toEqual(entry);
  });

  it('is made anew of objects that have changed, and of no others', async () => {
    const { admin } = await app.tenant('business', [SITE_VISIT, named('house')]);
    const made = jest.spyOn(ObjectModel, 'of');
    const madeBy = async (work: () => Promise<unknown>): Promise<string[]> => {
      made.mockClear();
      await work();
      return made.mock.calls.map(([{ apiName }]) => apiName);
    };
    expect(await madeBy(() => list(admin))).toEqual(['house', 'site_visit']);
    expect(await madeBy(() => list(admin, '?language=de'))).toEqual([]);
    expect(await madeBy(() => find(admin, 'house'))).toEqual([]);
    await call('PUT', '/api/crm/custom/house/apps/other', admin, { access: 'read' });
    expect(await madeBy(() => list(admin))).toEqual(['house']);
  });

  it('says what a page needs of an object and its fields', async () => {
    const { member } = await app.tenant();
    const opportunity = await find(member, 'opportunity');
    expect(opportunity).toMatchObject({
      ...{ label: 'Deal', pluralLabel: 'Deals', standard: true, appKey: null, sandbox: false },
      ...{ recordsPath: '/api/crm/opportunities', nameField: 'name', titleFields: ['name'] },
      ...{ creatable: true, updatable: true, deletable: true },
    });
    expect(fieldOf(opportunity, 'status')).toEqual({
      ...{ apiName: 'status', label: 'Status', type: 'picklist', required: true, is_unique: false, default: 'open' },
      ...{ readable: true, writable: true, indexed: true, sortable: true },
      filterOps: ['eq', 'ne', 'in', 'empty', 'notEmpty'],
      options: [
        { value: 'open', label: 'Open' },
        { value: 'won', label: 'Won' },
        { value: 'lost', label: 'Lost' },
      ],
    });
    expect(fieldOf(opportunity, 'companyId')).toMatchObject({ referenceTargets: ['company'], onDelete: 'set_null' });
    expect(fieldOf(opportunity, 'name')).toMatchObject({ maxLength: 200, required: true });
    expect(fieldOf(await find(member, 'lead'), 'ownerId')).toMatchObject({ referenceTargets: ['user'] });
    expect(fieldOf(await find(member, 'lead'), 'phone')).toMatchObject({ type: 'phone', maxLength: 40 });

    const visit = await find(member, 'site_visit');
    expect(visit).toMatchObject({ standard: false, appKey: 'acme-visits', titleFields: ['title'] });
    expect(fieldOf(visit, 'parent')).toMatchObject({ referenceTargets: ['custom:site_visit'] });
    expect(fieldOf(visit, 'code')).toMatchObject({ is_unique: true });
    expect(fieldOf(visit, 'tags')).toMatchObject({
      sortable: false,
      filterOps: ['eq', 'ne', 'in', 'empty', 'notEmpty'],
    });
    const doubled = { formula: { type: 'number' }, writable: false, indexed: false, sortable: true };
    expect(fieldOf(visit, 'doubled')).toMatchObject(doubled);
  });

  it('has standard labels in German too', async () => {
    const { member } = await app.tenant();
    const german = await find(member, 'opportunity', '?language=de');
    expect(german.label).toBe('Verkaufschance');
    expect(fieldOf(german, 'status')).toMatchObject({
      label: 'Status',
      options: expect.arrayContaining([{ value: 'won', label: 'Gewonnen' }]),
    });
    expect((await call('GET', '/api/crm/objects?language=fr', member)).status).toBe(400);
  });

  it('lacks hidden fields, and offers a reader of the workspace no changes', async () => {
    const { admin, member, viewer } = await app.tenant();
    const fieldNames = async (token: string) => (await find(token, 'site_visit')).fields.map(({ apiName }) => apiName);
    expect(await fieldNames(admin)).toEqual(expect.arrayContaining(['rate', 'remark', 'total']));
    expect(await fieldNames(member)).not.toEqual(expect.arrayContaining(['rate']));
    expect(await fieldNames(member)).toHaveLength((await fieldNames(admin)).length - 3);
    for (const entry of await list(viewer)) {
      expect(entry).toMatchObject({ creatable: false, updatable: false, deletable: false });
      expect(entry.fields.filter(({ writable }) => writable)).toEqual([]);
    }
  });

  it('lacks objects whose scope a token does not have, and those that an app does not see', async () => {
    const tenant = await app.tenant();
    const scoped = await tenant.sign({ roles: ['member'], scopes: ['leads:read', 'tasks'] });
    const entries = await list(scoped);
    expect(namesOf(entries)).toEqual(['lead', 'task']);
    expect(entries.map(({ creatable, deletable }) => [creatable, deletable])).toEqual([
      [false, false],
      [true, true],
    ]);
    for (const name of ['contact', 'site_visit', 'nothing']) {
      expect((await call('GET', `/api/crm/objects/${name}`, scoped)).body).toMatchObject({ code: 'NOT_FOUND' });
    }
    const scopes = ['leads', 'custom_objects'];
    expect(namesOf(await list(await app.appToken(tenant.id, 'other-app', scopes)))).toEqual(['lead']);
    expect(namesOf(await list(await app.appToken(tenant.id, 'acme-visits', scopes)))).toEqual(['lead', 'site_visit']);
    await call('PUT', '/api/crm/custom/site_visit/apps/other-app', tenant.admin, { access: 'read' });
    const shared = (await list(await app.appToken(tenant.id, 'other-app', scopes)))[1];
    expect(shared).toMatchObject({ apiName: 'site_visit', creatable: false, updatable: false, deletable: false });
  });

  it('offers no creation to who cannot write a required field', async () => {
    const price = { apiName: 'price', type: 'number', required: true, writeRoles: ['admin'] } as const;
    const tenant = await app.tenant('business', [{ apiName: 'deal', fields: [price, text('note')] }]);
    expect(await find(tenant.member, 'deal')).toMatchObject({ creatable: false, updatable: true });
    expect(await find(tenant.admin, 'deal')).toMatchObject({ creatable: true });
  });
});

describe('an app', () => {
  let tenant: Tenant;
  beforeEach(async () => {
    tenant = await app.tenant('enterprise', [VISIT]);
  });

  const tokenOf = (key: string, scopes = ['custom_objects']) => app.appToken(tenant.id, key, scopes);
  const share = (access: string, key: string = OTHER) => call('PUT', `${PATH}/apps/${key}`, tenant.admin, { access });
  const statusOf = async (...request: Parameters<typeof call>) => (await call(...request)).status;
  /** The answers to an app that reads, lists, creates, changes and deletes, and to one that looks at the definition. */
  const answersTo = async (key: string) => {
    const token = await tokenOf(key);
    const { id } = (await call('POST', `${PATH}/records`, tenant.admin, { title: 'Mine' })).body;
    return [
      await statusOf('GET', PATH, token),
      await statusOf('GET', `${PATH}/records`, token),
      await statusOf('GET', `${PATH}/records/${id}`, token),
      await statusOf('POST', `${PATH}/records`, token, { title: 'Yours' }),
      await statusOf('PATCH', `${PATH}/records/${id}`, token, { title: 'Yours' }),
      await statusOf('DELETE', `${PATH}/records/${id}`, token),
      (await call('GET', '/api/crm/custom', token)).body.data.length,
    ];
  };

  it('works with the objects of its installation, and with those of no other installation of the app', async () => {
    expect(await answersTo(OWNER)).toEqual([200, 200, 200, 201, 200, 204, 1]);
    const [first, second] = [randomUUID(), randomUUID()];
    await app.provision(tenant.id, [VISIT], { sandbox: true, installationId: first });
    await app.provision(tenant.id, [VISIT], { sandbox: true, installationId: second });
    await app.provision(tenant.id, [named('shared')], { appKey: OTHER });
    expect(
      (await call('PUT', '/api/crm/custom/shared/apps/acme-visits', tenant.admin, { access: 'write' })).status,
    ).toBe(200);
    const ofSandbox = (installation: string) =>
      app.appToken(tenant.id, OWNER, ['custom_objects'], {
        act: { sub: OWNER, installation_id: installation, sandbox: true },
      });
    const names = (await call('GET', '/api/crm/custom', tenant.admin)).body.data.map((one) => String(one.apiName));
    expect([...names].sort()).toEqual(['sbx_acme_visits_visit', 'sbx_visit', 'shared', 'visit']);
    const record = (object: string) => call('POST', `/api/crm/custom/${object}/records`, tenant.admin, {});
    const ids = new Map<string, string>();
    for (const name of names) ids.set(name, (await record(name)).body.id);
    const reached = async (token: string) => {
      const found: string[] = [];
      for (const [name, id] of ids) {
        const path = `/api/crm/custom/${name}/records`;
        const statuses = [
          await statusOf('GET', path, token),
          await statusOf('POST', path, token, {}),
          await statusOf('GET', `${path}/${id}`, token),
          await statusOf('PATCH', `${path}/${id}`, token, {}),
        ];
        if (!statuses.every((status) => status === 404)) found.push(name);
      }
      return found.sort();
    };
    expect(await reached(await tokenOf(OWNER))).toEqual(['shared', 'visit']);
    expect(await reached(await ofSandbox(first))).toEqual(['sbx_visit']);
    expect(await reached(await ofSandbox(second))).toEqual(['sbx_acme_visits_visit']);
    expect(await reached(await ofSandbox(randomUUID()))).toEqual([]);
    expect(await reached(await tokenOf(OTHER))).toEqual(['shared']);
    const { installationid } =
      (await app.events(tenant.id)).find(({ subject }) => subject === ids.get('sbx_visit')) ?? {};
    expect(installationid).toBe(first);
  });

  it('does not see the objects of other apps, nor whether they exist', async () => {
    expect(await answersTo(OTHER)).toEqual([404, 404, 404, 404, 404, 404, 0]);
    const token = await tokenOf(OTHER);
    for (const path of [PATH, '/api/crm/custom/nowhere']) {
      const { body } = await call('POST', `${path}/records`, token, { title: 7, unknown: 1 });
      expect(body).toMatchObject({ status: 404, code: 'NOT_FOUND', detail: 'Object not found' });
    }
  });

  it('reads, or reads and writes, what an administrator shares with it, until the share ends', async () => {
    expect((await share('read')).body).toEqual({ appKey: OTHER, access: 'read' });
    expect(await answersTo(OTHER)).toEqual([200, 200, 200, 403, 403, 403, 1]);
    expect(await answersTo(THIRD)).toEqual([404, 404, 404, 404, 404, 404, 0]);
    expect((await share('write')).status).toBe(200);
    expect(await answersTo(OTHER)).toEqual([200, 200, 200, 201, 200, 204, 1]);
    expect((await share('write')).status).toBe(200);
    expect((await share('none')).body).toEqual({ appKey: OTHER, access: 'none' });
    expect(await answersTo(OTHER)).toEqual([404, 404, 404, 404, 404, 404, 0]);
    expect((await share('none')).status).toBe(200);
  });

  it('is named by its own role alone: a bare app names nobody', async () => {
    await share('write');
    const record = { title: 'x', own_note: 'mine' };
    const created = await call('POST', `${PATH}/records`, await tokenOf(OWNER), record);
    expect(created.body).toMatchObject(record);
    expect(created.body).not.toHaveProperty('old_note');
    const other = await tokenOf(OTHER);
    const { body } = await call('GET', `${PATH}/records/${created.body.id}`, other);
    expect(body).toMatchObject({ title: 'x' });
    expect(body).not.toHaveProperty('own_note');
    for (const field of ['own_note', 'old_note']) {
      const refused = await call('POST', `${PATH}/records`, other, { [field]: 'x' });
      expect([refused.status, refused.body.code]).toEqual([403, 'FIELD_ACCESS_DENIED']);
    }
  });

  it('has no more access in a run of its workflow', async () => {
    const token = await app.appToken(tenant.id, OTHER, ['custom_objects'], { aud: AUDIENCES.internal });
    const step = { object: 'visit', values: { title: 'x' }, idempotencyKey: randomUUID() };
    const outcome = () =>
      new Rpc(connection).call(createRecord, step, { token }).then(
        () => 'created',
        ({ code }: { code: string }) => code,
      );
    expect(await outcome()).toBe('NOT_FOUND');
    await share('read');
    expect(await outcome()).toBe('FORBIDDEN');
    await share('write');
    expect(await outcome()).toBe('created');
  });

  it('is named in the events of an object that it sees, as the shares are when the change commits', async () => {
    await call('POST', `${PATH}/records`, tenant.admin, { title: 'one' });
    await share('read');
    const { id } = (await call('POST', `${PATH}/records`, tenant.admin, { title: 'two' })).body;
    await share('write', THIRD);
    await call('PATCH', `${PATH}/records/${id}`, tenant.admin, { title: 'three' });
    await share('none');
    await call('DELETE', `${PATH}/records/${id}`, tenant.admin);
    const rows = await app.events(tenant.id);
    expect(rows.map(({ appkeys }) => appkeys.split(' ').sort().join(' '))).toEqual([
      OWNER,
      [OWNER, OTHER].join(' '),
      [OWNER, OTHER, THIRD].join(' '),
      [OWNER, THIRD].join(' '),
    ]);
  });

  describe('to share with', () => {
    it('is listed by its key', async () => {
      await share('write', THIRD);
      await share('read');
      expect((await call('GET', `${PATH}/apps`, tenant.admin)).body).toEqual({
        data: [
          { appKey: OTHER, access: 'read' },
          { appKey: THIRD, access: 'write' },
        ],
      });
    });

    it('is another app with a possible key, and of an object of the same tenant', async () => {
      const stranger = await app.tenant('enterprise', []);
      const nowhere = '/api/crm/custom/nowhere/apps';
      for (const [status, path, body, token] of [
        [422, `${PATH}/apps/${OWNER}`, { access: 'read' }, tenant.admin],
        [422, `${PATH}/apps/${OTHER}`, { access: 'everything' }, tenant.admin],
        [422, `${PATH}/apps/${OTHER}`, { access: 'read', fields: ['title'] }, tenant.admin],
        [404, `${PATH}/apps/Not_a_key`, { access: 'read' }, tenant.admin],
        [404, `${nowhere}/${OTHER}`, { access: 'read' }, tenant.admin],
        [404, `${PATH}/apps/${OTHER}`, { access: 'read' }, stranger.admin],
      ] as const) {
        expect([path, body, await statusOf('PUT', path, token, body)]).toEqual([path, body, status]);
      }
      expect(await statusOf('GET', nowhere, tenant.admin)).toBe(404);
    });

    it('is an app that the marketplace knows, unless a share of it is changed or ended', async () => {
      try {
        for (const [isKnown, access, status] of [
          [false, 'read', 404],
          [false, 'write', 404],
          [false, 'none', 200],
          [true, 'read', 200],
          [false, 'write', 200],
          [false, 'none', 200],
          [false, 'read', 404],
        ] as const) {
          app.unknownApps[isKnown ? 'delete' : 'add'](OTHER);
          const { body, ...answer } = await share(access);
          expect([isKnown, access, answer.status]).toEqual([isKnown, access, status]);
          if (status === 404) expect(body).toMatchObject({ code: 'NOT_FOUND', detail: 'App not found' });
        }
        expect((await call('GET', `${PATH}/apps`, tenant.admin)).body.data).toEqual([]);
      } finally {
        app.unknownApps.clear();
      }
    });

    it('is one of at most 100', async () => {
      await app.admin.query(
        `INSERT INTO custom_object_share (tenant_id, object_id, app_key, access)
         SELECT tenant_id, id, 'app-' || n, 'read' FROM custom_object, generate_series(1, 100) AS n WHERE tenant_id = $1`,
        [tenant.id],
      );
      expect((await share('read')).status).toBe(422);
      expect((await share('write', 'app-7')).status).toBe(200);
      expect((await share('none', 'app-8')).status).toBe(200);
      expect((await share('read')).status).toBe(200);
    });
  });
});

describe('a workflow step', () => {
  let tenant: Tenant;
  let lead: string;
  beforeEach(async () => {
    tenant = await app.tenant();
    lead = (await app.create('/api/crm/leads', tenant.admin, { lastName: 'A' })).id;
  });

  const internalToken = (role: string, tid = tenant.id, sub: string = randomUUID()) =>
    testTokens().sign({ aud: AUDIENCES.internal, tid, sid: undefined, roles: [role], sub });
  const ask = <C extends RpcContract>(contract: C, request: RpcRequest<C>, token?: string): Promise<RpcResponse<C>> =>
    new Rpc(connection).call(contract, request, { token });

  it('that creates a standard record finds it when it is repeated', async () => {
    const step = { object: 'task', values: { title: 'Call back' }, idempotencyKey: randomUUID() };
    const sub = randomUUID();
    const token = () => internalToken('member', tenant.id, sub);
    const first = await ask(createRecord, step, await token());
    const again = await ask(createRecord, step, await token());
    expect(again).toEqual(first);
    const { body } = await tenant.call('GET', `/api/crm/tasks/${first.id}`);
    expect(body).toMatchObject({ title: 'Call back', version: 1 });
  });

  it('changes a standard record', async () => {
    const change = { object: 'lead', id: lead, values: { status: 'qualified' } };
    expect(await ask(updateRecord, change, await internalToken('member'))).toEqual({ id: lead });
    const { body } = await tenant.call('GET', `/api/crm/leads/${lead}`);
    expect(body).toMatchObject({ status: 'qualified', version: 2 });
  });

  it('has the rights of its token and no more', async () => {
    const create = { object: 'lead', values: { lastName: 'B' }, idempotencyKey: randomUUID() };
    await expect(ask(createRecord, create, await internalToken('viewer'))).rejects.toMatchObject({ code: 'FORBIDDEN' });
    // The scope is that of the object: neither reading it nor writing others is enough.
    const scopes = ['tasks', 'custom_objects', 'leads:read'];
    const narrowed = await app.appToken(tenant.id, 'some-app', scopes, { aud: AUDIENCES.internal });
    await expect(ask(createRecord, create, narrowed)).rejects.toMatchObject({ code: 'INSUFFICIENT_SCOPE' });
    const change = { object: 'lead', id: lead, values: { status: 'new' } };
    await expect(ask(updateRecord, change, narrowed)).rejects.toMatchObject({ code: 'INSUFFICIENT_SCOPE' });
    await expect(ask(createRecord, create)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    const stranger = await internalToken('admin', newId());
    await expect(ask(updateRecord, change, stranger)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('that writes to an object that does not exist is refused', async () => {
    const token = await internalToken('member');
    for (const object of ['nothing', 'leads', 'deal', 'toString', '']) {
      const create = { object, values: {}, idempotencyKey: randomUUID() };
      await expect(ask(createRecord, create, token)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
  });

  it('receives every problem of its values', async () => {
    const token = await internalToken('member');
    const create = { object: 'lead', values: { email: 'x', colour: 1 }, idempotencyKey: randomUUID() };
    await expect(ask(createRecord, create, token)).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      extra: { errors: ['/lastName', '/email', '/colour'].map((pointer) => expect.objectContaining({ pointer })) },
    });
  });
});
