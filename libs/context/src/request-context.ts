import { AsyncLocalStorage } from 'node:async_hooks';
import type { Principal } from './principal.js';

/** What is known of the call in progress, wherever its work happens: an HTTP request, an RPC or an event. */
export interface RequestContext {
  readonly requestId: string;
  /** W3C trace context, version 00. */
  readonly traceparent?: string;
  /** Set once the token is verified, or by the consumer of an event. */
  tenantId?: string;
  principal?: Principal;
}

const storage = new AsyncLocalStorage<RequestContext>();

/** Runs the work, and whatever it starts, inside the context. */
export function runInRequestContext<T>(context: RequestContext, work: () => T): T {
  return storage.run(context, work);
}

export function currentRequestContext(): RequestContext | undefined {
  return storage.getStore();
}

export function currentRequestId(): string | undefined {
  return storage.getStore()?.requestId;
}

export function currentTraceparent(): string | undefined {
  return storage.getStore()?.traceparent;
}
