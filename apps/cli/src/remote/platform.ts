import { parseUrl } from '@crm/address-policy';
import type { Certification } from '@crm/manifest';
import { errorCodeOf, messageOf, UsageError } from '../arguments.js';
import type { CliConfig } from '../config.js';

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
    throw new UsageError(
      '--base-url must be https: otherwise the token would be sent to another machine unencrypted.',
      usage,
    );
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
export const SIGN_IN_USAGE = `  --base-url <url>        the platform's address (or CRM_BASE_URL)
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
      'Give --base-url and --token, or CRM_BASE_URL and CRM_TOKEN or CRM_REFRESH_TOKEN in the environment.',
      usage,
    );
  }
  return new Platform(baseUrlOf(baseUrl, usage), { token, refreshToken });
}

const PATH = 'api/marketplace/developer/certifications';

/** Milliseconds; the platform looks up names, each with its own time limit. */
const CERTIFICATION_TIMEOUT_MS = 60_000;

/**
 * Certifies through the API, which also knows who owns the key, which versions were submitted and how names resolve.
 *
 * @throws UsageError when there is no certification: no connection, a refusal, or an unexpected answer
 */
export async function certifyRemotely(
  platform: Platform,
  documents: { manifest: unknown; reviewPacket?: unknown },
): Promise<Certification> {
  const answer = await platform.call('POST', PATH, { body: documents, timeoutMs: CERTIFICATION_TIMEOUT_MS });
  if (answer.status !== 200) platform.refuse(answer);
  if (!isCertification(answer.body)) throw new UsageError(`${platform.origin} did not answer with a certification.`);
  return answer.body;
}

function isCertification(body: unknown): body is Certification {
  if (typeof body !== 'object' || body === null) return false;
  const { passed, checks, summary } = body as Record<string, unknown>;
  return (
    typeof passed === 'boolean' &&
    typeof summary === 'object' &&
    summary !== null &&
    Array.isArray(checks) &&
    checks.every((check) => typeof check?.id === 'string' && Array.isArray(check.findings))
  );
}

/** What became of a sample event at one webhook of a sandbox. */
export interface TriggeredDelivery {
  readonly url: string;
  /** `delivered`, `failed`, `blocked` or `pending`. */
  readonly status: string;
  readonly httpStatus?: number;
  /** Milliseconds. */
  readonly latencyMs?: number;
  readonly error?: { readonly code: string; readonly message: string };
}

export interface TriggeredEvent {
  readonly event: string;
  readonly eventId: string;
  readonly deliveries: readonly TriggeredDelivery[];
}

/** Milliseconds; an endpoint has 15 seconds to answer. */
const TRIGGER_TIMEOUT_MS = 35_000;

/**
 * Has the platform send a sample event to the sandboxes of an app.
 * @throws UsageError when it does not: no connection, a refusal, or an unexpected answer
 */
export async function triggerEvent(platform: Platform, appKey: string, event: string): Promise<TriggeredEvent> {
  const path = `api/marketplace/developer/apps/${encodeURIComponent(appKey)}/trigger`;
  const answer = await platform.call('POST', path, { body: { event }, timeoutMs: TRIGGER_TIMEOUT_MS });
  if (answer.status !== 200) platform.refuse(answer);
  if (!isTriggeredEvent(answer.body)) throw new UsageError(`${platform.origin} did not answer with deliveries.`);
  return answer.body;
}

function isTriggeredEvent(body: unknown): body is TriggeredEvent {
  if (typeof body !== 'object' || body === null) return false;
  const { event, eventId, deliveries } = body as Record<string, unknown>;
  return (
    typeof event === 'string' &&
    typeof eventId === 'string' &&
    Array.isArray(deliveries) &&
    deliveries.every((one) => typeof one?.url === 'string' && typeof one.status === 'string')
  );
}
