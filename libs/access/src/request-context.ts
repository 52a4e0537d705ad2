import type { CallOrigin } from './call-origin.js';
import type { Principal } from './principal.js';

/**
 * What is known of the call in progress: an HTTP request, an RPC, an event or a run. It is passed on, never ambient:
 * `AsyncLocalStorage` would add a fifth to the processor time of every request on Node 20 (decision record 0055).
 */
export interface RequestContext extends CallOrigin {
  readonly requestId: string;
  /** Set when the token is verified. */
  tenantId?: string | undefined;
  principal?: Principal;
}

/** The members by which log entries of one request are found. */
export function logMembers({
  requestId,
  tenantId,
  traceparent,
}: CallOrigin & { readonly tenantId?: string | undefined }): {
  requestId?: string | undefined;
  tenantId?: string | undefined;
  traceId?: string | undefined;
} {
  return { requestId, tenantId, traceId: traceparent?.split('-')[1] };
}
