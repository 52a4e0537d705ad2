import type { Principal } from '@crm/context';
import type { Right, ScopeName } from '@crm/contracts';
import { createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { callOf } from './authenticated-call.js';

/** What a route or an RPC handler asks of its caller. */
export interface AccessRule {
  /** What the role must allow. */
  readonly right: Right;
  /** Scope that app and embed tokens need: `:read` is enough where the right is `read`. */
  readonly scope?: ScopeName;
  /** Whether embed tokens may call a route that names no scope. With a scope they may unless this is `false`. */
  readonly embed?: boolean;
  /** Whether apps' own tokens may call a route that names no scope. With a scope they may unless this is `false`. */
  readonly app?: boolean;
}

export const ACCESS_RULE = 'crm:access-rule';
export const PUBLIC_ROUTE = 'crm:public-route';

/** Who may call the route or the RPC handler. One with neither this nor {@link Public} stops the service from starting. */
export const Access = (rule: AccessRule): MethodDecorator & ClassDecorator => SetMetadata(ACCESS_RULE, rule);

/** The route or the handler needs no token. */
export const Public = (): MethodDecorator & ClassDecorator => SetMetadata(PUBLIC_ROUTE, true);

/** The caller, in a route or an RPC handler with {@link Access}. */
export const CurrentPrincipal = createParamDecorator((_data: unknown, context: ExecutionContext): Principal => {
  const { principal } = callOf(context);
  if (!principal) throw new Error('CurrentPrincipal is used in a handler without Access');
  return principal;
});
