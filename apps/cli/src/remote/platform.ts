import { errorCodeOf, messageOf } from '../error-code.js';
import { UsageError } from '../usage-error.js';

/** What a developer has after signing in. */
export interface Credentials {
  /** An access token; without one it is got with the refresh token. */
  readonly token?: string | undefined;
  /** Works once, for a new access token and the next refresh token. */
  readonly refreshToken?: string | undefined;
}

export interface Answer {
  status: number;
  /** Undefined when it is not JSON. */
  body: unknown;
  /** Seconds of `Retry-After`; undefined without it. */
  retryAfter: number | undefined;
}

export interface CallOptions {
  body?: unknown;
  /** Milliseconds. */
  timeoutMs: number;
  /** Ends the call. */
  signal?: AbortSignal | undefined;
}

/** There is no answer of the platform: it is away, or not at this address. */
export class PlatformUnreachable extends UsageError {}

const REFRESH_PATH = 'api/auth/refresh';
const REFRESH_TIMEOUT_MS = 10_000;

/** The API, called with the token of a developer. */
export class Platform {
  private token: string | undefined;
  private refreshToken: string | undefined;

  /** @param baseUrl ends with a slash */
  constructor(
    private readonly baseUrl: URL,
    { token, refreshToken }: Credentials,
  ) {
    this.token = token;
    this.refreshToken = refreshToken;
  }

  get origin(): string {
    return this.baseUrl.origin;
  }

  /**
   * Calls with the access token, and once more with a new one when it has expired and there is a refresh token.
   * @param path relative to the address of the platform
   * @throws PlatformUnreachable without an answer in time; UsageError when the refresh token is refused; the reason of the
   *   signal
   */
  async call(method: 'GET' | 'POST', path: string, options: CallOptions): Promise<Answer> {
    if (this.token === undefined) await this.refresh(options.signal);
    const answer = await this.send(method, path, options, this.token);
    if (answer.status !== 401 || this.refreshToken === undefined) return answer;
    await this.refresh(options.signal);
    return this.send(method, path, options, this.token);
  }

  /** @throws UsageError with what the platform says */
  refuse(answer: Answer): never {
    throw new UsageError(`${this.origin} refused: ${refusalOf(answer)}`);
  }

  private async refresh(signal: AbortSignal | undefined): Promise<void> {
    const { refreshToken } = this;
    const options = { body: { refreshToken }, timeoutMs: REFRESH_TIMEOUT_MS, signal };
    const answer = await this.send('POST', REFRESH_PATH, options, undefined);
    const pair = answer.body as { accessToken?: unknown; refreshToken?: unknown } | null | undefined;
    if (answer.status !== 200 || typeof pair?.accessToken !== 'string' || typeof pair.refreshToken !== 'string') {
      return this.refuse(answer);
    }
    this.token = pair.accessToken;
    this.refreshToken = pair.refreshToken;
  }

  private async send(
    method: string,
    path: string,
    { body, timeoutMs, signal }: CallOptions,
    token: string | undefined,
  ): Promise<Answer> {
    const limit = AbortSignal.timeout(timeoutMs);
    try {
      const response = await fetch(new URL(path, this.baseUrl), {
        method,
        headers: {
          accept: 'application/json',
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        redirect: 'manual',
        signal: signal ? AbortSignal.any([limit, signal]) : limit,
      });
      const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
      return {
        status: response.status,
        body: parsed(await response.text()),
        retryAfter: Number.isFinite(retryAfter) ? retryAfter : undefined,
      };
    } catch (error) {
      signal?.throwIfAborted();
      throw new PlatformUnreachable(`${this.origin} cannot be reached: ${reasonOf(error, timeoutMs)}.`);
    }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** `fetch` reports "fetch failed" and keeps the reason as its cause. */
function reasonOf(error: unknown, timeoutMs: number): string {
  if (typeof error !== 'object' || error === null) return String(error);
  if ('name' in error && error.name === 'TimeoutError') return `no answer within ${timeoutMs / 1000} seconds`;
  const cause = 'cause' in error && error.cause ? error.cause : error;
  return errorCodeOf(cause) || messageOf(cause);
}

/** The status and the text of a problem document (RFC 9457). */
function refusalOf({ status, body }: Answer): string {
  const problem = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  const text = [problem.detail, problem.title].find((value) => typeof value === 'string');
  const hint = status === 401 ? ' Sign in again and use the new token.' : '';
  return `${status}${text === undefined ? '' : ` ${text}`}${hint}`;
}
