import type { FastifyReply } from 'fastify';
import { Pool } from 'undici';
import { Exchange, type ForwardedRequest } from './exchange.js';
import type { Upstream } from './routing.js';

/** Connections to one service. */
const CONNECTIONS = 128;
/** Milliseconds after which a service that does not accept a connection counts as down. */
const CONNECT_TIMEOUT_MS = 2000;
/** Shorter than the 72 s after which a service closes an idle connection, so that none is used as it closes. */
const IDLE_MS = 30_000;

/** Kept connections to the services behind the gateway. */
export class Upstreams {
  private readonly pools: Readonly<Record<Upstream, Pool>>;

  /**
   * @param urls addresses of the services; what follows host and port is not used
   * @param timeoutMs milliseconds a service has to begin its answer, and then between two pieces of it
   */
  constructor(urls: Readonly<Record<Upstream, string>>, timeoutMs: number) {
    const pools = Object.entries(urls).map(([upstream, url]) => [
      upstream,
      new Pool(new URL(url).origin, {
        connections: CONNECTIONS,
        connect: { timeout: CONNECT_TIMEOUT_MS },
        keepAliveTimeout: IDLE_MS,
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
      }),
    ]);
    this.pools = Object.fromEntries(pools) as Record<Upstream, Pool>;
  }

  /**
   * Sends a request to a service and the service's answer to the client.
   * @param onFailure gets what kept the service from answering, as long as nothing was sent to the client
   */
  forward(upstream: Upstream, request: ForwardedRequest, reply: FastifyReply, onFailure: (error: Error) => void): void {
    new Exchange(this.pools[upstream], request, reply, onFailure).start();
  }

  /** Ends all connections, with what is on them. */
  async close(): Promise<void> {
    await Promise.all(Object.values(this.pools).map((pool) => pool.destroy()));
  }
}
