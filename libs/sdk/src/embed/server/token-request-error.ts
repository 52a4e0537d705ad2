/** Why there is no token. */
export class TokenRequestError extends Error {
  constructor(
    /** What the platform calls the error; without an answer, or with one of another kind, what the subclass says. */
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
