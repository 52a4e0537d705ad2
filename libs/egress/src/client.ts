import type { IncomingHttpHeaders } from 'node:http';
import { checkUrl, type HostPort, isException, type UrlOptions, type UrlVerdict } from '@crm/address-policy';
import type { Dial } from './connector.js';
import { EgressError } from './errors.js';
import { exchange, type Timeouts } from './exchange.js';
import { Lane, type LaneOptions } from './lane.js';
import { LanePool } from './lane-pool.js';
import { outgoingHeaders } from './request-headers.js';
import { nameServerResolver, type Resolver, systemResolver } from './resolver.js';

/** The methods that may be sent. */
export type EgressMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

const METHODS: ReadonlySet<string> = new Set<EgressMethod>(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** One call. */
export interface EgressRequest {
  method: EgressMethod;
  url: string;
  /** Headers of the caller; those of the connection (`host`, `content-length`, …) and `accept-encoding` are ignored. */
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** Milliseconds; what is left out comes from the client. */
  timeouts?: Partial<Timeouts>;
  /** The longest body of the answer, in bytes. */
  maxResponseBytes?: number;
  /** True to get the beginning of a longer body instead of the error `too_large`. */
  truncate?: boolean;
}

/** An answer of any status; 3xx too, since redirects are never followed. */
export interface EgressResponse {
  status: number;
  headers: IncomingHttpHeaders;
  /** The bytes as sent, never decompressed. */
  body: Buffer;
  /** Whether the body was cut at `maxResponseBytes`. */
  truncated: boolean;
  /** From the call to the last byte of the answer, lookup included. */
  latencyMs: number;
  remoteAddress: string;
}

/** What a client is made with. Everything is optional; times are milliseconds. */
export interface EgressOptions {
  /** Exact hosts and ports that may be called whatever the policy says. Development only. */
  allow?: readonly HostPort[];
  /** PEM certificates trusted for the hosts in `allow`, instead of the public authorities. */
  ca?: string;
  /** Ports that may be called besides 443. */
  allowedPorts?: readonly number[];
  /** Suffixes of the cluster's own names. */
  clusterSuffixes?: readonly string[];
  /**
   * Looks all names up. Without it the name servers are asked, and the system (hosts file included) for the hosts in `allow`.
   */
  resolver?: Resolver;
  timeouts?: Partial<Timeouts>;
  maxResponseBytes?: number;
  maxHeaderBytes?: number;
  /** A socket is not used again after this time, so that its name is looked up again. */
  originLifetimeMs?: number;
  /** An idle socket is closed after this time. */
  keepAliveMs?: number;
  maxIdlePerOrigin?: number;
  maxIdle?: number;
  userAgent?: string;
  /** Opens sockets in the place of `tls.connect`; for tests of the checks on the socket. */
  dial?: Dial;
}

/** The only way to call the outside. */
export interface EgressClient {
  /**
   * Calls a URL of the outside.
   *
   * @throws EgressError when there is no answer
   */
  request(request: EgressRequest): Promise<EgressResponse>;
  /** What the policy says of a URL, this client's exceptions included; for use when a URL is entered. */
  checkUrl(url: string): UrlVerdict;
  /** Sockets that wait for their next request. */
  readonly idleSockets: number;
  /** Closes idle sockets; requests under way end by themselves. */
  close(): Promise<void>;
}

/** A delivery attempt may take 15 s in all; the phases leave room for each other. */
const DEFAULT_TIMEOUTS: Timeouts = { connectMs: 5_000, headersMs: 10_000, bodyMs: 10_000, totalMs: 15_000 };

/** Enough for an excerpt and for small JSON answers. */
const DEFAULT_MAX_RESPONSE_BYTES = 64 * 1024;

/** Node's own default for headers received. */
const DEFAULT_MAX_HEADER_BYTES = 16 * 1024;

/** Makes a client. One for a process is enough; it owns its sockets. */
export function createEgressClient(options: EgressOptions = {}): EgressClient {
  return new PinnedEgressClient(options);
}

class PinnedEgressClient implements EgressClient {
  private readonly policy: UrlOptions;
  private readonly timeouts: Timeouts;
  private readonly laneOptions: Omit<LaneOptions, 'resolver'>;
  private readonly outsideResolver: Resolver;
  private readonly pool: LanePool;
  private closed = false;

  constructor(private readonly options: EgressOptions) {
    this.policy = {
      ...(options.allowedPorts && { allowedPorts: options.allowedPorts }),
      ...(options.clusterSuffixes && { clusterSuffixes: options.clusterSuffixes }),
      ...(options.allow && { exceptions: options.allow }),
    };
    this.timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
    this.outsideResolver = options.resolver ?? nameServerResolver();
    this.laneOptions = {
      ca: options.ca,
      connectMs: this.timeouts.connectMs,
      maxHeaderBytes: options.maxHeaderBytes ?? DEFAULT_MAX_HEADER_BYTES,
      keepAliveMs: options.keepAliveMs ?? 4_000,
      dial: options.dial,
    };
    this.pool = new LanePool({
      maxIdlePerOrigin: options.maxIdlePerOrigin ?? 8,
      maxIdle: options.maxIdle ?? 512,
      lifetimeMs: options.originLifetimeMs ?? 60_000,
    });
  }

  checkUrl(url: string): UrlVerdict {
    return checkUrl(url, this.policy);
  }

  get idleSockets(): number {
    return this.pool.size;
  }

  async request(request: EgressRequest): Promise<EgressResponse> {
    const startedAt = performance.now();
    if (!METHODS.has(request.method)) throw new TypeError(`${request.method} is not a method that may be sent`);
    const verdict = this.checkUrl(request.url);
    if (!verdict.ok) throw new EgressError('blocked', verdict.message);
    const { url } = verdict;

    const lane = this.pool.take(url.origin) ?? this.openLane(url);
    let reusable = false;
    try {
      const answer = await exchange(
        lane,
        {
          method: request.method,
          path: `${url.pathname}${url.search}`,
          headers: outgoingHeaders(request.headers ?? {}, this.options.userAgent ?? 'crm-platform/1'),
          body: request.body,
        },
        {
          timeouts: { ...this.timeouts, ...request.timeouts },
          maxResponseBytes: request.maxResponseBytes ?? this.options.maxResponseBytes ?? DEFAULT_MAX_RESPONSE_BYTES,
          truncate: request.truncate ?? false,
        },
      );
      reusable = answer.reusable && !this.closed;
      return {
        status: answer.status,
        headers: answer.headers,
        body: answer.body,
        truncated: answer.truncated,
        latencyMs: performance.now() - startedAt,
        remoteAddress: lane.remoteAddress ?? '',
      };
    } finally {
      if (reusable) this.pool.put(lane);
      else void lane.destroy();
    }
  }

  private openLane(url: URL): Lane {
    const exempt = isException(url, this.policy.exceptions);
    const resolver = exempt ? (this.options.resolver ?? systemResolver) : this.outsideResolver;
    const lane = new Lane(url, exempt, { ...this.laneOptions, resolver });
    lane.client.on('disconnect', () => this.pool.drop(lane));
    return lane;
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.pool.close();
  }
}
