import { addressKey, Limiter, LimiterStore } from '@crm/limits';
import { Injectable } from '@nestjs/common';

/**
 * Documents for one address in a minute. A company behind one address opens its host application in the morning; beyond that
 * somebody makes identity look up client after client.
 */
export const PAGES_PER_ADDRESS = 600;

/** Counts requests for the document, each of which asks identity who may frame it. The page's files cost nothing. */
@Injectable()
export class PageLimit {
  private readonly limit: Limiter;

  constructor(store: LimiterStore) {
    this.limit = new Limiter(
      store,
      { name: 'embed-page', points: PAGES_PER_ADDRESS, windowSeconds: 60 },
      'Too many requests for the embed page',
    );
  }

  /** @throws PlatformError RATE_LIMITED */
  async admit(address: string): Promise<void> {
    await this.limit.consume(addressKey(address));
  }
}
