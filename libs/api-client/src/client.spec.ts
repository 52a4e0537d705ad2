import { describe, expect, it } from '@jest/globals';
import { createApiClient } from './client.js';
import { ApiProblem } from './problem/api-problem.js';
import { problemInWords } from './problem/problem-words.js';
import { RecordsApi } from './records-api.js';

const json = (status: number, body: unknown, headers = {}) => Response.json(body, { status, headers });

function newApi(answer: (request: Request) => Response | Promise<Response>, replacement = 'second') {
  const requests: Record<'url' | 'authorization' | 'ifMatch' | 'body', string | null>[] = [];
  const client = createApiClient({
    baseUrl: 'https://crm.example',
    tokens: { current: async () => 'first', replacementFor: async () => replacement },
    fetch: async (request) => {
      const { url, headers } = request;
      const body = await request.clone().text();
      requests.push({ url, authorization: headers.get('authorization'), ifMatch: headers.get('if-match'), body });
      return answer(request);
    },
  });
  return { api: new RecordsApi(client), requests };
}

describe('calls of the API', () => {
  it('carry the token, and reach the paths of standard and custom objects', async () => {
    const { api, requests } = newApi(() => json(200, { data: [], nextCursor: null }));
    await api.list('leads', { q: 'ada & co', size: 50 });
    await api.list('custom:site_visit', {});
    expect(requests).toMatchObject([
      { url: 'https://crm.example/api/crm/leads?q=ada%20%26%20co&size=50', authorization: 'Bearer first' },
      { url: 'https://crm.example/api/crm/custom/site_visit/records', authorization: 'Bearer first' },
    ]);
  });

  it('are made once more with the next token when one has ended, with the same body', async () => {
    const { api, requests } = newApi(({ headers }) =>
      headers.get('authorization') === 'Bearer second' ? json(200, { id: '1', version: 3 }) : json(401, {}),
    );
    expect(await api.update('leads', '1', { lastName: 'King' }, 2)).toMatchObject({ version: 3 });
    const same = { ifMatch: '"2"', body: '{"lastName":"King"}' };
    const twice = ['Bearer first', 'Bearer second'].map((authorization) => ({ authorization, ...same }));
    expect(requests).toMatchObject(twice);
  });

  it('end when the next token is refused too', async () => {
    const { api, requests } = newApi(() => json(401, { code: 'UNAUTHENTICATED', detail: 'No' }));
    await expect(api.list('leads', {})).rejects.toMatchObject({ code: 'UNAUTHENTICATED', status: 401 });
    expect(requests).toHaveLength(2);
  });

  it('are refused with the code, the fields and the time to wait', async () => {
    const errors = [{ pointer: '/email', code: 'FORMAT', detail: 'Must be an e-mail address' }, 'not a problem'];
    const refusal = { code: 'VALIDATION_FAILED', detail: 'No', errors };
    const { api } = newApi(() => json(422, refusal, { 'retry-after': '7' }));
    const problem = { code: 'VALIDATION_FAILED', fields: [errors[0]], retryAfterSeconds: 7, isTemporary: false };
    await expect(api.create('leads', {}, 'key')).rejects.toMatchObject(problem);
  });

  it('are a problem too without an answer, or with one that is not of the API', async () => {
    const offline = newApi(() => Promise.reject(new TypeError('Failed to fetch')));
    await expect(offline.api.list('leads', {})).rejects.toMatchObject({ code: 'OFFLINE', isTemporary: true });
    const proxy = newApi(() => new Response('<html>Bad gateway', { status: 502 }));
    await expect(proxy.api.list('leads', {})).rejects.toMatchObject({ code: 'HTTP_502', isTemporary: true });
  });
});

describe('a problem in words', () => {
  it.each([
    [0, 'OFFLINE', 'No connection'],
    [401, 'UNAUTHENTICATED', 'Your session has ended'],
    [403, 'FIELD_ACCESS_DENIED', 'Not allowed'],
    [404, 'NOT_FOUND', 'Not found'],
    [409, 'UNIQUE_VIOLATION', 'Already taken'],
    [412, 'VERSION_MISMATCH', 'Changed meanwhile'],
    [422, 'VALIDATION_FAILED', 'Not saved'],
    [429, 'RATE_LIMITED', 'Too many requests'],
    [503, 'SERVICE_UNAVAILABLE', 'Not available'],
    [418, 'TEAPOT', 'Something went wrong'],
  ])('of the status %d (%s) is: %s', (status, code, title) => {
    expect(problemInWords(new ApiProblem(code, status, ''), 'en').title).toBe(title);
    expect(problemInWords(new ApiProblem(code, status, ''), 'de').title).not.toBe(title);
  });
});
