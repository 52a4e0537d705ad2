import { currentRequestContext, type Principal } from '@crm/context';
import { type ExecutionContext, Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import { requirementOf } from './access-requirement.js';
import { AccessTokenStrategy } from './access-token.strategy.js';
import { type AuthenticatedCall, callOf } from './authenticated-call.js';

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
    return requirementOf(context) === 'public' || this.authenticate(context);
  }

  override getRequest(context: ExecutionContext): AuthenticatedCall {
    return callOf(context);
  }

  private async authenticate(context: ExecutionContext): Promise<boolean> {
    const call = this.getRequest(context);
    const principal = await this.strategy.validate(call);
    call.principal = principal;
    fillRequestContext(principal);
    return true;
  }
}

function fillRequestContext(principal: Principal): void {
  const current = currentRequestContext();
  if (!current) return;
  current.principal = principal;
  current.tenantId = principal.tenantId || undefined;
}
