import { afterEach, describe, expect, it } from '@jest/globals';
import { callApi, callApiForHeaders } from './call-api.js';
import { ApiProblem } from './problem/api-problem.js';

const own = globalThis.fetch;
afterEach(() => {
  globalThis.fetch = own;
});

/** Answers every call, and notes how it was made. */
function answering(answer: () => Response | Promise<Response>) {
  const calls: { path: unknown; init: RequestInit | undefined }[] = [];
  globalThis.fetch = async (path, init) => {
    calls.push({ path, init });
    return answer();
  };
  return calls;
}

describe('a call of nobody', () => {
  it('carries neither cookies nor a referrer nor a token, and nothing of it is cached', async () => {
    const calls = answering(() => Response.json({ accepted: true }, { status: 202 }));
    expect(await callApi({ method: 'POST', path: '/api/x', body: { a: 1 } })).toEqual({ accepted: true });
    const init = {
      method: 'POST',
      credentials: 'omit',
      cache: 'no-store',
      referrerPolicy: 'no-referrer',
      body: '{"a":1}',
    };
    expect(calls).toMatchObject([{ path: '/api/x', init }]);
    expect(calls[0]?.init?.headers).not.toHaveProperty('authorization');
  });

  it('has no body where there is none, and no answer where there is none', async () => {
    const calls = answering(() => new Response(null, { status: 204 }));
    expect(await callApi({ method: 'GET', path: '/api/x', token: 't' })).toBeUndefined();
    expect(calls[0]?.init?.headers).toEqual({ accept: 'application/json', authorization: 'Bearer t' });
    expect(calls[0]?.init).not.toHaveProperty('body');
  });

  it('takes and sends cookies only where it is said', async () => {
    const calls = answering(() => Response.json({}));
    await callApi({ method: 'POST', path: '/api/x', withCookies: true });
    await callApi({ method: 'POST', path: '/api/x' });
    expect(calls.map(({ init }) => init?.credentials)).toEqual(['same-origin', 'omit']);
  });

  it('sends further headers, which replace none of its own, and hands out those of the answer', async () => {
    const calls = answering(() => Response.json({ a: 1 }, { headers: { 'x-device-token': 'new' } }));
    const call = { method: 'POST', path: '/', headers: { 'x-device-token': 'old', accept: '*/*' } } as const;
    const { answer, headers } = await callApiForHeaders(call);
    expect([answer, headers.get('x-device-token')]).toEqual([{ a: 1 }, 'new']);
    expect(calls[0]?.init?.headers).toEqual({ 'x-device-token': 'old', accept: 'application/json' });
  });

  it('that is refused becomes a problem, also when something else than the API refuses it', async () => {
    answering(() => Response.json({ code: 'RATE_LIMITED' }, { status: 429, headers: { 'retry-after': '7' } }));
    const limited = { code: 'RATE_LIMITED', retryAfterSeconds: 7 };
    await expect(callApi({ method: 'GET', path: '/' })).rejects.toMatchObject(limited);
    answering(() => new Response('<h1>Bad gateway</h1>', { status: 502 }));
    await expect(callApi({ method: 'GET', path: '/' })).rejects.toMatchObject({ code: 'HTTP_502', status: 502 });
  });

  it('without an answer is a problem of the connection', async () => {
    answering(() => Promise.reject(new TypeError('Failed to fetch')));
    const problem = await callApi({ method: 'GET', path: '/' }).catch((error: unknown) => error);
    expect(problem).toBeInstanceOf(ApiProblem);
    expect(problem).toMatchObject({ code: 'OFFLINE', status: 0 });
  });
});
