import type { IncomingHttpHeaders } from 'node:http';
import { createSecureContext, type SecureContext } from 'node:tls';
import { checkUrl, type HostPort, type UrlOptions, type UrlVerdict } from '@crm/address-policy';
import { TLS_SETTINGS } from '@crm/contracts';
import { Connection, type ConnectionOptions, ConnectionPool, Connections, LoopLoad } from './connections.js';
import { type Dial, TlsSessions } from './connector.js';
import { Destinations, type Origin } from './destination.js';
import { EgressError } from './errors.js';
import { exchange, outgoingHeaders, type RequestHeaders, type Timeouts } from './exchange.js';
import {
  lookupChecked,
  nameServerResolver,
  REUSE_MS,
  type Resolver,
  SharedLookups,
  systemResolver,
} from './resolver.js';

export type EgressMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

const METHODS: ReadonlySet<string> = new Set<EgressMethod>(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);

export interface EgressRequest {
  method: EgressMethod;
  url: string;
  /**
   * Extra headers, as an object or as a list in which names and values alternate; connection headers (`host`,
   * `content-length`, …) and `accept-encoding` are ignored.
   */
  headers?: RequestHeaders;
  /** A Buffer is sent without being copied, so it must not change until the call has ended. */
  body?: string | Buffer;
  /** Overrides the client's timeouts, in milliseconds. */
  timeouts?: Partial<Timeouts>;
  maxResponseBytes?: number;
  /**
   * True when a longer body is truncated instead of failing with `too_large`. A rest of up to 64 KiB that arrives within a
   * second is read and thrown away so that the connection can be used again; beyond that it is closed.
   */
  truncate?: boolean;
}

/** A response with any status, including 3xx, since redirects are never followed. */
export interface EgressResponse {
  status: number;
  headers: IncomingHttpHeaders;
  /** The bytes as received, never decompressed. */
  body: Buffer;
  truncated: boolean;
  /** Milliseconds from the call to the last byte of `body`, including the lookup. */
  latencyMs: number;
  remoteAddress: string;
}

/** Options of a client. Everything is optional; times are in milliseconds. */
export interface EgressOptions {
  /** Exact hosts and ports that may be called regardless of the policy. Development only. */
  allow?: readonly HostPort[];
  /** PEM certificates that are trusted for the hosts in `allow`, instead of the public authorities. */
  ca?: string;
  allowedPorts?: readonly number[];
  /** Suffixes of cluster-internal names, which are refused. */
  clusterSuffixes?: readonly string[];
  /**
   * Looks up all names. By default the name servers are asked, and the system (including the hosts file) for the hosts in
   * `allow`.
   */
  resolver?: Resolver;
  timeouts?: Partial<Timeouts>;
  maxResponseBytes?: number;
  maxHeaderBytes?: number;
  /** A socket is not reused after this time, at most, so that its name is looked up again. */
  originLifetimeMs?: number;
  /** An idle socket is closed after this time when the receiver does not say how long it waits. */
  keepAliveMs?: number;
  /** An idle socket is closed after this time although the receiver would wait longer (`keep-alive: timeout=`). */
  keepAliveMaxMs?: number;
  /** Idle sockets kept per origin. Sockets in use are not limited here: the caller decides how many calls there are. */
  maxIdlePerOrigin?: number;
  maxIdle?: number;
  userAgent?: string;
  /** Opens sockets instead of `tls.connect`; for tests of the checks on the socket. */
  dial?: Dial;
}

/** A delivery attempt may take 15 s in total; the limits of the phases overlap. */
const DEFAULT_TIMEOUTS: Timeouts = { connectMs: 5_000, headersMs: 10_000, bodyMs: 10_000, totalMs: 15_000 };

/** Enough for an excerpt and for small JSON responses. */
const DEFAULT_MAX_RESPONSE_BYTES = 64 * 1024;

/** Node's default for received headers. */
const DEFAULT_MAX_HEADER_BYTES = 16 * 1024;

/**
 * One minute, what health-checked DNS records commonly live: a receiver that moves is followed within that time. At one
 * resumed handshake per minute and socket it costs nothing that can be measured.
 */
const DEFAULT_ORIGIN_LIFETIME_MS = 60_000;

/**
 * A second less than the five that are the shortest common default of servers (Node, Apache, uvicorn): a request that crosses
 * the closing of its socket fails.
 */
const DEFAULT_KEEP_ALIVE_MS = 4_000;

/** Half of a socket's lifetime. An origin that is called less often gains little from open sockets. */
const DEFAULT_KEEP_ALIVE_MAX_MS = 30_000;

/** A dispatcher calls one origin with so many at the same time. */
const DEFAULT_MAX_IDLE_PER_ORIGIN = 256;

/** At 40 to 50 KB each (0138), 200 MB at most. */
const DEFAULT_MAX_IDLE = 4_096;

/**
 * A process's one way to the outside, which owns its sockets, as a provider: `{ provide: OutsideClient, useFactory: () => new
 * OutsideClient(config.egress) }`. Nest closes it when requests and background work have ended.
 */
export class OutsideClient {
  private readonly policy: UrlOptions;
  private readonly destinations: Destinations;
  private readonly timeouts: Timeouts;
  private readonly maxResponseBytes: number;
  private readonly userAgent: string;
  private readonly connectionOptions: ConnectionOptions;
  private readonly pool: ConnectionPool;
  private readonly connections: Connections;
  private closed = false;

  constructor(options: EgressOptions = {}) {
    this.policy = {
      ...(options.allowedPorts && { allowedPorts: options.allowedPorts }),
      ...(options.clusterSuffixes && { clusterSuffixes: options.clusterSuffixes }),
      ...(options.allow && { exceptions: options.allow }),
    };
    this.destinations = new Destinations(this.policy);
    this.timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
    this.maxResponseBytes = options.maxResponseBytes ?? DEFAULT_MAX_RESPONSE_BYTES;
    this.userAgent = options.userAgent ?? 'crm-platform/1';
    const lifetimeMs = options.originLifetimeMs ?? DEFAULT_ORIGIN_LIFETIME_MS;
    this.connectionOptions = {
      // An answer must not be older than a socket may be.
      lookups: new SharedLookups(lookupOf(options), Math.min(REUSE_MS, lifetimeMs)),
      sessions: new TlsSessions(),
      secureContextOf: secureContexts(options.ca),
      connectMs: this.timeouts.connectMs,
      maxHeaderBytes: options.maxHeaderBytes ?? DEFAULT_MAX_HEADER_BYTES,
      keepAliveMs: options.keepAliveMs ?? DEFAULT_KEEP_ALIVE_MS,
      keepAliveMaxMs: options.keepAliveMaxMs ?? DEFAULT_KEEP_ALIVE_MAX_MS,
      lifetimeMs,
      dial: options.dial,
    };
    this.pool = new ConnectionPool({
      maxIdlePerOrigin: options.maxIdlePerOrigin ?? DEFAULT_MAX_IDLE_PER_ORIGIN,
      maxIdle: options.maxIdle ?? DEFAULT_MAX_IDLE,
    });
    const load = new LoopLoad();
    this.connections = new Connections(
      this.pool,
      (origin) => this.createConnection(origin),
      () => load.isBusy(),
    );
  }

  /** Checks a URL by the policy and this client's exceptions; for use when a URL is entered. */
  checkUrl(url: string): UrlVerdict {
    return checkUrl(url, this.policy);
  }

  /** Number of sockets that wait for their next request. */
  get idleSockets(): number {
    return this.pool.size;
  }

  /** Calls a URL outside the platform. @throws EgressError when there is no response */
  async request(request: EgressRequest): Promise<EgressResponse> {
    const startedAt = performance.now();
    if (!METHODS.has(request.method)) throw new TypeError(`The method ${request.method} is not supported`);
    const { origin, path } = this.destinations.get(request.url);
    const headers = outgoingHeaders(request.headers ?? {}, this.userAgent);

    const limits = request.timeouts ? { ...this.timeouts, ...request.timeouts } : this.timeouts;
    const taken = this.connections.take(origin, limits.totalMs);
    let connection: Connection | undefined;
    let reusable = false;
    try {
      // Without a turn of the event loop when there is one, as nearly always.
      connection = taken instanceof Promise ? await taken : taken;
      const answer = await exchange(
        connection,
        { method: request.method, path, headers, body: request.body },
        {
          timeouts: taken === connection ? limits : afterWaiting(limits, performance.now() - startedAt),
          maxResponseBytes: request.maxResponseBytes ?? this.maxResponseBytes,
          truncate: request.truncate ?? false,
        },
      );
      reusable = answer.reusable && !this.closed;
      return {
        status: answer.status,
        headers: answer.headers,
        body: answer.body,
        truncated: answer.truncated,
        latencyMs: answer.completeAt - startedAt,
        remoteAddress: connection.remoteAddress ?? '',
      };
    } catch (error) {
      if (error instanceof EgressError) error.latencyMs = performance.now() - startedAt;
      throw error;
    } finally {
      if (connection) this.connections.release(connection, reusable);
    }
  }

  private createConnection(origin: Origin): Connection {
    const connection = new Connection(origin, this.connectionOptions);
    connection.client.on('disconnect', () => this.pool.drop(connection));
    return connection;
  }

  /** Closes idle sockets; requests in progress finish normally. */
  async close(): Promise<void> {
    this.closed = true;
    await this.pool.close();
  }

  onApplicationShutdown(): Promise<void> {
    return this.close();
  }
}

/** What is left of the limits for a call that has waited for a connection. */
function afterWaiting(limits: Timeouts, waitedMs: number): Timeouts {
  return { ...limits, totalMs: Math.max(1, limits.totalMs - waitedMs) };
}

/** Looks up exceptions by the system, everything else by the name servers, and checks the addresses. */
function lookupOf({ resolver }: EgressOptions) {
  const outside = resolver ?? nameServerResolver();
  const exceptions = resolver ?? systemResolver;
  return ({ hostname, exempt }: Origin, signal: AbortSignal) =>
    lookupChecked(hostname, exempt ? exceptions : outside, { exempt, signal });
}

/** The authorities that count, read once: making them from the PEM costs more than a handshake. */
function secureContexts(ca: string | undefined): (origin: Origin) => SecureContext {
  const outside = createSecureContext(TLS_SETTINGS);
  const exceptions = ca === undefined ? outside : createSecureContext({ ...TLS_SETTINGS, ca });
  return ({ exempt }) => (exempt ? exceptions : outside);
}
