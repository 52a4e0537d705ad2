import type { ServiceName } from '@crm/contracts';
import type { FastifyReply } from 'fastify';
import { Pool } from 'undici';
import { Exchange, type ForwardedRequest } from './exchange.js';
import type { UpstreamUrls } from './proxy-config.js';
import { UpstreamBreaker } from './upstream-breaker.js';
import type { UpstreamConnector } from './upstream-connector.js';

const CONNECTIONS = 128;
/** Shorter than the 72 s after which a service closes an idle connection, so that no request meets a closing one. */
const IDLE_MS = 30_000;

/** A service has not answered the last calls and gets no more for a while. */
export class UpstreamPaused extends Error {
  constructor(readonly waitMs: number) {
    super('The service has not answered the last calls');
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

  /** @param onFailure called when the service did not answer and nothing has been sent to the client */
  forward(
    upstream: ServiceName,
    request: ForwardedRequest,
    reply: FastifyReply,
    onFailure: (error: Error) => void,
  ): void {
    const breaker = this.breakers.get(upstream) as UpstreamBreaker;
    const waitMs = breaker.waitMs();
    if (waitMs > 0) {
      onFailure(new UpstreamPaused(waitMs));
      return;
    }
    new Exchange(this.pools.get(upstream) as Pool, request, reply, {
      onAnswer: () => breaker.answered(),
      onFailure: (error) => {
        breaker.failed();
        onFailure(explainTlsFailure(upstream, error));
      },
    }).start();
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
