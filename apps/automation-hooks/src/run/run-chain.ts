import { parseUrl } from '@crm/address-policy';
import { newTrace } from '@crm/context';
import { type EventEnvelope, HOOK_PATH, isUuid } from '@crm/contracts';

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

/**
 * The trace of a run that is not recorded below what has started it. Its trace id is the run's id (both have 128 bits), so
 * that log entries of everything that it causes are found by the run.
 */
export const traceOf = (runId: string): string => newTrace(runId.replaceAll('-', ''));

/**
 * The id of the run that caused an event, if a run did; that of another cause is the id of no run. Events from before they
 * named their cause have the run's trace. Undefined without both.
 */
export function causingRun({
  causeid,
  traceparent,
}: Pick<EventEnvelope, 'causeid' | 'traceparent'>): string | undefined {
  if (isUuid(causeid)) return causeid;
  const trace = /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(traceparent ?? '')?.[1];
  return trace?.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
