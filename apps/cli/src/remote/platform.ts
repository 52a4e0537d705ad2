import { parseUrl } from '@crm/address-policy';
import { errorCodeOf, membersOf, messageOf, UsageError } from '../arguments.js';
import type { CliConfig } from '../config.js';

interface Credentials {
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

  /**
   * Sends a body and returns the answer.
   * @param what is expected, as the error names it
   * @throws UsageError when it does not come: no connection, a refusal, or an answer of another shape
   */
  async post<T>(
    path: string,
    body: unknown,
    timeoutMs: number,
    isExpected: (answer: unknown) => answer is T,
    what: string,
  ): Promise<T> {
    const answer = await this.call('POST', path, { body, timeoutMs });
    if (answer.status !== 200) this.refuse(answer);
    if (!isExpected(answer.body))
      throw new UsageError(`${this.origin} returned an unexpected response (expected ${what}).`);
    return answer.body;
  }

  /** @throws UsageError with what the platform says */
  refuse(answer: Answer): never {
    throw new UsageError(`${this.origin} returned ${refusalOf(answer)}`);
  }

  private async refresh(signal: AbortSignal | undefined): Promise<void> {
    const { refreshToken } = this;
    const options = { body: { refreshToken }, timeoutMs: REFRESH_TIMEOUT_MS, signal };
    const answer = await this.send('POST', REFRESH_PATH, options, undefined);
    const pair = membersOf(answer.body);
    if (answer.status !== 200 || typeof pair.accessToken !== 'string' || typeof pair.refreshToken !== 'string') {
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
      throw new PlatformUnreachable(`Can't reach ${this.origin}: ${reasonOf(error, timeoutMs)}.`);
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
  if ('name' in error && error.name === 'TimeoutError') return `no response within ${timeoutMs / 1000} seconds`;
  const cause = 'cause' in error && error.cause ? error.cause : error;
  return errorCodeOf(cause) || messageOf(cause);
}

/** The status and the text of a problem document (RFC 9457). */
function refusalOf({ status, body }: Answer): string {
  const problem = membersOf(body);
  const text = [problem.detail, problem.title].find((value) => typeof value === 'string');
  const hint = status === 401 ? ' Sign in again and use the new token.' : '';
  return `${status}${text === undefined ? '' : `: ${text.replace(/\.$/, '')}`}.${hint}`;
}

/** Hosts to which a token may be sent without TLS. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Parses the address of the platform.
 *
 * @throws UsageError when it is not an http or https URL, or is plain http to another machine
 */
export function baseUrlOf(text: string, usage: string): URL {
  const url = parseUrl(text);
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw new UsageError(`--base-url must be an http or https address, such as https://crm.example.com.`, usage);
  }
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname)) {
    throw new UsageError("--base-url must use https, so that your token isn't sent unencrypted.", usage);
  }
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return url;
}

/** The options of every command that calls the API as a developer. */
export const SIGN_IN_OPTIONS = {
  'base-url': { type: 'string' },
  token: { type: 'string' },
} as const;

/** Their part of a command's usage. */
export const SIGN_IN_USAGE = `  --base-url <url>        the platform's URL (or CRM_BASE_URL)
  --token <token>         an access token of the workspace that publishes the app (or CRM_TOKEN)`;

/**
 * The platform of these options and the environment.
 * @throws UsageError when the address or the token is missing or cannot be used
 */
export function platformOf(
  values: { readonly 'base-url'?: string | undefined; readonly token?: string | undefined },
  config: CliConfig,
  usage: string,
): Platform {
  const baseUrl = values['base-url'] ?? config.baseUrl;
  const token = values.token ?? config.token;
  const { refreshToken } = config;
  if (baseUrl === undefined || (token === undefined && refreshToken === undefined)) {
    throw new UsageError(
      'Not signed in. Set CRM_BASE_URL and CRM_TOKEN (or CRM_REFRESH_TOKEN), or pass --base-url and --token.',
      usage,
    );
  }
  return new Platform(baseUrlOf(baseUrl, usage), { token, refreshToken });
}
