import { addressKey, isLoopback, Limiter, LimiterStore } from '@crm/limits';
import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { MARKETPLACE_ADMIN_CONFIG, type MarketplaceAdminConfig } from '../config.js';

/** Calls that exchange credentials for a token, from one address: a team behind one address shares them. */
export const CREDENTIAL_CALLS_PER_MINUTE = 60;

/**
 * Limits the calls that come without a token, by address and before anything is asked of identity, as the gateway does at the
 * other edge. Outside production loopback is free: demos and tests sign in all the time; identity still counts failures.
 */
@Injectable()
export class CredentialLimit implements CanActivate {
  private readonly limiter: Limiter;
  private readonly sparesLoopback: boolean;

  constructor(store: LimiterStore, @Inject(MARKETPLACE_ADMIN_CONFIG) config: MarketplaceAdminConfig) {
    const limit = { name: 'credentials', points: CREDENTIAL_CALLS_PER_MINUTE, windowSeconds: 60 };
    this.limiter = new Limiter(store, limit, 'Too many sign-ins from this address');
    this.sparesLoopback = config.service.profile !== 'production';
  }

  /** @throws PlatformError RATE_LIMITED */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { ip } = context.switchToHttp().getRequest<{ ip: string }>();
    if (!(this.sparesLoopback && isLoopback(ip))) await this.limiter.consume(addressKey(ip));
    return true;
  }
}
