import { randomUUID } from 'node:crypto';
import { AUDIENCES, type RpcContract, type RpcRequest, type RpcResponse, rpc } from '@crm/contracts';
import { Database, newId } from '@crm/database';
import { NatsConnection, Rpc } from '@crm/messaging';
import { testNats, testTokens } from '@crm/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { DeclaredObject } from '../src/object/object-definition.js';
import { type CustomObjectsService, SITE_VISIT, startCustomObjects, type Tenant } from './custom-objects-service.js';

const { createRecord, updateRecord } = rpc.customObjects;

let app: CustomObjectsService;
/** That of the service whose runs write records. */
let connection: NatsConnection;
beforeAll(async () => {
  app = await startCustomObjects();
  const { url, passwords } = testNats();
  const service = 'automation-hooks';
  connection = await NatsConnection.open({ url, user: service, password: passwords[service], service });
});
afterAll(async () => {
  await connection?.close();
  await app?.close();
});

const named = (apiName: string): DeclaredObject => ({ apiName, fields: [{ apiName: 'name', type: 'text' }] });

describe('custom objects of a tenant', () => {
  const provision = (
    tenantId: string,
    objects: DeclaredObject[],
    changes: { appKey?: string; sandbox?: boolean; installationId?: string } = {},
  ) =>
    app.objects.provision(tenantId, {
      installationId: randomUUID(),
      appKey: 'acme-visits',
      sandbox: false,
      objects,
      ...changes,
    });
  const count = async (token: string) =>
    (await app.service.request<{ data: unknown[] }>('GET', '/api/crm/custom', { token })).body.data.length;

  it('show the fields that the caller can read', async () => {
    const tenant = await app.tenant();
    const { body } = await app.service.request<{ fields: { apiName: string; writable: boolean }[] }>(
      'GET',
      '/api/crm/custom/site_visit',
      { token: tenant.member },
    );
    const names = body.fields.map((field) => field.apiName);
    expect(names).toContain('doubled');
    expect(names).not.toContain('rate');
    expect(names).not.toContain('total');
    expect(body.fields.find((field) => field.apiName === 'doubled')?.writable).toBe(false);
  });

  it('are provisioned all or none: beyond the plan nothing is left behind', async () => {
    const tenant = await app.tenant('business', [named('one'), named('two')]);
    await expect(provision(tenant.id, [named('three'), named('four')])).rejects.toMatchObject({
      code: 'OBJECT_LIMIT_EXCEEDED',
    });
    expect(await count(tenant.admin)).toBe(2);
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
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(await count(tenant.admin)).toBe(1);
  });

  it('get the prefix sbx_ in a sandbox, and the app key in front when the name is taken', async () => {
    const tenant = await app.tenant('enterprise');
    expect(await provision(tenant.id, [named('site_visit')], { sandbox: true })).toEqual([
      { declaredApiName: 'site_visit', apiName: 'sbx_site_visit' },
    ]);
    expect(await provision(tenant.id, [named('site_visit')], { appKey: 'other-app' })).toEqual([
      { declaredApiName: 'site_visit', apiName: 'other_app_site_visit' },
    ]);
  });

  it('name the targets of references as the tenant does, and omit a target that was removed', async () => {
    const tenant = await app.tenant('enterprise', []);
    const visit: DeclaredObject = {
      apiName: 'visit',
      fields: [
        { apiName: 'site', type: 'reference', referenceTarget: 'custom:site' },
        { apiName: 'lead', type: 'reference', referenceTarget: 'lead' },
      ],
    };
    const targets = async (apiName: string) => {
      type Body = { fields: { referenceTarget?: string }[] };
      const get = async <T>(path: string) =>
        (await app.service.request<T>('GET', `/api/crm/custom${path}`, { token: tenant.admin })).body;
      const [one, all] = [await get<Body>(`/${apiName}`), await get<{ data: (Body & { apiName: string })[] }>('')];
      expect(all.data.find((object) => object.apiName === apiName)?.fields).toEqual(one.fields);
      return one.fields.map((field) => field.referenceTarget);
    };
    await provision(tenant.id, [named('site')], { appKey: 'first-app' });
    await provision(tenant.id, [visit, named('site')]);
    expect(await targets('visit')).toEqual(['custom:acme_visits_site', 'lead']);
    await provision(tenant.id, [visit, named('site')], { sandbox: true });
    expect(await targets('sbx_visit')).toEqual(['custom:sbx_site', 'lead']);

    const installationId = randomUUID();
    await provision(tenant.id, [named('place')], { installationId });
    const trip: DeclaredObject = {
      apiName: 'trip',
      fields: [{ apiName: 'place', type: 'reference', referenceTarget: 'custom:place' }],
    };
    await provision(tenant.id, [trip], { appKey: 'third-app' });
    expect(await targets('trip')).toEqual(['custom:place']);
    await app.objects.remove(tenant.id, installationId, false);
    expect(await targets('trip')).toEqual([undefined]);
  });

  it('are refused with a definition that certification would refuse', async () => {
    const tenant = await app.tenant('enterprise', []);
    const broken: DeclaredObject = { apiName: 'broken', fields: [{ apiName: 'choice', type: 'picklist' }] };
    await expect(provision(tenant.id, [broken])).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    expect(await count(tenant.admin)).toBe(0);
  });

  it('are not found after an uninstallation, and their names and places in the plan are free', async () => {
    const tenant = await app.tenant('business', []);
    const installationId = randomUUID();
    await provision(tenant.id, [named('a'), named('b'), named('c')], { installationId });
    const path = '/api/crm/custom/a/records';
    expect((await app.service.request('POST', path, { token: tenant.admin, body: { name: 'x' } })).status).toBe(201);
    expect(await app.objects.remove(tenant.id, installationId, false)).toBe(3);
    expect((await app.service.request('GET', path, { token: tenant.admin })).status).toBe(404);
    await provision(tenant.id, [named('a')]);
    const { body } = await app.service.request<{ total: number }>('GET', path, { token: tenant.admin });
    expect(body.total).toBe(0);
  });

  it('leave no trace when a failed installation is rolled back, also when that is repeated', async () => {
    const tenant = await app.tenant('business', []);
    const installationId = randomUUID();
    await provision(tenant.id, [named('a')], { installationId });
    await app.service.request('POST', '/api/crm/custom/a/records', { token: tenant.admin, body: { name: 'x' } });
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

describe('an app', () => {
  let tenant: Tenant;
  beforeEach(async () => {
    tenant = await app.tenant('enterprise', [VISIT]);
  });

  const call: CustomObjectsService['call'] = (...request) => app.call(...request);
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

  it('works with its own objects, in a sandbox too', async () => {
    expect(await answersTo(OWNER)).toEqual([200, 200, 200, 201, 200, 204, 1]);
    const request = { installationId: randomUUID(), appKey: OWNER, sandbox: true, objects: [VISIT] };
    await app.objects.provision(tenant.id, request);
    expect(await statusOf('POST', '/api/crm/custom/sbx_visit/records', await tokenOf(OWNER), {})).toBe(201);
    expect(await statusOf('GET', '/api/crm/custom/sbx_visit/records', await tokenOf(OTHER))).toBe(404);
  });

  it('does not see the objects of other apps, nor whether they exist', async () => {
    expect(await answersTo(OTHER)).toEqual([404, 404, 404, 404, 404, 404, 0]);
    const token = await tokenOf(OTHER);
    const [there, nowhere] = [
      await call('POST', `${PATH}/records`, token, { title: 7, unknown: 1 }),
      await call('POST', '/api/crm/custom/nowhere/records', token, { title: 7, unknown: 1 }),
    ];
    for (const { body } of [there, nowhere]) {
      expect(body).toMatchObject({ status: 404, code: 'NOT_FOUND', detail: 'There is no such object' });
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

  it('still needs the scope for what is shared with it', async () => {
    await share('write');
    const reader = await tokenOf(OTHER, ['custom_objects:read']);
    expect(await statusOf('GET', `${PATH}/records`, reader)).toBe(200);
    expect(await statusOf('POST', `${PATH}/records`, reader, {})).toBe(403);
    expect(await statusOf('GET', `${PATH}/records`, await tokenOf(OTHER, ['leads']))).toBe(403);
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
    const act = { sub: OTHER, installation_id: randomUUID() };
    const claims = { aud: AUDIENCES.internal, tid: tenant.id, sub: act.installation_id, sid: undefined };
    const token = await testTokens().sign({
      ...claims,
      ...{ roles: [`app:${OTHER}`], scopes: ['custom_objects'], act },
    } as never);
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
    it('is chosen by administrators alone', async () => {
      for (const token of [tenant.member, tenant.viewer, await tokenOf(OWNER), await tokenOf(OTHER)]) {
        expect(await statusOf('PUT', `${PATH}/apps/${OTHER}`, token, { access: 'write' })).toBe(403);
        expect(await statusOf('GET', `${PATH}/apps`, token)).toBe(403);
      }
      const embedded = await testTokens().sign({
        ...{ tid: tenant.id, sub: randomUUID(), roles: ['admin'], scopes: ['custom_objects'], sid: undefined },
        ...{ embed: true, embed_app_id: OTHER, act: { sub: OTHER } },
      } as never);
      expect(await statusOf('PUT', `${PATH}/apps/${OTHER}`, embedded, { access: 'write' })).toBe(403);
    });

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
      expect((await share('read', OWNER)).status).toBe(422);
      expect((await share('everything')).status).toBe(422);
      const undeclared = { access: 'read', fields: ['title'] };
      expect(await statusOf('PUT', `${PATH}/apps/${OTHER}`, tenant.admin, undeclared)).toBe(422);
      expect((await share('read', 'Not_a_key')).status).toBe(404);
      expect(await statusOf('PUT', `/api/crm/custom/nowhere/apps/${OTHER}`, tenant.admin, { access: 'read' })).toBe(
        404,
      );
      expect(await statusOf('GET', '/api/crm/custom/nowhere/apps', tenant.admin)).toBe(404);
      const stranger = await app.tenant('enterprise', []);
      expect(await statusOf('PUT', `${PATH}/apps/${OTHER}`, stranger.admin, { access: 'read' })).toBe(404);
    });

    it('is an app that the marketplace knows, unless a share of it is changed or ended', async () => {
      const { unknownApps } = app;
      try {
        unknownApps.add(OTHER);
        for (const access of ['read', 'write']) {
          const { status, body } = await share(access);
          expect([status, body.code, body.detail]).toEqual([404, 'NOT_FOUND', 'There is no such app']);
        }
        expect((await call('GET', `${PATH}/apps`, tenant.admin)).body.data).toEqual([]);
        expect((await share('none')).status).toBe(200);

        unknownApps.delete(OTHER);
        expect((await share('read')).status).toBe(200);
        unknownApps.add(OTHER);
        expect((await share('write')).status).toBe(200);
        expect((await share('none')).status).toBe(200);
        expect((await share('read')).status).toBe(404);
      } finally {
        unknownApps.clear();
      }
    });

    it('is one of at most 100', async () => {
      await app.service.get(Database).transaction(tenant.id, (tx) =>
        tx.query(
          `INSERT INTO custom_object_share (tenant_id, object_id, app_key, access)
           SELECT tenant_id, id, 'app-' || n, 'read' FROM custom_object, generate_series(1, 100) AS n WHERE tenant_id = $1`,
          [tenant.id],
        ),
      );
      expect((await share('read')).status).toBe(422);
      expect((await share('write', 'app-7')).status).toBe(200);
      expect((await share('none', 'app-8')).status).toBe(200);
      expect((await share('read')).status).toBe(200);
    });
  });
});

describe('a workflow step', () => {
  const internalToken = (
    tenantId: string,
    claims: { roles: string[]; sub?: string; scopes?: string[]; act?: object },
  ) => testTokens().sign({ aud: AUDIENCES.internal, tid: tenantId, sid: undefined, ...claims } as never);
  const call = <C extends RpcContract>(contract: C, request: RpcRequest<C>, token?: string): Promise<RpcResponse<C>> =>
    new Rpc(connection).call(contract, request, { token });

  it('that creates a standard record finds it when it is repeated', async () => {
    const { id: tenantId, call: request } = await app.tenant();
    const step = { object: 'task', values: { title: 'Call back' }, idempotencyKey: randomUUID() };
    const sub = randomUUID();
    const token = () => internalToken(tenantId, { roles: ['member'], sub });
    const first = await call(createRecord, step, await token());
    const again = await call(createRecord, step, await token());
    expect(again).toEqual(first);
    expect((await request('GET', `/api/crm/tasks/${first.id}`)).body).toMatchObject({ title: 'Call back', version: 1 });
  });

  it('changes a standard record', async () => {
    const { id: tenantId, call: request } = await app.tenant();
    const { body: lead } = await request('POST', '/api/crm/leads', { lastName: 'A' });
    const token = await internalToken(tenantId, { roles: ['member'] });
    const change = { object: 'lead', id: lead.id, values: { status: 'hot' } };
    expect(await call(updateRecord, change, token)).toEqual({ id: lead.id });
    expect((await request('GET', `/api/crm/leads/${lead.id}`)).body).toMatchObject({ status: 'hot', version: 2 });
  });

  it('has the rights of its token and no more', async () => {
    const { id: tenantId, call: request } = await app.tenant();
    const { body: lead } = await request('POST', '/api/crm/leads', { lastName: 'A' });
    const create = { object: 'lead', values: { lastName: 'B' }, idempotencyKey: randomUUID() };
    const viewer = await internalToken(tenantId, { roles: ['viewer'] });
    await expect(call(createRecord, create, viewer)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    const act = { sub: 'some-app', installation_id: newId() };
    // The scope is that of the object: neither reading it nor writing others is enough.
    const narrowed = await internalToken(tenantId, {
      roles: ['app:some-app'],
      scopes: ['tasks', 'custom_objects', 'leads:read'],
      act,
    });
    await expect(call(createRecord, create, narrowed)).rejects.toMatchObject({ code: 'INSUFFICIENT_SCOPE' });
    const change = { object: 'lead', id: lead.id, values: { status: 'x' } };
    await expect(call(updateRecord, change, narrowed)).rejects.toMatchObject({ code: 'INSUFFICIENT_SCOPE' });
    await expect(call(createRecord, create)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    const stranger = await internalToken(newId(), { roles: ['admin'] });
    await expect(call(updateRecord, change, stranger)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('that writes to an object that does not exist is refused', async () => {
    const { id: tenantId } = await app.tenant();
    const token = await internalToken(tenantId, { roles: ['member'] });
    for (const object of ['nothing', 'leads', 'deal', 'toString', '']) {
      const create = { object, values: {}, idempotencyKey: randomUUID() };
      await expect(call(createRecord, create, token)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
  });

  it('receives every problem of its values', async () => {
    const { id: tenantId } = await app.tenant();
    const token = await internalToken(tenantId, { roles: ['member'] });
    const create = { object: 'lead', values: { email: 'x', colour: 1 }, idempotencyKey: randomUUID() };
    await expect(call(createRecord, create, token)).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      extra: {
        errors: expect.arrayContaining(
          ['/lastName', '/email', '/colour'].map((pointer) => expect.objectContaining({ pointer })),
        ),
      },
    });
  });
});
