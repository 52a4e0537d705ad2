import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { type ClientOptions, createApiClient } from './client.js';
import { ApiProblem } from './problem/api-problem.js';
import { problemInWords } from './problem/problem-words.js';
import { RecordsApi } from './records-api.js';

const json = (status: number, body: unknown, headers = {}) => Response.json(body, { status, headers });

const TOKENS = { current: async () => 'first', replacementFor: async () => 'second' };

function newApi(
  answer: (request: Request) => Response | Promise<Response>,
  options: Partial<ClientOptions> = { tokens: TOKENS },
) {
  const requests: Record<'url' | 'authorization' | 'ifMatch' | 'body', string | null>[] = [];
  jest.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    const request = input as Request;
    const { url, headers } = request;
    const body = await request.clone().text();
    requests.push({ url, authorization: headers.get('authorization'), ifMatch: headers.get('if-match'), body });
    return answer(request);
  });
  const client = createApiClient({ baseUrl: 'https://crm.example', ...options });
  return { api: new RecordsApi(client), requests };
}

afterEach(() => {
  jest.restoreAllMocks();
});

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

  it('of nobody carry no token, and like all of them neither cookies nor a referrer, unless one says so', async () => {
    const made: unknown[] = [];
    const note = ({ credentials, cache, referrerPolicy, headers }: Request) => {
      made.push([credentials, cache, referrerPolicy, headers.has('authorization')]);
      return json(401, { code: 'UNAUTHENTICATED' });
    };
    for (const options of [{}, { tokens: TOKENS }]) {
      const { client } = newApi(note, options).api;
      await expect(client.GET('/api/auth/me', {})).rejects.toMatchObject({ status: 401 });
    }
    const { client } = newApi(note, {}).api;
    await expect(client.GET('/api/auth/me', { credentials: 'same-origin' })).rejects.toThrow();
    const shared = ['no-store', 'no-referrer'];
    expect(made).toEqual([
      ['omit', ...shared, false],
      ['omit', ...shared, true],
      ['omit', ...shared, true],
      ['same-origin', ...shared, false],
    ]);
  });

  it('end when the next token is refused too', async () => {
    const { api, requests } = newApi(() => json(401, { code: 'UNAUTHENTICATED', detail: 'No' }));
    await expect(api.list('leads', {})).rejects.toMatchObject({ code: 'UNAUTHENTICATED', status: 401 });
    expect(requests).toHaveLength(2);
  });

  it('are refused with the code, the fields and the time to wait', async () => {
    const errors = [{ pointer: '/email', code: 'FORMAT', detail: 'Must be an email address' }, 'not a problem'];
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

  it.each([
    [7, 'en', 'Try again in 7 seconds.'],
    [91, 'de', 'Versuchen Sie es in 2 Minuten erneut.'],
  ] as const)('says after how long to try again: %d seconds', (seconds, language, text) => {
    const problem = new ApiProblem('RATE_LIMITED', 429, '', [], undefined, seconds);
    expect(problemInWords(problem, language).text).toBe(text);
  });
});
