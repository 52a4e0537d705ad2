import { addressKey, Limiter, LimiterStore } from '@crm/limits';
import { Injectable } from '@nestjs/common';

const HOUR = 3600;
/** Changes that one user may ask for. */
export const CHANGES_PER_USER = 10;
/** Mails to one new address, whoever asks. */
const MAILS_PER_ADDRESS = 5;
/** Tokens that one address may present. */
const TOKENS_PER_ADDRESS = 40;

/** Limits on changing e-mail addresses. */
@Injectable()
export class EmailChangeLimit {
  private readonly requests: Limiter;
  private readonly mails: Limiter;
  private readonly tokens: Limiter;

  constructor(store: LimiterStore) {
    const limiter = (name: string, points: number) =>
      new Limiter(store, { name, points, windowSeconds: HOUR }, 'The e-mail address was changed too often');
    this.requests = limiter('email-change', CHANGES_PER_USER);
    this.mails = limiter('email-change-address', MAILS_PER_ADDRESS);
    this.tokens = limiter('email-change-token', TOKENS_PER_ADDRESS);
  }

  /** @throws PlatformError RATE_LIMITED */
  async consumeRequest(userId: string): Promise<void> {
    await this.requests.consume(userId);
  }

  /** @throws PlatformError RATE_LIMITED */
  async consumeToken(address: string): Promise<void> {
    await this.tokens.consume(addressKey(address));
  }

  /** Whether the address may be sent another mail. The caller is not told: others may have asked for it too. */
  async mayMail(email: string): Promise<boolean> {
    return this.mails.admits(email);
  }
}
