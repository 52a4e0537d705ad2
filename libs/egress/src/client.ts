import type { IncomingHttpHeaders } from 'node:http';
import { checkUrl, type HostPort, isException, type UrlOptions, type UrlVerdict } from '@crm/address-policy';
import type { Dial } from './connector.js';
import { EgressError } from './errors.js';
import { exchange, type Timeouts } from './exchange.js';
import { Lane, type LaneOptions } from './lane.js';
import { LanePool } from './lane-pool.js';
import { outgoingHeaders } from './request-headers.js';
import { nameServerResolver, type Resolver, systemResolver } from './resolver.js';

/** The methods that are supported. */
export type EgressMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

const METHODS: ReadonlySet<string> = new Set<EgressMethod>(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** One call. */
export interface EgressRequest {
  method: EgressMethod;
  url: string;
  /** Extra headers; connection headers (`host`, `content-length`, …) and `accept-encoding` are ignored. */
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** Overrides the client's timeouts, in milliseconds. */
  timeouts?: Partial<Timeouts>;
  /** Longest response body, in bytes. */
  maxResponseBytes?: number;
  /** Whether a longer body is truncated instead of failing with `too_large`. */
  truncate?: boolean;
}

/** A response with any status, including 3xx, since redirects are never followed. */
export interface EgressResponse {
  status: number;
  headers: IncomingHttpHeaders;
  /** The bytes as received, never decompressed. */
  body: Buffer;
  /** Whether the body was truncated at `maxResponseBytes`. */
  truncated: boolean;
  /** Milliseconds from the call to the last byte of the response, including the lookup. */
  latencyMs: number;
  remoteAddress: string;
}

/** Options of a client. Everything is optional; times are in milliseconds. */
export interface EgressOptions {
  /** Exact hosts and ports that may be called regardless of the policy. Development only. */
  allow?: readonly HostPort[];
  /** PEM certificates that are trusted for the hosts in `allow`, instead of the public authorities. */
  ca?: string;
  /** Ports that may be called in addition to 443. */
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
  /** A socket is not reused after this time, so that its name is looked up again. */
  originLifetimeMs?: number;
  /** An idle socket is closed after this time. */
  keepAliveMs?: number;
  maxIdlePerOrigin?: number;
  maxIdle?: number;
  userAgent?: string;
  /** Opens sockets instead of `tls.connect`; for tests of the checks on the socket. */
  dial?: Dial;
}

/** The only way to call the outside. */
export interface EgressClient {
  /**
   * Calls a URL outside the platform.
   *
   * @throws EgressError when there is no response
   */
  request(request: EgressRequest): Promise<EgressResponse>;
  /** Checks a URL by the policy and this client's exceptions; for use when a URL is entered. */
  checkUrl(url: string): UrlVerdict;
  /** Number of sockets that wait for their next request. */
  readonly idleSockets: number;
  /** Closes idle sockets; requests in progress finish normally. */
  close(): Promise<void>;
}

/** A delivery attempt may take 15 s in total; the limits of the phases overlap. */
const DEFAULT_TIMEOUTS: Timeouts = { connectMs: 5_000, headersMs: 10_000, bodyMs: 10_000, totalMs: 15_000 };

/** Enough for an excerpt and for small JSON responses. */
const DEFAULT_MAX_RESPONSE_BYTES = 64 * 1024;

/** Node's default for received headers. */
const DEFAULT_MAX_HEADER_BYTES = 16 * 1024;

/** Creates a client, which owns its sockets. One per process is enough. */
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
    if (!METHODS.has(request.method)) throw new TypeError(`The method ${request.method} is not supported`);
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
