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

export interface InstallationCredentials {
  /** Address of the platform, such as `https://crm.example.com`. */
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Fewer scopes than the installation was granted; all of them by default. */
  readonly scopes?: readonly string[];
}

/** Longest wait for the answer, in milliseconds. */
const TIMEOUT_MS = 10_000;
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
    const { token, expiresIn } = await requestToken(credentials);
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

async function requestToken({ baseUrl, clientId, clientSecret, scopes }: InstallationCredentials) {
  const form = new URLSearchParams({ grant_type: 'client_credentials' });
  if (scopes) form.set('scope', scopes.join(' '));
  const encoded = [clientId, clientSecret].map(encodeURIComponent).join(':');
  const response = await fetch(new URL('/api/auth/oauth/token', baseUrl), {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(encoded)}` },
    body: form,
    // A redirect would send the secret somewhere else.
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((cause: unknown) => {
    throw new TokenError('unreachable', `${baseUrl} did not answer`, undefined, undefined, { cause });
  });
  const body = await jsonOf(response);
  if (!response.ok) throw refusal(response, body);
  const { access_token: token, expires_in: expiresIn } = body;
  if (typeof token !== 'string' || typeof expiresIn !== 'number') throw unexpected(response);
  return { token, expiresIn };
}

async function jsonOf(response: Response): Promise<Record<string, unknown>> {
  try {
    return ((await response.json()) ?? {}) as Record<string, unknown>;
  } catch (cause) {
    throw unexpected(response, cause);
  }
}

const unexpected = ({ status }: Response, cause?: unknown): TokenError =>
  new TokenError('unexpected_answer', 'The answer is not that of the token endpoint', status, undefined, { cause });

/** Limits of the gateway are answered by a problem document, with `detail`. */
function refusal({ status, headers }: Response, { error, error_description, detail }: Record<string, unknown>) {
  const retryAfter = Number(headers.get('retry-after') ?? Number.NaN);
  return new TokenError(
    typeof error === 'string' ? error : 'unexpected_answer',
    String(error_description ?? detail ?? `The token endpoint answered ${status}`),
    status,
    Number.isFinite(retryAfter) ? retryAfter : undefined,
  );
}
