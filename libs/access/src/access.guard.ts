import type { Principal } from '@crm/context';
import { currentRequestContext } from '@crm/context';
import { type Audience, PlatformError } from '@crm/contracts';
import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ACCESS_RULE, type AccessRule, PUBLIC_ROUTE } from './access.decorator.js';
import { ACCESS_OPTIONS, type AccessOptions } from './access-options.js';
import { authorize } from './authorize.js';
import { bearerToken } from './bearer.js';
import { TokenVerifier } from './token-verifier.js';

/** Verifies the token of every request to a route with an access rule and checks the rule. */
@Injectable()
export class AccessGuard implements CanActivate {
  private readonly audiences: readonly Audience[];

  constructor(
    private readonly reflector: Reflector,
    private readonly verifier: TokenVerifier,
    @Inject(ACCESS_OPTIONS) options: AccessOptions,
  ) {
    this.audiences = options.audiences;
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const targets = [context.getHandler(), context.getClass()];
    if (this.reflector.getAllAndOverride<boolean>(PUBLIC_ROUTE, targets)) return true;
    const rule = this.reflector.getAllAndOverride<AccessRule>(ACCESS_RULE, targets);
    if (!rule) throw new Error(`${context.getClass().name} has a route without an access rule`);

    const request = context.switchToHttp().getRequest<{
      headers: { authorization?: string };
      principal?: Principal;
    }>();
    const token = bearerToken(request.headers.authorization);
    if (token === undefined) throw new PlatformError('UNAUTHENTICATED');
    const principal = await this.verifier.verify(token, this.audiences);
    request.principal = principal;
    const current = currentRequestContext();
    if (current) {
      current.principal = principal;
      current.tenantId = principal.tenantId || undefined;
    }
    authorize(principal, rule);
    return true;
  }
}
