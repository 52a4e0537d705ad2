import { EgressError, type EgressMethod, type OutsideClient } from '@crm/egress';
import type { CustomFetch } from 'openid-client';

/** Longest answer of a provider. The largest known documents, the keys of Microsoft's, have a third of it. */
const MAX_ANSWER_BYTES = 64 * 1024;

/** What `Response` refuses a body for. */
const BODILESS = [204, 205, 304];

/**
 * How the protocol library calls a provider: by the client of the platform, which checks every address, follows no redirect
 * and bounds the answer.
 * @param deadline of all calls together, on the clock of `performance.now()`
 */
export function egressFetch(outside: Pick<OutsideClient, 'request'>, deadline: number): CustomFetch {
  return async (url, { method, headers, body }) => {
    const totalMs = deadline - performance.now();
    if (totalMs <= 0) throw new EgressError('timeout_total', 'The provider took too long');
    const answer = await outside.request({
      method: method as EgressMethod,
      url,
      headers: { ...(body instanceof URLSearchParams && FORM), ...headers },
      ...(body !== undefined && body !== null && { body: String(body) }),
      timeouts: { totalMs },
      maxResponseBytes: MAX_ANSWER_BYTES,
    });
    const type = answer.headers['content-type'];
    return new Response(BODILESS.includes(answer.status) ? null : new Uint8Array(answer.body), {
      status: answer.status,
      ...(type !== undefined && { headers: { 'content-type': type } }),
    });
  };
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' };
