import type { ServiceName } from '@crm/contracts';
import { counter, gauge } from '@crm/telemetry';
import type { FastifyReply } from 'fastify';
import { Pool } from 'undici';
import { Exchange, type ForwardedRequest } from './exchange.js';
import type { UpstreamUrls } from './proxy-config.js';
import type { UpstreamConnector } from './upstream-connector.js';

export const openUpstreams = gauge(
  'gateway_upstream_open',
  'Whether calls of a service are refused because it has not answered the last ones: 1 while they are',
  ['upstream'],
);

const refusedCalls = counter(
  'gateway_upstream_refusals_total',
  'Calls that were refused because their service had not answered the ones before',
  ['upstream'],
);

/** Consecutive calls without an answer after which a service gets no more for a while. */
const FAILURES = 5;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Callers of a silent service are told at once, and it is left alone while it starts. After a pause one call is let
 * through, whose outcome ends the pause or doubles it. Any answer counts as one, also a 503.
 */
export class UpstreamBreaker {
  private failures = 0;
  private pauseMs = 0;
  private openUntil = 0;
  private isProbing = false;

  constructor(
    private readonly upstream: ServiceName,
    private readonly now: () => number = () => performance.now(),
  ) {
    openUpstreams.set({ upstream }, 0);
  }

  /** @returns milliseconds until a call may be tried; 0: the caller makes one now, and reports its outcome */
  waitMs(): number {
    if (this.pauseMs === 0) return 0;
    const left = this.openUntil - this.now();
    if (left <= 0 && !this.isProbing) {
      this.isProbing = true;
      return 0;
    }
    refusedCalls.inc({ upstream: this.upstream });
    return Math.max(left, FIRST_PAUSE_MS);
  }

  answered(): void {
    this.failures = 0;
    if (this.pauseMs === 0) return;
    this.pauseMs = 0;
    this.isProbing = false;
    openUpstreams.set({ upstream: this.upstream }, 0);
  }

  failed(): void {
    this.failures += 1;
    // Calls that were under way when it opened say nothing new.
    if (this.failures < FAILURES || (this.pauseMs > 0 && !this.isProbing)) return;
    this.pauseMs = Math.min(LONGEST_PAUSE_MS, this.pauseMs === 0 ? FIRST_PAUSE_MS : this.pauseMs * 2);
    this.openUntil = this.now() + this.pauseMs;
    this.isProbing = false;
    openUpstreams.set({ upstream: this.upstream }, 1);
  }
}

const CONNECTIONS = 128;
/** Shorter than the 72 s after which a service closes an idle connection, so that no request meets a closing one. */
const IDLE_MS = 30_000;

/** A service has not answered the last calls and gets no more for a while. */
export class UpstreamPaused extends Error {
  constructor(readonly waitMs: number) {
    super("The service isn't responding. Try again shortly");
    this.name = 'UpstreamPaused';
  }
}

/** Connections to the services behind an edge, kept for reuse. */
export class Upstreams {
  private readonly pools: ReadonlyMap<ServiceName, Pool>;
  private readonly breakers: ReadonlyMap<ServiceName, UpstreamBreaker>;

  /** @param timeoutMs longest wait for the beginning of an answer, and then between two parts of it */
  constructor(urls: UpstreamUrls, connector: UpstreamConnector, timeoutMs: number) {
    const options = {
      connections: CONNECTIONS,
      connect: connector.connect,
      keepAliveTimeout: IDLE_MS,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    };
    const entries = Object.entries(urls) as [ServiceName, string][];
    this.pools = new Map(entries.map(([upstream, url]) => [upstream, new Pool(new URL(url).origin, options)]));
    this.breakers = new Map(entries.map(([upstream]) => [upstream, new UpstreamBreaker(upstream)]));
  }

  /**
   * @param onFailure called when the service did not answer and nothing has been sent to the client
   * @returns the call; undefined when it failed at once
   */
  forward(
    upstream: ServiceName,
    request: ForwardedRequest,
    reply: FastifyReply,
    onFailure: (error: Error) => void,
  ): Exchange | undefined {
    const breaker = this.breakers.get(upstream) as UpstreamBreaker;
    const waitMs = breaker.waitMs();
    if (waitMs > 0) {
      onFailure(new UpstreamPaused(waitMs));
      return undefined;
    }
    const exchange = new Exchange(this.pools.get(upstream) as Pool, request, reply, {
      onAnswer: () => breaker.answered(),
      onFailure: (error) => {
        breaker.failed();
        onFailure(explainTlsFailure(upstream, error));
      },
    });
    exchange.start();
    return exchange;
  }

  async close(): Promise<void> {
    await Promise.all([...this.pools.values()].map((pool) => pool.destroy()));
  }
}

/** Node's codes for certificates that are refused: those of OpenSSL's verification, and that of the name. */
const CERTIFICATE_CODES =
  /^(CERT_|CRL_|DEPTH_ZERO_SELF_SIGNED_CERT$|ERR_TLS_CERT_|ERROR_IN_CERT_|HOSTNAME_MISMATCH$|INVALID_(CA|PURPOSE)$|PATH_LENGTH_EXCEEDED$|SELF_SIGNED_CERT_|UNABLE_TO_)/;
/** The two do not find a version or suite, or the service speaks something else: plain HTTP. */
const PROTOCOL_CODES = /^(EPROTO$|ERR_SSL_)/;

/** A service is not called because it cannot show who it is. */
export class UpstreamNotTrusted extends Error {
  readonly code: string;

  constructor(upstream: ServiceName, reason: string, cause: Error & { code: string }) {
    super(`${upstream} is not called: ${reason} (${cause.message})`, { cause });
    this.name = 'UpstreamNotTrusted';
    this.code = cause.code;
  }
}

/** The error of a call, in words that name the service and the certificate if that is what it failed by. */
export function explainTlsFailure(upstream: ServiceName, error: Error): Error {
  const { code } = error as { code?: unknown };
  if (typeof code !== 'string') return error;
  const cause = error as Error & { code: string };
  if (CERTIFICATE_CODES.test(code)) return new UpstreamNotTrusted(upstream, 'its certificate is not accepted', cause);
  if (PROTOCOL_CODES.test(code)) return new UpstreamNotTrusted(upstream, 'it does not speak TLS as we do', cause);
  return error;
}
