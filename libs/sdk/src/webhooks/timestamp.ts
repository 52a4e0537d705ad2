import { WebhookVerificationError } from './verification-error.js';

/**
 * How far the time of signing may differ from now, in both directions, in seconds. Exactly as far is accepted. The value of
 * the Standard Webhooks libraries, and of the platform's contract for signed webhooks.
 */
export const TIMESTAMP_TOLERANCE_SECONDS = 300;

export interface VerificationOptions {
  /** The clock. Default: the time of this machine. */
  readonly now?: () => Date;
}

/**
 * @param text Unix seconds, digits only
 * @param header for the message
 * @throws WebhookVerificationError `malformed_header`, `timestamp_too_old`, `timestamp_too_new`
 */
export function assertRecent(text: string, header: string, { now = () => new Date() }: VerificationOptions): void {
  if (!/^\d{1,12}$/.test(text)) {
    throw new WebhookVerificationError(
      'malformed_header',
      `The timestamp in "${header}" is not a number of Unix seconds`,
    );
  }
  // Whole seconds, like the timestamp: otherwise one of exactly 300 s ago would be refused for its milliseconds.
  const seconds = Math.floor(now().getTime() / 1000);
  // Every comparison with NaN is false, so that an invalid clock would let everything pass.
  if (!Number.isSafeInteger(seconds)) throw new TypeError('options.now returned an invalid date');
  const age = seconds - Number(text);
  if (age > TIMESTAMP_TOLERANCE_SECONDS) throw new WebhookVerificationError('timestamp_too_old', outside(age, 'ago'));
  if (-age > TIMESTAMP_TOLERANCE_SECONDS) {
    throw new WebhookVerificationError('timestamp_too_new', outside(-age, 'in the future'));
  }
}

const outside = (seconds: number, direction: string): string =>
  `The request was signed ${seconds} s ${direction}; at most ${TIMESTAMP_TOLERANCE_SECONDS} s are accepted`;
