import { addressKey, Limiter, LimiterStore } from '@crm/limits';
import { Injectable } from '@nestjs/common';

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
