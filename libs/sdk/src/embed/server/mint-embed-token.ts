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

/** Longest wait for the answer, in milliseconds. */
const TIMEOUT_MS = 10_000;

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
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(new URL('/api/auth/v1/embed/sessions', embedUrl), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-embed-key': credentials.clientId,
      'x-embed-secret': credentials.clientSecret,
    },
    body: JSON.stringify({ sub: user.sub, email: user.email, name: user.name, ...(scopes && { scopes }) }),
    // A redirect would send the secret somewhere else.
    redirect: 'error',
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
  }).catch((cause: unknown) => {
    throw new MintError('UNREACHABLE', `The embedding API at ${embedUrl} did not answer`, undefined, undefined, {
      cause,
    });
  });
  const body = await jsonOf(response);
  if (!response.ok) throw refusal(response, body);
  const { embed_token: token, expires_in: expiresIn } = body;
  if (typeof token !== 'string' || typeof expiresIn !== 'number') {
    throw new MintError('UNEXPECTED_ANSWER', 'The answer is not that of the embedding API', response.status);
  }
  return { token, expiresIn };
}

async function jsonOf(response: Response): Promise<Record<string, unknown>> {
  try {
    return ((await response.json()) ?? {}) as Record<string, unknown>;
  } catch (cause) {
    const message = 'The answer is not that of the embedding API';
    throw new MintError('UNEXPECTED_ANSWER', message, response.status, undefined, { cause });
  }
}

function refusal({ status, headers }: Response, { code, detail, title }: Record<string, unknown>): MintError {
  const retryAfter = Number(headers.get('retry-after') ?? Number.NaN);
  return new MintError(
    typeof code === 'string' ? code : 'UNEXPECTED_ANSWER',
    String(detail ?? title ?? `The embedding API answered ${status}`),
    status,
    Number.isFinite(retryAfter) ? retryAfter : undefined,
  );
}
