import { randomUUID } from 'node:crypto';
import { AUDIENCES, PlatformError, rpc } from '@crm/contracts';
import { answerRpc, startTestService, type TestService, testServiceConfig, testTokens } from '@crm/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { AppModule } from '../src/app.module.js';
import type { MarketplaceAdminConfig } from '../src/config.js';

const config: MarketplaceAdminConfig = { service: testServiceConfig('marketplace-admin'), limits: {} };

const tokens = testTokens();
const neighbours: { close(): Promise<void> }[] = [];
let service: TestService;
let administrator: string;
let reviewer: string;

beforeAll(async () => {
  service = await startTestService(config, AppModule.with(config), {
    keySource: tokens.keySource,
    audiences: [AUDIENCES.admin],
  });
  const operator = { aud: AUDIENCES.admin, tid: undefined, scopes: [] };
  administrator = await tokens.sign({ ...operator, roles: ['administrator'] });
  reviewer = await tokens.sign({ ...operator, roles: ['reviewer'] });
});
afterEach(async () => {
  for (const neighbour of neighbours.splice(0)) await neighbour.close();
});
afterAll(() => service?.close());

const stand: typeof answerRpc = async (contract, handler) => {
  const neighbour = await answerRpc(contract, handler);
  neighbours.push(neighbour);
  return neighbour;
};
const request = (method: string, path: string, body?: unknown, token = administrator) =>
  service.request<Record<string, unknown>>(method, path, { token, body });

describe.each(['suspend', 'reinstate'] as const)('POST /api/admin/tenants/{id}/%s', (decision) => {
  const id = randomUUID();
  const path = `/api/admin/tenants/${id}/${decision}`;
  const body = { reason: 'It sends spam' };

  it('passes on the decision, with the token of the operator', async () => {
    const standing = {
      id,
      name: 'Globex',
      state: 'suspended' as const,
      suspendedAt: new Date().toISOString(),
      ...body,
    };
    const seen: unknown[] = [];
    await stand(rpc.identity.decideTenant, (call) => {
      seen.push(call);
      return standing;
    });
    const answer = await request('POST', path, body);
    expect([answer.status, answer.body]).toEqual([200, standing]);
    expect(seen).toEqual([{ tenantId: id, decision, ...body }]);
  });

  it('is not for reviewers, nor for users of a tenant', async () => {
    const ofTenant = await tokens.sign({ roles: ['owner'] });
    const statuses = [
      (await request('POST', path, body, reviewer)).body.code,
      (await request('POST', path, body, ofTenant)).status,
    ];
    expect(statuses).toEqual(['FORBIDDEN', 401]);
  });

  it.each([{}, { reason: '' }, { reason: ' ' }, { reason: 'x'.repeat(2001) }])(
    'needs a reason, not %j',
    async (input) => {
      const answer = await request('POST', path, input);
      expect([answer.status, answer.body.code]).toEqual([422, 'VALIDATION_FAILED']);
    },
  );

  it('answers 503 while identity does not answer: nothing was decided', async () => {
    const { status, headers } = await request('POST', path, body);
    expect([status, Number(headers.get('retry-after')) > 0]).toEqual([503, true]);
  });

  it.each(['STEP_UP_REQUIRED', 'OWN_WORKSPACE', 'NOT_FOUND'] as const)('passes on %s', async (code) => {
    await stand(rpc.identity.decideTenant, () => {
      throw new PlatformError(code);
    });
    expect((await request('POST', path, body)).body.code).toBe(code);
  });
});

describe('GET /api/admin/tenants', () => {
  it('lists those that are suspended', async () => {
    const data = [
      {
        id: randomUUID(),
        name: 'Globex',
        state: 'suspended' as const,
        suspendedAt: new Date().toISOString(),
        reason: 'x',
      },
    ];
    const list = { data, page: 1, size: 2, total: 1, totalIsExact: true, hasMore: false, nextCursor: null };
    const seen: unknown[] = [];
    await stand(rpc.identity.listSuspendedTenants, (call) => {
      seen.push(call);
      return list;
    });
    const answer = await request('GET', '/api/admin/tenants?state=suspended&size=2');
    expect([answer.status, answer.body]).toEqual([200, list]);
    expect(seen).toEqual([{ size: 2 }]);
  });

  it('is for administrators, and says which', async () => {
    const path = '/api/admin/tenants';
    expect((await request('GET', `${path}?state=suspended`, undefined, reviewer)).status).toBe(403);
    for (const query of ['', '?state=active']) expect((await request('GET', path + query)).status).toBe(400);
  });
});
