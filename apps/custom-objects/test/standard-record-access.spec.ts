import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type List, type Problem, type StandardRecords, startStandardRecords } from './standard-records.js';

let app: StandardRecords;
beforeAll(async () => {
  app = await startStandardRecords();
});
afterAll(() => app.close());

describe('who may do what', () => {
  it('another tenant finds nothing', async () => {
    const own = await app.tenant();
    const other = await app.tenant();
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
    const { call } = await app.tenant();
    expect((await call('GET', '/api/crm/leads/17')).status).toBe(404);
    expect((await call('DELETE', '/api/crm/leads/%27')).status).toBe(404);
  });

  it('a viewer reads and does not write', async () => {
    const { as, call } = await app.tenant();
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
    const { as } = await app.tenant();
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
    expect((await app.request('GET', '/api/crm/leads')).status).toBe(401);
  });
});

describe('an Idempotency-Key', () => {
  const key = (value: string) => ({ 'idempotency-key': value });

  it('makes a repeated call find the record of the first', async () => {
    const { call, tenantId } = await app.tenant();
    const first = await call('POST', '/api/crm/leads', { lastName: 'A', status: 'new' }, key('k1'));
    await call('PATCH', `/api/crm/leads/${first.body.id}`, { status: 'old' });
    const again = await call('POST', '/api/crm/leads', { status: 'new', lastName: 'A' }, key('k1'));
    expect(again).toMatchObject({ status: 201, body: { id: first.body.id, version: 2, status: 'old' } });
    expect((await app.events(tenantId)).filter(({ name }) => name === 'lead.created')).toHaveLength(1);
  });

  it('belongs to one tenant, caller and route', async () => {
    const one = await app.tenant();
    const two = await app.tenant();
    const ids = new Set<string>();
    for (const { call } of [one, two]) {
      ids.add((await call('POST', '/api/crm/leads', { lastName: 'A' }, key('k'))).body.id);
      ids.add((await call('POST', '/api/crm/contacts', { lastName: 'A' }, key('k'))).body.id);
    }
    expect(ids.size).toBe(4);
  });

  it('of a failed call can be used again', async () => {
    const { call } = await app.tenant();
    expect((await call('POST', '/api/crm/leads', {}, key('k'))).status).toBe(422);
    expect((await call('POST', '/api/crm/leads', { lastName: 'A' }, key('k'))).status).toBe(201);
  });
});

it('the OpenAPI document describes what is written and read', async () => {
  const { body } = await app.request<{ paths: { [path: string]: { [method: string]: unknown } } }>(
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
