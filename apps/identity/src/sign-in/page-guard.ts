import { PlatformError } from '@crm/contracts';
import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';

/** A header that no form and no link can send, and no script of another origin without a preflight, which fails. */
export const PAGE_HEADER = { name: 'X-Requested-With', value: 'crm-page' };

/** A cookie comes along with calls that another site makes: these routes answer pages of the platform's own address only. */
@Injectable()
export class PageGuard implements CanActivate {
  private readonly origins: ReadonlySet<string | undefined>;

  constructor(@Inject(IDENTITY_CONFIG) { service }: IdentityConfig) {
    const { origin } = new URL(service.baseUrl);
    // Developers open the same pages at `localhost`, where there are passkeys.
    this.origins = new Set([origin, origin.replace('//127.0.0.1', '//localhost')]);
  }

  /** @throws PlatformError FORBIDDEN */
  canActivate(context: ExecutionContext): boolean {
    const { headers } = context.switchToHttp().getRequest<FastifyRequest>();
    if (this.origins.has(headers.origin) && headers[PAGE_HEADER.name.toLowerCase()] === PAGE_HEADER.value) return true;
    throw new PlatformError('FORBIDDEN', "Only the platform's own pages can make this call");
  }
}
