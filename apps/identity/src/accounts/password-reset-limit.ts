import { addressKey, Limiter, LimiterStore } from '@crm/limits';
import { Injectable } from '@nestjs/common';

const QUARTER_HOUR = 15 * 60;
/** Links that one address may ask for. */
export const REQUESTS_PER_ADDRESS = 20;
/** Links that are sent to one account: room for whoever looks in the wrong mailbox, none for a flood. */
export const MAILS_PER_ACCOUNT = 5;
/** Tokens that one address may present. */
export const COMPLETIONS_PER_ADDRESS = 20;

/** Limits on setting a new password by mail. */
@Injectable()
export class PasswordResetLimit {
  private readonly requests: Limiter;
  private readonly mails: Limiter;
  private readonly completions: Limiter;

  constructor(store: LimiterStore) {
    const limiter = (name: string, points: number) =>
      new Limiter(store, { name, points, windowSeconds: QUARTER_HOUR }, 'Too many new passwords were asked for');
    this.requests = limiter('password-reset', REQUESTS_PER_ADDRESS);
    this.mails = limiter('password-reset-account', MAILS_PER_ACCOUNT);
    this.completions = limiter('password-reset-token', COMPLETIONS_PER_ADDRESS);
  }

  /** @throws PlatformError RATE_LIMITED */
  async consumeRequest(address: string): Promise<void> {
    await this.requests.consume(addressKey(address));
  }

  /** @throws PlatformError RATE_LIMITED */
  async consumeCompletion(address: string): Promise<void> {
    await this.completions.consume(addressKey(address));
  }

  /**
   * Whether the account may be sent another mail. The caller is not told: anybody may ask for anybody's account, and its owner
   * has the links that were sent.
   */
  async mayMail(email: string): Promise<boolean> {
    return this.mails.admits(email);
  }
}
