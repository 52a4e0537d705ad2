import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TENANT } from './harness.js';
import { LeadService } from './lead-service.js';

let service: LeadService;
beforeAll(async () => {
  service = await LeadService.start();
});
afterAll(() => service?.close());

describe('the body of a request', () => {
  it('passes a valid body with its defaults, and the principal, to the handler', async () => {
    const answer = await service.post('/api/crm/leads', { lastName: 'Ada', email: null }, { 'x-request-id': 'abc-1' });
    expect(answer.status).toBe(201);
    expect(answer.json).toEqual({ lastName: 'Ada', email: null, status: 'new', tenant: TENANT, requestId: 'abc-1' });
    expect(answer.headers.get('x-request-id')).toBe('abc-1');
  });

  it('reports every invalid value with a pointer', async () => {
    const body = {
      lastName: '',
      email: 'nobody',
      status: 'lost',
      tags: ['a', 5],
      address: { city: 'Berlin', zip: 1 },
      'a/b~c': 1,
    };
    const answer = await service.post('/api/crm/leads', body);
    expect(answer.status).toBe(422);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.json).toMatchObject({
      type: 'http://base.test/problems/validation-failed',
      title: 'Some values are not valid',
      status: 422,
      code: 'VALIDATION_FAILED',
      instance: '/api/crm/leads',
      requestId: answer.headers.get('x-request-id'),
    });
    const found = answer.json.errors.map(
      ({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`,
    );
    expect(found.sort()).toEqual([
      '/address/city TOO_LONG',
      '/address/zip UNKNOWN_FIELD',
      '/a~1b~0c UNKNOWN_FIELD',
      '/email INVALID_FORMAT',
      '/lastName TOO_SHORT',
      '/status NOT_AN_OPTION',
      '/tags/1 INVALID_TYPE',
    ]);
  });

  it.each([
    ['no JSON', '{"lastName":', 400, 'MALFORMED_REQUEST'],
    ['a list', '[]', 400, 'MALFORMED_REQUEST'],
    ['null', 'null', 400, 'MALFORMED_REQUEST'],
    ['a poisoned prototype', '{"lastName":"a","__proto__":{"roles":["owner"]}}', 400, 'MALFORMED_REQUEST'],
    ['a poisoned constructor', '{"lastName":"a","constructor":{"prototype":{}}}', 400, 'MALFORMED_REQUEST'],
    ['depth without end', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, 400, 'MALFORMED_REQUEST'],
    ['a million values', `{"lastName":"a","tags":[${'0,'.repeat(500_000)}0]}`, 400, 'MALFORMED_REQUEST'],
    ['a NUL', '{"lastName":"a\\u0000"}', 422, 'VALIDATION_FAILED'],
    ['half a character', '{"lastName":"\\ud800"}', 422, 'VALIDATION_FAILED'],
    ['an endless number', '{"lastName":1e999}', 422, 'VALIDATION_FAILED'],
    ['nothing', '', 422, 'VALIDATION_FAILED'],
    ['too much', JSON.stringify({ lastName: 'x'.repeat(1024 * 1024) }), 413, 'PAYLOAD_TOO_LARGE'],
  ])('refuses a body that is %s', async (_what, body, status, code) => {
    const answer = await service.post('/api/crm/leads', body);
    expect([answer.status, answer.json.code]).toEqual([status, code]);
  });

  it('accepts only JSON', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/xml',
    ]) {
      const answer = await service.post('/api/crm/leads', '{}', { 'content-type': type });
      expect([answer.status, answer.json.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    }
  });

  it('accepts any object as a free-form body, within its own limit', async () => {
    expect((await service.post('/api/crm/raw', { a: 1 })).json).toEqual({ keys: ['a'] });
    expect((await service.post('/api/crm/raw', [1])).status).toBe(400);
    expect((await service.post('/api/crm/raw', '')).status).toBe(400);
    expect((await service.post('/api/crm/raw', { a: 'x'.repeat(100) })).status).toBe(413);
  });
});
