import { performance } from 'node:perf_hooks';
import type { SecureContext, TLSSocket } from 'node:tls';
import { Client } from 'undici';
import { connectChecked, type Dial, type TlsSessions } from './connector.js';
import type { Origin } from './destination.js';
import type { EgressPhase } from './errors.js';
import type { SharedLookups } from './resolver.js';

/** Part of the time above which the event loop is busy: work that comes waits noticeably. */
const BUSY = 0.8;
/** Milliseconds over which it is measured. */
const WINDOW_MS = 20;

/** Tells whether the event loop is busy, measured between calls that are a moment apart. */
export class LoopLoad {
  private last = performance.eventLoopUtilization();
  private lastAt = performance.now();
  private wasBusy = false;

  isBusy(): boolean {
    const now = performance.now();
    if (now - this.lastAt < WINDOW_MS) return this.wasBusy;
    const current = performance.eventLoopUtilization();
    this.wasBusy = performance.eventLoopUtilization(current, this.last).utilization > BUSY;
    this.last = current;
    this.lastAt = now;
    return this.wasBusy;
  }
}

export interface LaneOptions {
  lookups: SharedLookups;
  sessions: TlsSessions;
  /** The authorities that count for an origin. */
  secureContextOf: (origin: Origin) => SecureContext;
  connectMs: number;
  maxHeaderBytes: number;
  /** Milliseconds for which an idle socket is kept when the receiver does not say for how long it keeps it. */
  keepAliveMs: number;
  /** Milliseconds for which an idle socket is kept at most, when the receiver allows it. */
  keepAliveMaxMs: number;
  /** Milliseconds after which a lane is not used again, at most. */
  lifetimeMs: number;
  dial: Dial | undefined;
}

/**
 * An idle socket is closed this many milliseconds before the receiver would close it (`keep-alive: timeout=`): the request
 * that crosses its closing would fail. Node's own agent takes the same.
 */
const KEEP_ALIVE_MARGIN_MS = 1_000;

/**
 * Sockets that were opened in one burst must not expire in one: each lives for three quarters of the lifetime, and a random
 * part of the rest.
 */
const LIFETIME_SPREAD = 0.25;

/**
 * One undici client with at most one socket, which carries one request at a time to one origin. Whenever it
 * needs a socket it looks up the name and checks the addresses.
 */
export class Lane {
  /** When it must not be used again, in milliseconds of `performance.now()`. */
  readonly expiresAt: number;
  readonly client: Client;
  remoteAddress: string | undefined;
  /** What is being done to open a socket. */
  phase: Extract<EgressPhase, 'dns' | 'connect' | 'tls'> = 'dns';
  private readonly closing = new AbortController();
  private socket: TLSSocket | undefined;

  /** @param origin of a URL that was checked by the policy */
  constructor(
    readonly origin: Origin,
    private readonly options: LaneOptions,
  ) {
    this.expiresAt = performance.now() + options.lifetimeMs * (1 - Math.random() * LIFETIME_SPREAD);
    this.client = new Client(origin.origin, {
      pipelining: 1,
      keepAliveTimeout: options.keepAliveMs,
      keepAliveMaxTimeout: options.keepAliveMaxMs,
      keepAliveTimeoutThreshold: KEEP_ALIVE_MARGIN_MS,
      maxHeaderSize: options.maxHeaderBytes,
      // The exchange enforces the time limits, including those for phases that undici does not know.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (_options, callback) => {
        this.openSocket().then(
          (socket) => callback(null, socket),
          (error: Error) => callback(error, null),
        );
      },
    });
  }

  /** Whether its socket can take a request; false also before the first one. */
  get isOpen(): boolean {
    return this.socket !== undefined && !this.socket.destroyed && !this.client.destroyed;
  }

  private async openSocket() {
    const { origin, options } = this;
    const { signal } = this.closing;
    this.phase = 'dns';
    const addresses = await options.lookups.addressesOf(origin, signal);
    try {
      this.socket = await connectChecked(
        { ...origin, addresses },
        {
          secureContext: options.secureContextOf(origin),
          sessions: {
            find: (address, name) => options.sessions.find(origin, address, name),
            keep: (address, session) => options.sessions.keep(origin, address, session),
            forget: (address) => options.sessions.forget(origin, address),
          },
          timeoutMs: options.connectMs,
          signal,
          dial: options.dial,
          onPhase: (phase) => {
            this.phase = phase;
          },
        },
      );
    } catch (error) {
      // The name may have moved.
      options.lookups.forget(origin);
      throw error;
    }
    this.remoteAddress = this.socket.remoteAddress;
    return this.socket;
  }

  /** Closes the socket, even one that is still being opened. */
  async destroy(): Promise<void> {
    this.closing.abort();
    await this.client.destroy();
  }
}
