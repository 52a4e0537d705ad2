import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RateLimitService } from '../rate-limit/rate-limit.service.js';

/** Counts calls that the gateway answers itself as those without a token, by address: they never reach the proxy's checks. */
@Injectable()
export class AddressLimitGuard implements CanActivate {
  constructor(private readonly limits: RateLimitService) {}

  /** @throws PlatformError RATE_LIMITED */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    await this.limits.admitAddress(http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
    return true;
  }
}
