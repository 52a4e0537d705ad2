import { addressKey, Limiter, LimiterStore } from '@crm/limits';
import { Injectable } from '@nestjs/common';

const QUARTER_HOUR = 15 * 60;

/** Requests of each step from one address; an office behind one address shares them. */
export const STEPS_PER_ADDRESS = 300;

export type Step = 'discover' | 'start' | 'return' | 'exchange';

/** Limits on signing in by a provider: every step has its own, and takes it before anything else is done. */
@Injectable()
export class ProviderSignInLimit {
  private readonly limits: Record<Step, Limiter>;

  constructor(store: LimiterStore) {
    const limiter = (step: Step) => {
      const rule = { name: `single-sign-on-${step}`, points: STEPS_PER_ADDRESS, windowSeconds: QUARTER_HOUR };
      return new Limiter(store, rule, 'Too many sign-in attempts. Try again later');
    };
    this.limits = {
      discover: limiter('discover'),
      start: limiter('start'),
      return: limiter('return'),
      exchange: limiter('exchange'),
    };
  }

  /** @throws PlatformError RATE_LIMITED */
  async consume(step: Step, address: string): Promise<void> {
    await this.limits[step].consume(addressKey(address));
  }
}
