import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { DeclaredObject } from '../src/object/object-definition.js';
import { type CustomObjectsService, type Json, startCustomObjects, type Tenant } from './custom-objects-service.js';

const VISITS: DeclaredObject[] = [
  { apiName: 'site', fields: [{ apiName: 'name', type: 'text' }] },
  {
    apiName: 'visit',
    fields: [
      { apiName: 'title', type: 'text' },
      { apiName: 'lead', type: 'reference', referenceTarget: 'lead', onDelete: 'restrict' },
      { apiName: 'site', type: 'reference', referenceTarget: 'custom:site' },
    ],
  },
];
const TRIPS: DeclaredObject[] = [
  { apiName: 'trip', fields: [{ apiName: 'site', type: 'reference', referenceTarget: 'custom:site' }] },
];
const [SITE, VISIT, TRIP] = ['site', 'visit', 'trip'].map((name) => `/api/crm/custom/${name}/records`) as [
  string,
  string,
  string,
];
const LEAD = '/api/crm/leads';
const TASK = '/api/crm/tasks';

describe('a reference', () => {
  let service: CustomObjectsService;
  let tenant: Tenant;
  let lead: string;
  let company: string;
  beforeAll(async () => {
    service = await startCustomObjects();
  });
  afterAll(() => service?.close());
  beforeEach(async () => {
    tenant = await service.tenant('enterprise', VISITS);
    lead = await idOf(LEAD, { lastName: 'Lovelace' });
    company = await idOf('/api/crm/companies', { name: 'Acme' });
  });

  const call: CustomObjectsService['call'] = (...request) => service.call(...request);
  const idOf = async (path: string, body: object) => (await service.create(path, tenant.admin, body)).id;
  const appToken = (appKey: string, ...scopes: string[]) => service.appToken(tenant.id, appKey, scopes);
  const shown = ({ status, body }: { status: number; body: Json }) => [status, body.code, body.detail, body.errors];

  it('to a record of a standard object needs the scope to read it, whether the record exists or not', async () => {
    const blind = await appToken('acme-visits', 'custom_objects');
    const visit = await idOf(VISIT, { title: 'x' });
    for (const id of [lead, randomUUID()]) {
      for (const answer of [
        await call('POST', VISIT, blind, { lead: id }),
        await call('PATCH', `${VISIT}/${visit}`, blind, { lead: id }),
      ]) {
        expect(shown(answer)).toEqual([403, 'INSUFFICIENT_SCOPE', 'The scope leads:read is required', undefined]);
      }
    }
    expect((await call('PATCH', `${VISIT}/${visit}`, blind, { lead: null, title: 'y' })).status).toBe(200);
    const reader = await appToken('acme-visits', 'custom_objects', 'leads:read');
    expect((await call('POST', VISIT, reader, { lead })).status).toBe(201);
    expect((await call('POST', VISIT, reader, { lead: randomUUID() })).body.errors).toEqual([
      expect.objectContaining({ pointer: '/lead', code: 'REFERENCE_NOT_FOUND' }),
    ]);
  });

  it('in the session of a user needs what the session is narrowed to', async () => {
    const narrowed = await tenant.sign({ roles: ['member'], scopes: ['custom_objects'] });
    expect((await call('POST', VISIT, narrowed, { lead })).status).toBe(403);
    expect((await call('POST', VISIT, tenant.member, { lead })).status).toBe(201);
  });

  it('that can name records of several objects names those that the scopes allow to read', async () => {
    const write = async (scopes: string[], relatedTo: string) =>
      call('POST', TASK, await appToken('acme-visits', 'tasks', ...scopes), { title: 'x', relatedTo });
    expect((await write([], lead)).body).toMatchObject({ status: 403, code: 'INSUFFICIENT_SCOPE' });
    expect((await write(['leads:read'], lead)).status).toBe(201);
    expect(shown(await write(['leads:read'], company))).toEqual(shown(await write(['leads:read'], randomUUID())));
    expect((await write(['leads:read', 'companies'], company)).status).toBe(201);
  });

  it('to an object that an app does not see is refused like one to an unknown record', async () => {
    await service.objects.provision(tenant.id, {
      installationId: randomUUID(),
      appKey: 'trips',
      sandbox: false,
      objects: TRIPS,
    });
    const site = await idOf(SITE, { name: 'Turin' });
    const token = await appToken('trips', 'custom_objects');
    const write = (id: string) => call('POST', TRIP, token, { site: id });
    expect(shown(await write(site))).toEqual(shown(await write(randomUUID())));
    expect((await write(site)).body.errors).toEqual([
      expect.objectContaining({ pointer: '/site', code: 'REFERENCE_NOT_FOUND' }),
    ]);
    expect((await call('POST', TRIP, tenant.member, { site })).status).toBe(201);
    expect((await call('POST', VISIT, await appToken('acme-visits', 'custom_objects'), { site })).status).toBe(201);
    await call('PUT', '/api/crm/custom/site/apps/trips', tenant.admin, { access: 'read' });
    expect((await write(site)).status).toBe(201);
    expect((await write(randomUUID())).status).toBe(422);
  });

  it('that restricts a deletion does not tell an app the name of an object that it does not see', async () => {
    await idOf(VISIT, { lead });
    const refusal = async (token: string) => (await call('DELETE', `${LEAD}/${lead}`, token)).body;
    const [other, own] = [await appToken('trips', 'leads'), await appToken('acme-visits', 'leads')];
    expect(await refusal(other)).toMatchObject({
      status: 409,
      detail: 'Another record refers to this one and needs it',
    });
    for (const token of [own, tenant.admin]) {
      expect(await refusal(token)).toMatchObject({
        status: 409,
        detail: 'A record of visit refers to this one and needs it',
      });
    }
  });
});
