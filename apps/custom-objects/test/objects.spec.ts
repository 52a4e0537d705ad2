import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DeclaredObject } from '../src/object/object-definition.js';
import { type CustomObjectsService, SITE_VISIT, startCustomObjects } from './custom-objects-service.js';

const named = (apiName: string): DeclaredObject => ({ apiName, fields: [{ apiName: 'name', type: 'text' }] });

describe('custom objects of a tenant', () => {
  let app: CustomObjectsService;
  beforeAll(async () => {
    app = await startCustomObjects();
  });
  afterAll(() => app?.close());

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
