import type { ErrorCode } from '@crm/contracts';

/** Errors of the OAuth endpoints (RFC 6749, sections 4.1.2.1 and 5.2; RFC 7009, section 2.2.1). */
export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'access_denied'
  | 'temporarily_unavailable'
  | 'server_error';

/** A refusal in the shape that OAuth clients read: `{ error, error_description }`. */
export class OAuthError extends Error {
  override name = 'OAuthError';

  /**
   * @param description ASCII without quotes, for developers (RFC 6749, section 5.2)
   * @param mayBeGuess false where nothing that was presented has been looked at, so that it is no failed attempt
   */
  constructor(
    readonly error: OAuthErrorCode,
    readonly description: string,
    readonly mayBeGuess = true,
  ) {
    super(description);
  }

  get status(): number {
    return STATUS[this.error] ?? 400;
  }
}

const STATUS: Partial<Record<OAuthErrorCode, number>> = {
  invalid_client: 401,
  temporarily_unavailable: 503,
  server_error: 500,
};

/** What errors of the platform are called here; others are refusals of the request. */
export const OAUTH_NAMES: Partial<Record<ErrorCode, OAuthErrorCode>> = {
  RATE_LIMITED: 'temporarily_unavailable',
  SERVICE_UNAVAILABLE: 'temporarily_unavailable',
  DEADLINE_EXCEEDED: 'temporarily_unavailable',
  INTERNAL_ERROR: 'server_error',
};
