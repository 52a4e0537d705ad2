import { addressKey, isLoopback, Limiter, LimiterStore } from '@crm/limits';
import { Inject, Injectable } from '@nestjs/common';
import { IDENTITY_CONFIG, type IdentityConfig } from '../../config.js';

/** Workspaces that one address may register in an hour. */
export const REGISTRATIONS_PER_HOUR = 20;

/** Limits registrations by address; from loopback they are free outside the production profile. */
@Injectable()
export class RegistrationLimit {
  private readonly limiter: Limiter;

  constructor(
    store: LimiterStore,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
  ) {
    const limit = { name: 'registration', points: REGISTRATIONS_PER_HOUR, windowSeconds: 3600 };
    this.limiter = new Limiter(store, limit, 'Too many registrations');
  }

  /** @throws PlatformError RATE_LIMITED */
  async consume(address: string): Promise<void> {
    if (this.config.service.profile !== 'production' && isLoopback(address)) return;
    await this.limiter.consume(addressKey(address));
  }
}
