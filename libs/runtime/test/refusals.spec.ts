import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TENANT, tokenOf } from './harness.js';
import { LeadService } from './lead-service.js';

let service: LeadService;
beforeAll(async () => {
  service = await LeadService.start();
});
afterAll(() => service?.close());

describe('a refusal', () => {
  it('answers 404 for an id that is not a UUID', async () => {
    expect((await service.call('GET', '/api/crm/leads/0199AA00-0000-7000-8000-000000000001')).json).toEqual({
      id: TENANT,
    });
    for (const id of ['1', "x'--", '0199aa00-0000-7000-8000-00000000000g', '%00', 'x'.repeat(400)]) {
      expect((await service.call('GET', `/api/crm/leads/${id}`)).json).toMatchObject({
        status: 404,
        code: 'NOT_FOUND',
      });
    }
  });

  it('answers an unknown route and an invalid path with a problem', async () => {
    expect((await service.call('GET', '/nowhere')).json).toMatchObject({
      status: 404,
      code: 'NOT_FOUND',
      instance: '/nowhere',
    });
    expect((await service.call('DELETE', '/api/crm/leads')).json).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    expect((await service.call('GET', '/api/crm/leads/%zz')).json).toMatchObject({
      status: 400,
      code: 'MALFORMED_REQUEST',
    });
  });

  it('hides the message of a defect', async () => {
    const answer = await service.call('GET', '/api/crm/defect');
    expect(answer.json).toMatchObject({
      status: 500,
      code: 'INTERNAL_ERROR',
      detail: 'Something went wrong on our side',
    });
    expect(answer.text).not.toMatch(/secret_table|SELECT|stack|Error:/);
  });

  it('sends Retry-After when a retry can help', async () => {
    const answer = await service.call('GET', '/api/crm/down');
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '7']);
  });

  it('requires a token, and distinguishes a missing one from an invalid one', async () => {
    const missing = await service.call('POST', '/api/crm/leads');
    expect([missing.status, missing.json.code, missing.headers.get('www-authenticate')]).toEqual([
      401,
      'UNAUTHENTICATED',
      'Bearer realm="crm"',
    ]);
    const wrong = await service.post('/api/crm/leads', {}, { authorization: 'Bearer a.b.c' });
    expect([wrong.status, wrong.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer realm="crm", error="invalid_token"',
    ]);
  });

  it('checks rights and scopes before the body', async () => {
    const as = async (claims: Record<string, unknown>) =>
      (await service.post('/api/crm/leads', { nonsense: 1 }, { authorization: `Bearer ${await tokenOf(claims)}` })).json
        .code;
    expect(await as({ roles: ['viewer'] })).toBe('FORBIDDEN');
    expect(await as({ embed: true, embed_app_id: 'acme', scopes: ['leads:read'] })).toBe('INSUFFICIENT_SCOPE');
    expect(await as({ embed: true, embed_app_id: 'acme', scopes: ['leads'] })).toBe('VALIDATION_FAILED');
  });

  it('never reveals the secret of a hook', async () => {
    const shown = await service.call('GET', '/api/crm/automations/hooks/w-1/5ecre7');
    expect(shown.json.instance).toBe('/api/crm/automations/hooks/w-1/[redacted]');
    const unknown = await service.call('GET', '/api/crm/automations/hooks/w-1/5ecre7/more?x=5ecre7');
    expect(unknown.text).not.toContain('5ecre7');
  });

  it('answers with a constant problem where a route declares it', async () => {
    const first = await service.call('POST', '/api/crm/automations/hooks/w-1/5ecre7');
    const second = await service.call('POST', '/api/crm/automations/hooks/w-2/other');
    expect(first.status).toBe(404);
    expect(first.text).toBe(second.text);
  });
});
