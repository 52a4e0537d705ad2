import type { Audience } from '@crm/contracts';
import type { ExecutionContext } from '@nestjs/common';
import type { Principal } from './principal.js';
import type { RequestContext } from './request-context.js';

/**
 * What guards see of a call: the request over HTTP, or the `RpcContext` of `@crm/messaging` over NATS.
 * A guard reads the token from `headers` and sets `principal`.
 */
export interface AuthenticatedCall {
  readonly headers: { readonly authorization?: string | undefined; readonly 'user-agent'?: string | undefined };
  /** Address of the client of an HTTP request. */
  readonly ip?: string;
  /** The request that the call is part of; the guard completes it. */
  readonly callContext: RequestContext;
  /** Set by the guard once the token is verified. */
  principal?: Principal;
  /** The token must have one of these audiences; default: those of the service (AccessOptions). */
  readonly audiences?: readonly Audience[];
}

/** The call that a guard, an interceptor or a parameter decorator handles. */
export function callOf(context: ExecutionContext): AuthenticatedCall {
  // What `switchToRpc().getContext()` and `switchToHttp().getRequest()` return, without an object for each question.
  return context.getArgByIndex<AuthenticatedCall>(context.getType() === 'rpc' ? 1 : 0);
}
