import { AsyncLocalStorage } from 'node:async_hooks';
import type { Principal } from './principal.js';

/** The context of the call in progress: an HTTP request, an RPC or an event. */
export interface RequestContext {
  readonly requestId: string;
  /** W3C trace context, version 00. */
  readonly traceparent?: string;
  /** Set when the token is verified, or by the consumer of an event. */
  tenantId?: string;
  principal?: Principal;
}

const storage = new AsyncLocalStorage<RequestContext>();

/** Runs the work, and everything it starts, inside the context. */
export function runInRequestContext<T>(context: RequestContext, work: () => T): T {
  return storage.run(context, work);
}

export function currentRequestContext(): RequestContext | undefined {
  return storage.getStore();
}

export function currentTraceparent(): string | undefined {
  return storage.getStore()?.traceparent;
}
