import { setTimeout as delay } from 'node:timers/promises';

/** body: parsed JSON, or null. @typedef {{ status: number, headers: Headers, body: any }} Answer */

/** Calls one public address of the platform.
 * @param {string} baseUrl
 * @returns {(method: string, path: string, options?: { token?: string, body?: unknown, headers?: Record<string, string>, expect?: number, signal?: AbortSignal }) => Promise<Answer>} `expect` is the status without which the call throws */
export function client(baseUrl) {
  return async (method, path, { token, body, headers, expect, signal } = {}) => {
    const response = await fetch(new URL(path, baseUrl), {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: 'error',
      ...(signal && { signal }),
    });
    const text = await response.text();
    const isJson = /^application\/(?:\w+\+)?json\b/.test(response.headers.get('content-type') ?? '');
    const parsed = text === '' ? null : isJson ? JSON.parse(text) : text;
    const answer = { status: response.status, headers: response.headers, body: parsed };
    if (expect !== undefined && answer.status !== expect) {
      const where = path.replace(/(\/automations\/hooks\/[^/]+\/)[^/]+/, '$1…');
      throw new Error(`${method} ${where} answered ${answer.status}, not ${expect}: ${text}`);
    }
    return answer;
  };
}

/** Asks again until the answer is there. @template T @param {() => Promise<T | null | undefined | false>} ask
 * @param {string} what for the message when it does not come @param {number} [timeoutMs] @returns {Promise<T>} */
export async function eventually(ask, what, timeoutMs = 30_000) {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const found = await ask();
    if (found) return found;
    if (Date.now() > deadline) throw new Error(`${what} did not happen within ${timeoutMs / 1000} s`);
    await delay(100);
  }
}
