import { requestToken } from '../embed/server/token-request.js';
import { TokenRequestError } from '../embed/server/token-request-error.js';

/**
 * Why an app got no token. `code` is the `error` of RFC 6749, such as `invalid_client`; `unreachable` without an answer,
 * `unexpected_answer` for any other.
 */
export class TokenError extends TokenRequestError {
  override readonly name = 'TokenError';
}

export interface InstallationCredentials {
  /** Address of the platform, such as `https://crm.example.com`. */
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Fewer scopes than the installation was granted; all of them by default. */
  readonly scopes?: readonly string[];
}

/** A token is replaced so long before it ends, so that a call under way does not outlive it. */
const EARLY_MS = 60_000;

/**
 * The access tokens of one installation, for the backend of an app. One token serves all calls until a minute before it ends, and
 * calls that need the next one at the same time share the request for it.
 * @returns a function for the token to send now; it throws TokenError. `token({ fresh: true })` asks for another one, after a call
 *   was answered with 401
 */
export function installationTokens(
  credentials: InstallationCredentials,
): (options?: { readonly fresh?: boolean }) => Promise<string> {
  let current: { readonly token: string; readonly usableUntil: number } | undefined;
  let asking: Promise<string> | undefined;
  const ask = async (): Promise<string> => {
    const askedAt = Date.now();
    const { token, expiresIn } = await tokenOf(credentials);
    current = { token, usableUntil: askedAt + expiresIn * 1000 - EARLY_MS };
    return token;
  };
  return async ({ fresh = false } = {}) => {
    if (current && !fresh && Date.now() < current.usableUntil) return current.token;
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    return asking;
  };
}

function tokenOf({ baseUrl, clientId, clientSecret, scopes }: InstallationCredentials) {
  const form = new URLSearchParams({ grant_type: 'client_credentials' });
  if (scopes) form.set('scope', scopes.join(' '));
  const encoded = [clientId, clientSecret].map(encodeURIComponent).join(':');
  return requestToken({
    url: new URL('/api/auth/oauth/token', baseUrl),
    name: 'The token endpoint',
    init: { headers: { authorization: `Basic ${btoa(encoded)}` }, body: form },
    ErrorClass: TokenError,
    codes: { unreachable: 'unreachable', unexpected: 'unexpected_answer' },
    tokenOf: ({ access_token }) => access_token,
    // Limits of the gateway are answered by a problem document, with `detail`.
    problemOf: ({ error, error_description, detail }) => [error, error_description ?? detail],
  });
}
