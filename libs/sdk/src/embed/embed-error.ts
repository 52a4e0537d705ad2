import type { PageErrorCode } from './protocol/messages.js';

/** Why the CRM is not shown, or not any more. */
export type EmbedErrorCode =
  /** An option of `embed` is missing or malformed; thrown, not reported. */
  | 'invalid_options'
  /**
   * The page did not answer. Nearly always the browser refused to frame it, because the origin of this page is not among the
   * allowed origins of the app; it tells no script so.
   */
  | 'frame_refused'
  /** The embed page speaks another version of the protocol: update this package. */
  | 'protocol_version'
  /** `fetchToken` rejected or returned no token; its error is the `cause`. */
  | 'fetch_token_failed'
  | PageErrorCode;

export class EmbedError extends Error {
  override readonly name = 'EmbedError';

  constructor(
    readonly code: EmbedErrorCode,
    message: string,
    options?: { readonly cause?: unknown },
  ) {
    super(message, options);
  }
}
