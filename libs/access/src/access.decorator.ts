import type { Right, ScopeName } from '@crm/contracts';
import { createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { callOf } from './authenticated-call.js';
import type { Principal } from './principal.js';

/** What a route or an RPC handler requires of its principal. */
export interface AccessRule {
  /** The right that the role must include. */
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

/** Marks a route or a handler that needs no token. */
export const Public = (): MethodDecorator & ClassDecorator => SetMetadata(PUBLIC_ROUTE, true);

/** Injects the principal into a route or an RPC handler with {@link Access}. */
export const CurrentPrincipal = createParamDecorator((_data: unknown, context: ExecutionContext): Principal => {
  const { principal } = callOf(context);
  if (!principal) throw new Error('CurrentPrincipal is used in a handler without Access');
  return principal;
});
