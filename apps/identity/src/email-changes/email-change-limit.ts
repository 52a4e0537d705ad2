import { addressKey, Limiter, LimiterStore } from '@crm/limits';
import { Injectable } from '@nestjs/common';

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
        { name, points, windowSeconds: 3600 },
        'Too many changes of the email address. Try again later',
      );
    this.requests = limiter('email-change', CHANGES_PER_USER);
    this.mails = limiter('email-change-address', MAILS_PER_ADDRESS);
    this.tokens = limiter('email-change-token', TOKENS_PER_ADDRESS);
  }
}
