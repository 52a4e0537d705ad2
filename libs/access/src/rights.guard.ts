import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { requirementOf } from './access-requirement.js';
import { callOf } from './authenticated-call.js';
import { authorize } from './authorize.js';

/** Checks the principal set by AccessTokenGuard against the `@Access` rule of the handler. */
@Injectable()
export class RightsGuard implements CanActivate {
  /** @throws PlatformError EMBED_TOKEN_REFUSED, API_KEY_REFUSED, FORBIDDEN or INSUFFICIENT_SCOPE */
  canActivate(context: ExecutionContext): boolean {
    const requirement = requirementOf(context);
    if (requirement === 'public') return true;
    const { principal } = callOf(context);
    if (!principal) throw new Error('RightsGuard runs before AccessTokenGuard');
    authorize(principal, requirement);
    return true;
  }
}
