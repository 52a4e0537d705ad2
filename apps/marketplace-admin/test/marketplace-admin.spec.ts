import { randomUUID } from 'node:crypto';
import { rpc } from '@crm/contracts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { OperatorsApi, tokens } from './operators-api.js';

let api: OperatorsApi;
beforeAll(async () => {
  api = await OperatorsApi.start();
});
afterEach(() => api.standAlone());
afterAll(() => api?.close());

describe('GET /api/admin/embed-conflicts', () => {
  it('shows operators the apps whose hosts presented addresses of other workspaces', async () => {
    const data = [
      {
        appKey: 'fleet',
        tenantId: randomUUID(),
        conflicts: 20,
        throttled: true,
        resetsAt: new Date().toISOString(),
      },
    ];
    await api.stand(rpc.identity.listEmbedConflicts, () => ({ data }));
    const { status, body } = await api.request('GET', '/api/admin/embed-conflicts');
    expect([status, body]).toEqual([200, { data }]);
  });

  it('is refused to a user of a tenant', async () => {
    const token = await tokens.sign({ roles: ['owner'] });
    expect((await api.request('GET', '/api/admin/embed-conflicts', undefined, token)).status).toBe(401);
  });
});

describe('operators', () => {
  it('are changed by identity, in the way that was asked for', async () => {
    const id = randomUUID();
    const view = {
      id,
      email: 'ada@platform.test',
      name: 'Ada',
      role: 'reviewer' as const,
      status: 'active' as const,
      linkedTenantId: null,
      authenticator: true,
      createdAt: new Date().toISOString(),
    };
    const seen: unknown[] = [];
    await api.stand(rpc.identity.changeOperator, (call) => {
      seen.push(call);
      return view;
    });
    const { status, body } = await api.request('PATCH', `/api/admin/operators/${id}`, { linkedTenantId: null });
    expect([status, body]).toEqual([200, view]);
    expect(
      (await api.request('PATCH', `/api/admin/operators/${id}`, { role: 'reviewer', status: 'disabled' })).status,
    ).toBe(200);
    expect(seen).toEqual([
      { id, linkedTenantId: null },
      { id, role: 'reviewer', status: 'disabled' },
    ]);
    expect((await api.request('PATCH', `/api/admin/operators/${id}`, { role: 'owner' })).status).toBe(422);
  });
});

describe('PATCH /api/admin/tenants/{id}', () => {
  it('sets the plan', async () => {
    const id = randomUUID();
    const seen: unknown[] = [];
    await api.stand(rpc.identity.setTenantPlan, (call) => {
      seen.push(call);
      return { id, name: 'Globex', plan: call.plan, timeZone: 'UTC', country: null };
    });
    const { status, body } = await api.request('PATCH', `/api/admin/tenants/${id}`, { plan: 'enterprise' });
    expect([status, body.plan]).toEqual([200, 'enterprise']);
    expect(seen).toEqual([{ tenantId: id, plan: 'enterprise' }]);
  });

  it('refuses an unknown plan', async () => {
    const { status, body } = await api.request('PATCH', `/api/admin/tenants/${randomUUID()}`, { plan: 'gold' });
    expect([status, body.code]).toEqual([422, 'VALIDATION_FAILED']);
  });
});

describe('the API of this address', () => {
  it('is documented, also as a page', async () => {
    type Document = { servers: object[]; paths: Record<string, object> };
    const document = await api.service.request<Document>('GET', '/api/openapi.json');
    expect(document.body.servers).toEqual([{ url: '/' }]);
    expect(Object.keys(document.body.paths)).toContain('/api/admin/submissions');
    const { status, headers } = await api.service.request('GET', '/api/docs');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  });
});
