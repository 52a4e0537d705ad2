import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TENANT, tokenOf } from './harness.js';
import { startLeadService } from './lead-service.js';

let service: Awaited<ReturnType<typeof startLeadService>>;
beforeAll(async () => {
  service = await startLeadService();
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
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect([answer.status, answer.json]).toMatchObject([
      422,
      {
        type: 'http://base.test/problems/validation-failed',
        title: 'Some values are invalid',
        status: 422,
        code: 'VALIDATION_FAILED',
        instance: '/api/crm/leads',
        requestId: answer.headers.get('x-request-id'),
      },
    ]);
    const errors = answer.json.errors as { pointer: string; code: string }[];
    expect(errors.map(({ pointer, code }) => `${pointer} ${code}`).sort()).toEqual([
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
    expect(answer.outcome).toEqual([status, code]);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/xml'])(
    'accepts only JSON, not %s',
    async (type) => {
      const answer = await service.post('/api/crm/leads', '{}', { 'content-type': type });
      expect(answer.outcome).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    },
  );

  it('accepts any object as a free-form body, within its own limit', async () => {
    expect((await service.post('/api/crm/raw', { a: 1 })).json).toEqual({ keys: ['a'] });
    expect((await service.post('/api/crm/raw', [1])).status).toBe(400);
    expect((await service.post('/api/crm/raw', '')).status).toBe(400);
    expect((await service.post('/api/crm/raw', { a: 'x'.repeat(100) })).status).toBe(413);
  });
});

describe('queries and headers of a request', () => {
  it('creates a request id when the given one is invalid', async () => {
    const answer = await service.get('/api/crm/leads', { 'x-request-id': 'a b<script>' });
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('reads list parameters', async () => {
    const exact = { size: 2, total: 3, totalIsExact: true };
    const first = (await service.get('/api/crm/leads?size=2')).json;
    expect(first).toMatchObject({ ...exact, page: 1, hasMore: true });
    const second = (await service.get('/api/crm/leads?page=2&size=2')).json;
    const data = [{ id: '0199aa00-0000-7000-8000-000000000003' }];
    expect(second).toEqual({ ...exact, data, page: 2, hasMore: false, nextCursor: null });
    expect((await service.get(`/api/crm/leads?size=2&cursor=${first.nextCursor}`)).json.data).toEqual(data);
  });

  it('says nothing about the total with count=none, and on later pages of a cursor unless a count is asked for', async () => {
    const unknown = { total: null, totalIsExact: false };
    const first = (await service.get('/api/crm/leads?size=2&count=none')).json;
    expect(first).toMatchObject({ ...unknown, hasMore: true });
    const later = `/api/crm/leads?size=2&cursor=${first.nextCursor}`;
    expect((await service.get(later)).json).toMatchObject({ ...unknown, hasMore: false });
    for (const count of ['exact', 'estimated']) {
      const { json } = await service.get(`${later}&count=${count}`);
      expect(json).toMatchObject({ total: 3, totalIsExact: true });
    }
  });

  it.each([
    ...['page=0', 'page=x', 'page=1&page=2', 'size=201', 'size=1.5', 'page=100000&size=200'],
    ...['colour=red', 'cursor=%00', 'cursor=', 'cursor=e30', 'count=all'],
  ])('refuses the query %s', async (query) => {
    const answer = await service.get(`/api/crm/leads?${query}`);
    expect(answer.outcome).toEqual([400, 'INVALID_QUERY']);
  });

  it('reads If-Match', async () => {
    const patch = async (ifMatch?: string) => {
      const headers = ifMatch === undefined ? undefined : { 'if-match': ifMatch };
      return (await service.call('PATCH', `/api/crm/leads/${TENANT}`, { headers })).status;
    };
    expect(await patch()).toBe(200);
    expect(await patch('"2", "3"')).toBe(200);
    expect(await patch('W/"3"')).toBe(412);
    expect(await patch('3')).toBe(400);
  });

  it('refuses an idempotency key for a call that returns a secret, after it has checked the rights', async () => {
    const answer = await service.post('/api/crm/tokens', {});
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([201, 'no-store']);
    const repeatable = await service.post('/api/crm/tokens', {}, { 'idempotency-key': 'k' });
    expect(repeatable.outcome).toEqual([400, 'MALFORMED_REQUEST']);
    expect((await service.post('/api/crm/tokens', {}, { 'idempotency-key': 'k', authorization: '' })).status).toBe(401);
  });
});

describe('a refusal', () => {
  it('answers 404 for an id that is not a UUID', async () => {
    const { json } = await service.get('/api/crm/leads/0199AA00-0000-7000-8000-000000000001');
    expect(json).toEqual({ id: TENANT });
    for (const id of ['1', "x'--", '0199aa00-0000-7000-8000-00000000000g', 'x'.repeat(400)]) {
      expect((await service.get(`/api/crm/leads/${id}`)).outcome).toEqual([404, 'NOT_FOUND']);
    }
  });

  it.each([
    ['GET', '/nowhere', 404, 'NOT_FOUND'],
    ['DELETE', '/api/crm/leads', 405, 'METHOD_NOT_ALLOWED'],
    ['GET', '/api/crm/leads/%00', 400, 'MALFORMED_REQUEST'],
    ['GET', '/api/crm/leads/%zz', 400, 'MALFORMED_REQUEST'],
  ])('answers %s of the unknown or invalid path %s with a problem', async (method, path, status, code) => {
    const { json } = await service.call(method, path);
    expect(json).toMatchObject({ status, code, instance: path });
  });

  it('hides the message of a defect', async () => {
    const answer = await service.get('/api/crm/defect');
    expect(answer.outcome).toEqual([500, 'INTERNAL_ERROR']);
    expect(answer.json.detail).toBe('Try again. If it keeps happening, contact support and include the request ID');
    expect(answer.text).not.toMatch(/secret_table|SELECT|stack|Error:/);
  });

  it('sends Retry-After when a retry can help', async () => {
    const answer = await service.get('/api/crm/down');
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '7']);
  });

  it('requires a token, and distinguishes a missing one from an invalid one', async () => {
    const missing = await service.call('POST', '/api/crm/leads');
    expect(missing.outcome).toEqual([401, 'UNAUTHENTICATED']);
    expect(missing.headers.get('www-authenticate')).toBe('Bearer realm="crm"');
    const wrong = await service.post('/api/crm/leads', {}, { authorization: 'Bearer a.b.c' });
    expect(wrong.status).toBe(401);
    expect(wrong.headers.get('www-authenticate')).toBe('Bearer realm="crm", error="invalid_token"');
  });

  it('checks rights and scopes before the body', async () => {
    const as = async (claims: Record<string, unknown>) => {
      const authorization = `Bearer ${await tokenOf(claims)}`;
      return (await service.post('/api/crm/leads', { nonsense: 1 }, { authorization })).json.code;
    };
    expect(await as({ roles: ['viewer'] })).toBe('FORBIDDEN');
    expect(await as({ embed: true, embed_app_id: 'acme', scopes: ['leads:read'] })).toBe('INSUFFICIENT_SCOPE');
    expect(await as({ embed: true, embed_app_id: 'acme', scopes: ['leads'] })).toBe('VALIDATION_FAILED');
  });

  it('never reveals the secret of a hook', async () => {
    const shown = await service.get('/api/crm/automations/hooks/w-1/5ecre7');
    expect(shown.json.instance).toBe('/api/crm/automations/hooks/w-1/[redacted]');
    const unknown = await service.get('/api/crm/automations/hooks/w-1/5ecre7/more?x=5ecre7');
    expect(unknown.text).not.toContain('5ecre7');
  });

  it('answers with a constant problem where a route declares it', async () => {
    const first = await service.call('POST', '/api/crm/automations/hooks/w-1/5ecre7');
    const second = await service.call('POST', '/api/crm/automations/hooks/w-2/other');
    expect(first.status).toBe(404);
    expect(first.text).toBe(second.text);
  });
});

describe('the OpenAPI document of a service', () => {
  it('generates its OpenAPI document from the same declarations', async () => {
    const { json } = await service.get('/api/openapi.json');
    expect(json.openapi).toBe('3.1.1');
    expect(json.paths['/api/crm/leads'].post).toMatchObject({
      operationId: 'Lead_create',
      summary: 'Creates a lead',
      security: [{ bearer: [] }, { apiKey: [] }],
      requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/CreateLead' } } } },
    });
    expect(json.components.schemas.CreateLead).toMatchObject({
      required: ['lastName'],
      additionalProperties: false,
      properties: {
        email: { type: ['string', 'null'], format: 'email', maxLength: 254 },
        address: { $ref: '#/components/schemas/Address' },
      },
    });
    const parameters = json.paths['/api/crm/leads'].get.parameters as { name: string }[];
    expect(parameters.map(({ name }) => name)).toEqual(['page', 'size', 'cursor', 'count']);
    expect(json.paths['/api/crm/leads/{id}'].patch.parameters).toContainEqual(
      expect.objectContaining({ name: 'If-Match', in: 'header', required: false }),
    );
    expect(Object.keys(json.paths)).not.toContain('/api/openapi.json');
  });

  it('documents the refusals that follow from the decorators of a route, and examples of its input', async () => {
    const { json } = await service.get('/api/openapi.json');
    const { patch } = json.paths['/api/crm/leads/{id}'];
    expect(Object.keys(patch.responses)).toEqual(expect.arrayContaining(['400', '404', '412', '429', '503']));
    expect(patch.responses['412'].content['application/problem+json'].examples).toEqual({
      VERSION_MISMATCH: { $ref: '#/components/examples/VERSION_MISMATCH' },
    });
    expect(json.components.examples.VERSION_MISMATCH.value).toMatchObject({ status: 412, code: 'VERSION_MISMATCH' });
    const { post } = json.paths['/api/crm/leads'];
    expect(post.description).toMatch(/^Roles: `owner`, `admin`, `member`/);
    expect(post.requestBody.content['application/json'].example).toMatchObject({
      lastName: 'text',
      email: 'ada@example.com',
      status: 'new',
    });
    expect(Object.keys(post.responses)).toEqual(expect.arrayContaining(['401', '403', '413', '415', '422']));
    expect(post.responses['422'].description).toContain('VALIDATION_FAILED');
  });
});
