import type { Audience, Right, ScopeName } from '@crm/contracts';
import { createParamDecorator, type ExecutionContext, SetMetadata, type Type } from '@nestjs/common';
import type { Principal, RequestContext } from './request-context.js';

/** The request over HTTP, or the `RpcContext` of `@crm/messaging`; a guard reads `headers` and sets `principal`. */
export interface AuthenticatedCall {
  readonly headers: { readonly authorization?: string | undefined; readonly 'user-agent'?: string | undefined };
  /** Address of the client of an HTTP request. */
  readonly ip?: string;
  /** The request that the call is part of; the guard completes it. */
  readonly callContext: RequestContext;
  principal?: Principal;
  /** The token must have one of these audiences; default: those of the service (AccessOptions). */
  readonly audiences?: readonly Audience[];
}

export function callOf(context: ExecutionContext): AuthenticatedCall {
  // What `switchToRpc().getContext()` and `switchToHttp().getRequest()` return, without an object for each question.
  return context.getArgByIndex<AuthenticatedCall>(context.getType() === 'rpc' ? 1 : 0);
}

/** What a route or an RPC handler requires of its principal. */
export interface AccessRule {
  readonly right: Right;
  /** Scope that app and embed tokens need; `:read` is enough if the right is `read`. */
  readonly scope?: ScopeName;
  /** Whether embed tokens may call a route without a scope. With a scope they may unless this is `false`. */
  readonly embed?: boolean;
  /** Whether apps' own tokens may call a route without a scope. With a scope they may unless this is `false`. */
  readonly app?: boolean;
  /** Whether API keys may call a route without a scope. With a scope they may unless this is `false`. */
  readonly key?: boolean;
}

export const ACCESS_RULE = 'crm:access-rule';
export const PUBLIC_ROUTE = 'crm:public-route';

/** Who may call the route or the RPC handler. A service does not start if one has neither this nor {@link Public}. */
export const Access = (rule: AccessRule): MethodDecorator & ClassDecorator => SetMetadata(ACCESS_RULE, rule);

export const Public = (): MethodDecorator & ClassDecorator => SetMetadata(PUBLIC_ROUTE, true);

export const CurrentPrincipal = createParamDecorator((_data: unknown, context: ExecutionContext): Principal => {
  const { principal } = callOf(context);
  if (!principal) throw new Error('CurrentPrincipal is used in a handler without Access');
  return principal;
});

/** What a handler requires: nothing (`public`), or a token that satisfies a rule. */
type AccessRequirement = 'public' | AccessRule;

/** Decorators do not change after a class is defined, so those of each handler are read once. */
const known = new WeakMap<Type, Map<unknown, AccessRequirement>>();

/** The method's decorators precede its class's, `@Public` precedes `@Access`. @throws Error when it has neither */
export function requirementOf(context: Pick<ExecutionContext, 'getClass' | 'getHandler'>): AccessRequirement {
  const type = context.getClass();
  const handler = context.getHandler();
  let handlers = known.get(type);
  if (!handlers) {
    handlers = new Map();
    known.set(type, handlers);
  }
  let requirement = handlers.get(handler);
  if (requirement === undefined) {
    requirement = readRequirement(type, handler);
    handlers.set(handler, requirement);
  }
  return requirement;
}

function readRequirement(type: Type, handler: object): AccessRequirement {
  const read = (key: string): unknown => Reflect.getMetadata(key, handler) ?? Reflect.getMetadata(key, type);
  if (read(PUBLIC_ROUTE)) return 'public';
  const rule = read(ACCESS_RULE);
  if (!rule) throw new Error(`${type.name} has a handler without an access rule`);
  return rule as AccessRule;
}
