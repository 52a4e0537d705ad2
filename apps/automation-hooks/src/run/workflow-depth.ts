import { parseUrl } from '@crm/address-policy';
import { HOOK_PATH } from '@crm/contracts';

/** Runs that may cause one another, through events or hooks; a longer chain is taken for a loop. */
export const MAX_DEPTH = 5;

/** Of a run that is not executed because its chain is longer. */
export const LOOP_STOPPED = {
  code: 'LOOP_STOPPED',
  detail: `It was caused by a chain of ${MAX_DEPTH} runs; a longer chain is taken for a loop`,
} as const;

/**
 * How deep in a chain the run is that calls a hook. The call carries it because it crosses tenants, whose runs this service
 * must not look up for each other. Nobody gains by inventing it: a larger depth shortens the caller's own chain, and a
 * missing or smaller one is what every call from outside has.
 */
export const DEPTH_HEADER = 'workflow-depth';

/** The depth of the run that a hook call starts: 0 for a call from outside. */
export function depthOfCall(header: string | string[] | undefined): number {
  return typeof header === 'string' && /^\d{1,4}$/.test(header) ? Number(header) + 1 : 0;
}

/**
 * The headers of a request that a run makes: its depth if the request calls a hook of this platform, and nothing for any
 * other address, so that nobody else learns of it. Redirects are not followed, so the header arrives nowhere else.
 * @param url as it is requested
 * @param hookBaseUrl the address at which hooks are called
 */
export function depthHeaders(url: string, hookBaseUrl: string, depth: number): Record<string, string> {
  return isHookUrl(url, hookBaseUrl) ? { [DEPTH_HEADER]: String(depth) } : {};
}

function isHookUrl(text: string, hookBaseUrl: string): boolean {
  const url = parseUrl(text);
  const hooks = new URL(`${hookBaseUrl}${HOOK_PATH}/`);
  return url?.origin === hooks.origin && url.pathname.startsWith(hooks.pathname);
}
