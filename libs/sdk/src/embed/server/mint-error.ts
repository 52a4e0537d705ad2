/** Why a token was not minted. `INVALID_EMBED_CREDENTIALS`, `EMBED_USER_DISABLED` and more: the error codes of the API. */
export class MintError extends Error {
  override readonly name = 'MintError';

  constructor(
    /** Code of the API's problem; `UNREACHABLE` without an answer, `UNEXPECTED_ANSWER` for one that is not the API's. */
    readonly code: string,
    message: string,
    /** HTTP status, if there was an answer. */
    readonly httpStatus?: number,
    /** Seconds to wait before the next attempt, if the API said so. */
    readonly retryAfterSeconds?: number,
    options?: { readonly cause?: unknown },
  ) {
    super(message, options);
  }
}
