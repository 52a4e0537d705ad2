import { randomUUID } from 'node:crypto';
import { type AppImpact, AUDIENCES, rpc } from '@crm/contracts';
import { answerRpc, startTestService, type TestService, testServiceConfig, testTokens } from '@crm/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { AppModule } from '../src/app.module.js';
import type { MarketplaceAdminConfig } from '../src/config.js';

const config: MarketplaceAdminConfig = { service: testServiceConfig('marketplace-admin'), limits: {} };
const tokens = testTokens();
const neighbours: { close(): Promise<void> }[] = [];
let service: TestService;
let operator: string;

beforeAll(async () => {
  const options = { keySource: tokens.keySource, audiences: [AUDIENCES.admin] };
  service = await startTestService(config, AppModule.with(config), options);
  operator = await tokens.sign({ aud: AUDIENCES.admin, tid: undefined, roles: ['administrator'], scopes: [] });
});
afterEach(async () => {
  for (const neighbour of neighbours.splice(0)) await neighbour.close();
});
afterAll(() => service?.close());

const impact: AppImpact = {
  appKey: 'fleet',
  name: 'Fleet',
  publisher: { tenantId: randomUUID(), name: 'Acme' },
  visibility: 'public',
  publishedVersion: '1.0.0',
  suspendedVersion: null,
  revoked: false,
  unlistedByOperator: false,
  installations: 7,
  tenants: 5,
  sandboxes: 1,
};
const { appKey, installations, tenants, sandboxes, ...rest } = impact;
const view = { key: appKey, ...rest, impact: { installations, tenants, sandboxes } };
const request = (method: string, path: string, body?: unknown) =>
  service.request<Record<string, unknown>>(method, `/api/admin/apps/${path}`, { token: operator, body });

describe('the apps of operators', () => {
  it('show how much depends on them before a decision, and after it', async () => {
    const seen: unknown[] = [];
    neighbours.push(await answerRpc(rpc.marketplace.getAppImpact, () => impact));
    neighbours.push(
      await answerRpc(rpc.marketplace.decideApp, (call) => {
        seen.push(call);
        return { ...impact, publishedVersion: null };
      }),
    );
    const shown = await request('GET', 'fleet/impact');
    expect([shown.status, shown.body]).toEqual([200, view]);
    const suspended = await request('POST', 'fleet/suspend', { reason: 'It loses data.' });
    expect([suspended.status, suspended.body]).toEqual([200, { ...view, publishedVersion: null }]);
    expect(seen).toEqual([{ appKey: 'fleet', decision: 'suspend', reason: 'It loses data.' }]);
    expect((await request('POST', 'fleet/revoke', { reason: 'It steals data.' })).status).toBe(200);
    expect(seen.at(-1)).toEqual({ appKey: 'fleet', decision: 'revoke', reason: 'It steals data.' });
  });

  it('are never decided on without a reason', async () => {
    for (const body of [undefined, {}, { reason: '' }, { reason: ' ' }, { reason: 'x'.repeat(2001) }]) {
      expect((await request('POST', 'fleet/suspend', body)).status).toBeGreaterThanOrEqual(400);
      expect((await request('POST', 'fleet/suspend', body)).status).toBeLessThan(500);
    }
    expect((await request('POST', 'fleet/celebrate', { reason: 'x' })).status).toBe(404);
  });
});
