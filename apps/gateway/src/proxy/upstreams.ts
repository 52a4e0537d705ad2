import type { FastifyReply } from 'fastify';
import { Pool } from 'undici';
import type { Upstream } from '../routing/routing.js';
import { Exchange, type ForwardedRequest } from './exchange.js';
import { explainTlsFailure } from './tls-failure.js';
import { UpstreamBreaker } from './upstream-breaker.js';
import type { UpstreamConnector } from './upstream-connector.js';

/** Connections per service. */
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

/** Connections to the services behind the gateway, kept for reuse. */
export class Upstreams {
  private readonly pools: Readonly<Record<Upstream, Pool>>;
  private readonly breakers: Readonly<Record<Upstream, UpstreamBreaker>>;

  /**
   * @param urls addresses of the services; only scheme, host and port are used
   * @param connector opens connections to them
   * @param timeoutMs longest wait for the beginning of an answer, and then between two parts of it
   */
  constructor(urls: Readonly<Record<Upstream, string>>, connector: UpstreamConnector, timeoutMs: number) {
    const pools = Object.entries(urls).map(([upstream, url]) => [
      upstream,
      new Pool(new URL(url).origin, {
        connections: CONNECTIONS,
        connect: connector.connect,
        keepAliveTimeout: IDLE_MS,
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
      }),
    ]);
    this.pools = Object.fromEntries(pools) as Record<Upstream, Pool>;
    this.breakers = Object.fromEntries(
      (Object.keys(urls) as Upstream[]).map((upstream) => [upstream, new UpstreamBreaker(upstream)]),
    ) as Record<Upstream, UpstreamBreaker>;
  }

  /**
   * Sends a request to a service and the service's answer to the client.
   * @param onFailure called with the reason when the service did not answer and nothing has been sent to the client
   */
  forward(upstream: Upstream, request: ForwardedRequest, reply: FastifyReply, onFailure: (error: Error) => void): void {
    const breaker = this.breakers[upstream];
    const waitMs = breaker.waitMs();
    if (waitMs > 0) {
      onFailure(new UpstreamPaused(waitMs));
      return;
    }
    new Exchange(this.pools[upstream], request, reply, {
      onAnswer: () => breaker.answered(),
      onFailure: (error) => {
        breaker.failed();
        onFailure(explainTlsFailure(upstream, error));
      },
    }).start();
  }

  /** Closes all connections and aborts the requests on them. */
  async close(): Promise<void> {
    await Promise.all(Object.values(this.pools).map((pool) => pool.destroy()));
  }
}
