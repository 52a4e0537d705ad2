import type { OAuthErrorCode } from './oauth-error.js';

/** What an app is told at its redirect URI: a code, or why there is none. */
export type RedirectAnswer =
  | { readonly code: string; readonly installation_id: string }
  | { readonly error: OAuthErrorCode; readonly error_description: string };

/**
 * The address that a browser is sent to. Parameters are added to those that the registered address has; `iss` tells an app that
 * talks to several servers which one has answered (RFC 9207).
 */
export function redirectTo(
  { redirectUri, state }: { redirectUri: string; state: string | null },
  issuer: string,
  answer: RedirectAnswer,
): string {
  const parameters = new URLSearchParams({ ...answer, ...(state !== null && { state }), iss: issuer });
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${parameters}`;
}
