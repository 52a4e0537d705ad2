import { type AccessRule, authorize } from '@crm/access';
import { type Principal } from '@crm/context';
import { PlatformError } from '@crm/contracts';
import type { RpcContext } from './rpc-handler.js';

/**
 * The caller of a call that is made for a user, when the rule lets them: the same rule as `@Access` of a route.
 * @throws PlatformError UNAUTHENTICATED, FORBIDDEN, INSUFFICIENT_SCOPE or EMBED_TOKEN_REFUSED
 */
export function requireRight({ principal }: Pick<RpcContext, 'principal'>, rule: AccessRule): Principal {
  if (!principal) throw new PlatformError('UNAUTHENTICATED');
  authorize(principal, rule);
  return principal;
}
