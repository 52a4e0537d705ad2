import { requestToken } from './token-request.js';
import { TokenRequestError } from './token-request-error.js';

/**
 * Why a token was not minted. `code` is one of the API's, such as `INVALID_EMBED_CREDENTIALS` and `EMBED_USER_DISABLED`;
 * `UNREACHABLE` without an answer, `UNEXPECTED_ANSWER` for one that is not the API's.
 */
export class MintError extends TokenRequestError {
  override readonly name = 'MintError';
}

export interface EmbedCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** The user who is signed in to the host, as the host's own session says; never as a request of a browser says. */
export interface HostUser {
  /** The host's id of the user, which never changes. */
  readonly sub: string;
  readonly email: string;
  readonly name: string;
}

export interface MintOptions {
  /** Address of the embedding API, such as `https://embed.crm.example.com`. */
  readonly embedUrl: string;
  readonly credentials: EmbedCredentials;
  readonly user: HostUser;
  /** Fewer scopes than the app was granted; all of them by default. */
  readonly scopes?: readonly string[];
  readonly signal?: AbortSignal;
}

export interface MintedToken {
  readonly token: string;
  /** Seconds the token is valid. */
  readonly expiresIn: number;
}

/**
 * Mints a token for a user of the host. Only for a backend: the secret must never reach a browser.
 * @throws MintError
 */
export async function mintEmbedToken({
  embedUrl,
  credentials,
  user,
  scopes,
  signal,
}: MintOptions): Promise<MintedToken> {
  const headers = {
    'content-type': 'application/json',
    'x-embed-key': credentials.clientId,
    'x-embed-secret': credentials.clientSecret,
  };
  const body = JSON.stringify({ sub: user.sub, email: user.email, name: user.name, ...(scopes && { scopes }) });
  return requestToken({
    url: new URL('/api/auth/v1/embed/sessions', embedUrl),
    name: 'The embedding API',
    init: { headers, body, ...(signal && { signal }) },
    ErrorClass: MintError,
    codes: { unreachable: 'UNREACHABLE', unexpected: 'UNEXPECTED_ANSWER' },
    tokenOf: ({ embed_token }) => embed_token,
    problemOf: ({ code, detail, title }) => [code, detail ?? title],
  });
}
