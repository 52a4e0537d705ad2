import { isIP } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { consumePoint } from './rate-limit.js';

/** Workspaces that one address may register in an hour. */
export const REGISTRATIONS_PER_HOUR = 20;

/** Limits registrations by address; from loopback they are free outside the production profile. */
@Injectable()
export class RegistrationLimit {
  private readonly limiter = new RateLimiterMemory({
    keyPrefix: 'registration',
    points: REGISTRATIONS_PER_HOUR,
    duration: 3600,
  });

  constructor(@Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig) {}

  /** @throws PlatformError RATE_LIMITED */
  async consume(address: string): Promise<void> {
    if (this.config.service.profile !== 'production' && isLoopback(address)) return;
    await consumePoint(this.limiter, address, 'Too many registrations');
  }
}

function isLoopback(address: string): boolean {
  const plain = address.replace(/^::ffff:/i, '');
  return plain === '::1' || (isIP(plain) === 4 && plain.startsWith('127.'));
}
