import { addressKey, isLoopback, Limiter, LimiterStore } from '@crm/limits';
import { Inject, Injectable } from '@nestjs/common';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { normaliseEmail } from '../people/email-address.js';

export const REGISTRATIONS_PER_HOUR = 20;

/** Those with one e-mail address: a single caller cannot use up the mails that the owner of the address gets in an hour. */
export const REGISTRATIONS_PER_EMAIL = 5;

/** Outside production those from loopback are trusted: neither limited nor asked to verify the e-mail address. */
@Injectable()
export class RegistrationLimit {
  private readonly limiter: Limiter;
  private readonly byEmail: Limiter;

  constructor(
    store: LimiterStore,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
  ) {
    const limit = { name: 'registration', points: REGISTRATIONS_PER_HOUR, windowSeconds: 3600 };
    this.limiter = new Limiter(store, limit, 'Too many registrations. Try again later');
    const perEmail = { name: 'registration-email', points: REGISTRATIONS_PER_EMAIL, windowSeconds: 3600 };
    this.byEmail = new Limiter(store, perEmail, 'Too many registrations with this email address. Try again later');
  }

  async consume(address: string, email: string): Promise<void> {
    if (this.isTrusted(address)) return;
    const from = addressKey(address);
    await this.limiter.consume(from);
    await this.byEmail.consume(JSON.stringify([from, normaliseEmail(email)]));
  }

  isTrusted(address: string): boolean {
    return this.config.service.profile !== 'production' && isLoopback(address);
  }
}
