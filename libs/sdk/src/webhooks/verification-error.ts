/** Why a request was refused. */
export type WebhookVerificationReason =
  /** A header is absent or empty. */
  | 'missing_header'
  /** A header is present, but not in its format. */
  | 'malformed_header'
  /** The request was signed more than 300 seconds ago, by the clock of this machine. */
  | 'timestamp_too_old'
  /** The request was signed more than 300 seconds in the future, by the clock of this machine. */
  | 'timestamp_too_new'
  /** No signature matches: another secret, or a body that differs from the bytes that were sent. */
  | 'no_matching_signature'
  /** The signature matches, but the body is not a JSON object. */
  | 'body_not_json'
  /** The request has no body, or the receiver's framework did not keep it. */
  | 'missing_body'
  /** A fault of the receiver: the body was parsed before it was verified. */
  | 'body_not_raw'
  /** A fault of the receiver: a secret is absent or not in its format. */
  | 'malformed_secret';

/**
 * 401 where the sender did not prove who it is, 400 where the request is not one, 500 where the receiver is set up wrong:
 * its operators see it, and the platform tries again.
 */
const HTTP_STATUS = {
  missing_header: 400,
  malformed_header: 400,
  timestamp_too_old: 401,
  timestamp_too_new: 401,
  no_matching_signature: 401,
  body_not_json: 400,
  missing_body: 400,
  body_not_raw: 500,
  malformed_secret: 500,
} as const satisfies Record<WebhookVerificationReason, number>;

/** The request must not be acted on. The message never contains a secret, a signature or the body. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
  readonly reason: WebhookVerificationReason;

  constructor(reason: WebhookVerificationReason, message: string) {
    super(message);
    this.reason = reason;
  }

  /** What a receiver answers. */
  get httpStatus(): 400 | 401 | 500 {
    return HTTP_STATUS[this.reason];
  }
}

export const refused = (reason: WebhookVerificationReason, message: string): WebhookVerificationError =>
  new WebhookVerificationError(reason, message);
