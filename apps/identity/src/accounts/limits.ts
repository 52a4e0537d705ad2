import { addressKey, isLoopback, Limiter, LimiterStore } from '@crm/limits';
import { Inject, Injectable } from '@nestjs/common';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { normaliseEmail } from '../people/people.service.js';

const HOUR = 3600;
export const CHANGES_PER_USER = 10;
const MAILS_PER_ADDRESS = 5;
const TOKENS_PER_ADDRESS = 40;

@Injectable()
export class EmailChangeLimit {
  /** By user. */
  readonly requests: Limiter;
  /** By address of mail. The caller is not told of an exhausted one: others may have asked for it too. */
  readonly mails: Limiter;
  /** By {@link addressKey}. */
  readonly tokens: Limiter;

  constructor(store: LimiterStore) {
    const limiter = (name: string, points: number) =>
      new Limiter(
        store,
        { name, points, windowSeconds: HOUR },
        'Too many changes of the email address. Try again later',
      );
    this.requests = limiter('email-change', CHANGES_PER_USER);
    this.mails = limiter('email-change-address', MAILS_PER_ADDRESS);
    this.tokens = limiter('email-change-token', TOKENS_PER_ADDRESS);
  }
}

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
    const limit = { name: 'registration', points: REGISTRATIONS_PER_HOUR, windowSeconds: HOUR };
    this.limiter = new Limiter(store, limit, 'Too many registrations. Try again later');
    const perEmail = { name: 'registration-email', points: REGISTRATIONS_PER_EMAIL, windowSeconds: HOUR };
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

const QUARTER_HOUR = 15 * 60;
export const REQUESTS_PER_ADDRESS = 20;
/** Links that are sent to one account: enough for someone who looks in the wrong mailbox, too few for a flood. */
export const MAILS_PER_ACCOUNT = 5;
export const COMPLETIONS_PER_ADDRESS = 20;

@Injectable()
export class PasswordResetLimit {
  /** By {@link addressKey}, as completions. */
  readonly requests: Limiter;
  /** The caller is not told: anybody may ask for anybody's account, and its owner has the links that were sent. */
  readonly mails: Limiter;
  readonly completions: Limiter;

  constructor(store: LimiterStore) {
    const limiter = (name: string, points: number) =>
      new Limiter(
        store,
        { name, points, windowSeconds: QUARTER_HOUR },
        'Too many password reset requests. Try again later',
      );
    this.requests = limiter('password-reset', REQUESTS_PER_ADDRESS);
    this.mails = limiter('password-reset-account', MAILS_PER_ACCOUNT);
    this.completions = limiter('password-reset-token', COMPLETIONS_PER_ADDRESS);
  }
}
