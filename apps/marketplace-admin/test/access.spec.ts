import { randomUUID } from 'node:crypto';
import { AUDIENCES } from '@crm/contracts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { OperatorsApi, PASSKEY_ANSWER, tokens } from './operators-api.js';

let api: OperatorsApi;
beforeAll(async () => {
  api = await OperatorsApi.start();
});
afterEach(() => api.standAlone());
afterAll(() => api?.close());

describe('access to the operators’ API', () => {
  const id = randomUUID();
  const routes = [
    ['GET', '/api/admin/submissions', undefined, 'reviewer'],
    ['GET', `/api/admin/submissions/${id}`, undefined, 'reviewer'],
    ['POST', `/api/admin/submissions/${id}/publish`, {}, 'reviewer'],
    ['GET', '/api/admin/apps/fleet/impact', undefined, 'reviewer'],
    ['POST', '/api/admin/apps/fleet/suspend', { reason: 'x' }, 'administrator'],
    ['GET', '/api/admin/audit', undefined, 'administrator'],
    ['GET', '/api/admin/audit/export', undefined, 'administrator'],
    ['PATCH', `/api/admin/tenants/${id}`, { plan: 'business' }, 'administrator'],
    ['GET', '/api/admin/operators', undefined, 'administrator'],
    ['PATCH', `/api/admin/operators/${id}`, { role: 'administrator' }, 'administrator'],
    ['DELETE', `/api/admin/operators/${id}/sessions`, undefined, 'administrator'],
    ['DELETE', `/api/admin/operators/${id}/authenticator`, undefined, 'administrator'],
    ['GET', '/api/auth/me', undefined, 'reviewer'],
    ['POST', '/api/auth/logout', undefined, 'reviewer'],
    ['GET', '/api/auth/sessions', undefined, 'reviewer'],
    ['DELETE', '/api/auth/sessions', undefined, 'reviewer'],
    ['DELETE', `/api/auth/sessions/${id}`, undefined, 'reviewer'],
    ['POST', '/api/auth/step-up', {}, 'reviewer'],
    ['POST', '/api/auth/mfa/recovery-codes', undefined, 'reviewer'],
    ['GET', '/api/auth/passkeys', undefined, 'reviewer'],
    ['POST', '/api/auth/passkeys/options', undefined, 'reviewer'],
    ['POST', '/api/auth/passkeys', PASSKEY_ANSWER, 'reviewer'],
    ['PATCH', `/api/auth/passkeys/${id}`, { name: 'Key' }, 'reviewer'],
    ['DELETE', `/api/auth/passkeys/${id}`, undefined, 'reviewer'],
    ['POST', '/api/auth/step-up/passkey/options', undefined, 'reviewer'],
    ['POST', '/api/auth/step-up/passkey', PASSKEY_ANSWER, 'reviewer'],
  ] as const;

  it.each(routes)('is limited to operators for %s %s', async (method, path, body, least) => {
    const users = await tokens.sign({ roles: ['owner'] });
    for (const token of [users, 'nonsense']) {
      expect((await api.request(method, path, body, token)).status).toBe(401);
    }
    expect((await api.service.request(method, path, { body })).status).toBe(401);
    const roleless = await tokens.sign({ aud: AUDIENCES.admin, tid: undefined, roles: ['owner'], scopes: [] });
    expect((await api.request(method, path, body, roleless)).status).toBe(403);
    // Nobody answers for identity and marketplace-certification here: who is let through gets 503.
    expect((await api.request(method, path, body, api.reviewer)).status).toBe(least === 'reviewer' ? 503 : 403);
    expect((await api.request(method, path, body, api.administrator)).status).toBe(503);
  });
});
