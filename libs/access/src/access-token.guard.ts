import { type ExecutionContext, Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import { requirementOf } from './access-requirement.js';
import { AccessTokenStrategy } from './access-token.strategy.js';
import { type AuthenticatedCall, callOf } from './authenticated-call.js';
import type { Principal } from './principal.js';

/**
 * Authenticates every call of a route or an RPC handler that is not `@Public()`: the call and the request context get
 * the principal of its token.
 *
 * It stands before every handler, so it asks the strategy itself. Passport's `authenticate` would add seven members to the
 * request and make a strategy object, its callbacks and three promises each time (decision record 0142).
 */
@Injectable()
export class AccessTokenGuard extends AuthGuard() {
  constructor(private readonly strategy: AccessTokenStrategy) {
    super({ defaultStrategy: strategy.name, property: 'principal', session: false });
  }

  override canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    if (requirementOf(context) === 'public') return true;
    const call = this.getRequest(context);
    const principal = this.strategy.recall(call);
    return principal ? admit(call, principal) : this.authenticate(call);
  }

  override getRequest(context: ExecutionContext): AuthenticatedCall {
    return callOf(context);
  }

  private async authenticate(call: AuthenticatedCall): Promise<boolean> {
    return admit(call, await this.strategy.validate(call));
  }
}

function admit(call: AuthenticatedCall, principal: Principal): true {
  const { callContext } = call;
  // A copy of its own: the remembered principal serves all requests with the token.
  call.principal = {
    ...principal,
    requestId: callContext.requestId,
    traceparent: callContext.traceparent,
    // Getters: few calls ask, and finding the address behind proxies has a cost.
    get address() {
      return call.ip;
    },
    get userAgent() {
      return call.headers['user-agent'];
    },
  };
  callContext.principal = principal;
  callContext.tenantId = principal.tenantId || undefined;
  return true;
}
