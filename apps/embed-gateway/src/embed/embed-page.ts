import { ServedPage } from '@crm/http';
import { addressKey, Limiter, LimiterStore } from '@crm/limits';
import { Inject, Injectable } from '@nestjs/common';
import { EMBED_GATEWAY_CONFIG, type EmbedGatewayConfig } from '../config.js';
/**
 * Content-Security-Policy of the page. Only the app's declared origins may frame it; without origins, nobody. Scripts and styles
 * come from files of this address alone; the nonce is for the style elements that those scripts make.
 * @param origins canonical origins
 * @param apiOrigin the only address that the page may call, and send the token to
 */
export function contentSecurityPolicy(origins: readonly string[], apiOrigin: string, nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    `connect-src ${apiOrigin}`,
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${origins.length > 0 ? origins.join(' ') : "'none'"}`,
  ].join('; ');
}

/** The embed page, from the folder that the configuration names. */
@Injectable()
export class PageFilesService extends ServedPage {
  constructor(@Inject(EMBED_GATEWAY_CONFIG) { pageDir }: EmbedGatewayConfig) {
    super(pageDir, 'EMBED_PAGE_DIR');
  }
}

/**
 * Documents for one address in a minute. A company behind one address opens its host application in the morning; beyond that
 * someone makes identity look up client after client.
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
      'Too many requests for the embed page. Try again shortly',
    );
  }

  /** @throws PlatformError RATE_LIMITED */
  async admit(address: string): Promise<void> {
    await this.limit.consume(addressKey(address));
  }
}
