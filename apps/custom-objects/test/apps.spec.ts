import { randomUUID } from 'node:crypto';
import { AUDIENCES, rpc } from '@crm/contracts';
import { Database } from '@crm/database';
import { NatsConnection, Rpc } from '@crm/messaging';
import { testNats, testTokens } from '@crm/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { DeclaredObject } from '../src/object/object-definition.js';
import { type CustomObjectsService, startCustomObjects, type Tenant } from './custom-objects-service.js';

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
  let service: CustomObjectsService;
  let tenant: Tenant;
  beforeAll(async () => {
    service = await startCustomObjects();
  });
  afterAll(() => service?.close());
  beforeEach(async () => {
    tenant = await service.tenant('enterprise', [VISIT]);
  });

  const call: CustomObjectsService['call'] = (...request) => service.call(...request);
  const tokenOf = (app: string, scopes = ['custom_objects']) => service.appToken(tenant.id, app, scopes);
  const share = (access: string, app: string = OTHER) => call('PUT', `${PATH}/apps/${app}`, tenant.admin, { access });
  const statusOf = async (...request: Parameters<typeof call>) => (await call(...request)).status;
  /** The answers to an app that reads, lists, creates, changes and deletes, and to one that looks at the definition. */
  const answersTo = async (app: string) => {
    const token = await tokenOf(app);
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
    await service.objects.provision(tenant.id, request);
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
    const { url, passwords } = testNats();
    const user = 'automation-hooks';
    const connection = await NatsConnection.open({ url, user, password: passwords[user], service: user });
    const step = () =>
      new Rpc(connection)
        .call(
          rpc.customObjects.createRecord,
          { object: 'visit', values: { title: 'x' }, idempotencyKey: randomUUID() },
          { token },
        )
        .then(
          () => 'created',
          ({ code }: { code: string }) => code,
        );
    try {
      expect(await step()).toBe('NOT_FOUND');
      await share('read');
      expect(await step()).toBe('FORBIDDEN');
      await share('write');
      expect(await step()).toBe('created');
    } finally {
      await connection.close();
    }
  });

  it('is named in the events of an object that it sees, as the shares are when the change commits', async () => {
    await call('POST', `${PATH}/records`, tenant.admin, { title: 'one' });
    await share('read');
    const { id } = (await call('POST', `${PATH}/records`, tenant.admin, { title: 'two' })).body;
    await share('write', THIRD);
    await call('PATCH', `${PATH}/records/${id}`, tenant.admin, { title: 'three' });
    await share('none');
    await call('DELETE', `${PATH}/records/${id}`, tenant.admin);
    const rows = await service.service
      .get(Database)
      .crossTenant((tx) =>
        tx.query<{ appkeys: string }>(
          `SELECT envelope::jsonb->>'appkeys' AS appkeys FROM outbox WHERE tenant_id = $1 ORDER BY id`,
          [tenant.id],
        ),
      );
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
      const stranger = await service.tenant('enterprise', []);
      expect(await statusOf('PUT', `${PATH}/apps/${OTHER}`, stranger.admin, { access: 'read' })).toBe(404);
    });

    it('is an app that the marketplace knows, unless a share of it is changed or ended', async () => {
      const { unknownApps } = service;
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
      await service.service.get(Database).transaction(tenant.id, (tx) =>
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
