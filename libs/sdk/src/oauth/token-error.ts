/** Why an app got no token. */
export class TokenError extends Error {
  override readonly name = 'TokenError';

  constructor(
    /** `error` of RFC 6749, such as `invalid_client`; `unreachable` without an answer, `unexpected_answer` for any other. */
    readonly code: string,
    message: string,
    /** HTTP status, if there was an answer. */
    readonly httpStatus?: number,
    /** Seconds to wait before the next attempt, if the platform said so. */
    readonly retryAfterSeconds?: number,
    options?: { readonly cause?: unknown },
  ) {
    super(message, options);
  }
}
