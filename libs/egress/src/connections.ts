import type { SecureContext, TLSSocket } from 'node:tls';
import { Client } from 'undici';
import { connectChecked, type Dial, type TlsSessions } from './connector.js';
import type { Origin } from './destination.js';
import { EgressError, type EgressPhase } from './errors.js';
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

export interface ConnectionOptions {
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
  /** Milliseconds after which a connection is not used again, at most. */
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
export class Connection {
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
    private readonly options: ConnectionOptions,
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

interface ConnectionPoolOptions {
  maxIdlePerOrigin: number;
  maxIdle: number;
}

/** Connections that wait for their next request. A connection in use belongs to its request and is not in the pool. */
export class ConnectionPool {
  /** In the order in which they became idle, over all origins. */
  private readonly idle = new Set<Connection>();
  /** The same, per origin. */
  private readonly byOrigin = new Map<string, Connection[]>();

  constructor(private readonly options: ConnectionPoolOptions) {}

  /**
   * Takes the origin's most recently used connection; undefined when there is none that is open and young enough. Always the same
   * few are used while they suffice, and the others reach the end of their idle time.
   */
  take(origin: string): Connection | undefined {
    const connections = this.byOrigin.get(origin);
    if (connections === undefined) return undefined;
    for (let connection = connections.pop(); connection !== undefined; connection = connections.pop()) {
      this.idle.delete(connection);
      if (isUsable(connection)) {
        if (connections.length === 0) this.byOrigin.delete(origin);
        return connection;
      }
      this.discard(connection);
    }
    this.byOrigin.delete(origin);
    return undefined;
  }

  /** Keeps a connection for the next request, unless a limit is reached. */
  put(connection: Connection): void {
    const { origin } = connection.origin;
    let connections = this.byOrigin.get(origin);
    if (
      !isUsable(connection) ||
      (connections?.length ?? 0) >= this.options.maxIdlePerOrigin ||
      this.options.maxIdle < 1
    ) {
      this.discard(connection);
      return;
    }
    if (connections === undefined) {
      connections = [];
      this.byOrigin.set(origin, connections);
    }
    connections.push(connection);
    this.idle.add(connection);
    if (this.idle.size > this.options.maxIdle) {
      const [oldest] = this.idle;
      if (oldest) this.drop(oldest);
    }
  }

  /** Removes a connection whose socket was closed while it waited; it has no advantage over a new one. */
  drop(connection: Connection): void {
    if (!this.idle.delete(connection)) return;
    const { origin } = connection.origin;
    const connections = this.byOrigin.get(origin) ?? [];
    connections.splice(connections.indexOf(connection), 1);
    if (connections.length === 0) this.byOrigin.delete(origin);
    this.discard(connection);
  }

  get size(): number {
    return this.idle.size;
  }

  async close(): Promise<void> {
    const connections = [...this.idle];
    this.idle.clear();
    this.byOrigin.clear();
    await Promise.all(connections.map((connection) => connection.destroy()));
  }

  private discard(connection: Connection): void {
    void connection.destroy();
  }
}

/** Returns whether it can take a request: it has an open socket and is young enough. */
function isUsable(connection: Connection): boolean {
  return connection.isOpen && performance.now() < connection.expiresAt;
}

/**
 * Milliseconds for which a request waits for a connection in use before another is opened. Opening one costs both sides as much
 * processor time as some ten requests on an open one, so a hiccup of the process or the receiver must not open dozens.
 */
const WAIT_BEFORE_OPEN_MS = 20;
/**
 * Milliseconds between further connections that the process opens, at whatever origin, while its event loop is busy; the first of an
 * origin never waits. When every request without an idle connection opened one, the handshakes of a hiccup made more requests wait,
 * which opened more: for a second the process did little else (0138). Two hundred a second take about a quarter of a core.
 */
const OPEN_EVERY_MS = 5;
/** The same while the event loop has time. */
const OPEN_EVERY_MS_WHEN_IDLE = 1;

interface Waiter {
  readonly begin: (connection: Connection) => void;
}

/** What goes on at an origin; forgotten when nothing does. */
interface Activity {
  readonly origin: Origin;
  /** Connections that carry a request, or open a socket for one. */
  inUse: number;
  /** In the order in which they came. */
  readonly waiters: Waiter[];
  /** Opens a connection for the first who waits. */
  timer: NodeJS.Timeout | undefined;
}

/** Hands out connections: idle ones, those that others give back, and new ones, at a measured pace. */
export class Connections {
  private readonly activities = new Map<string, Activity>();
  /** When another further connection may be opened, in milliseconds of `performance.now()`. */
  private mayOpenAt = 0;

  /**
   */
  constructor(
    private readonly pool: ConnectionPool,
    private readonly create: (origin: Origin) => Connection,
    private readonly isBusy: () => boolean,
  ) {}

  /**
   * A connection for one request, which gives it back with `release`.
   * @param waitMs milliseconds to wait for one at most
   * @throws {EgressError} `timeout_connect` (rejects) when none became free and none was opened within that time
   */
  take(origin: Origin, waitMs: number): Connection | Promise<Connection> {
    const activity = this.activityAt(origin);
    const connection = activity.waiters.length === 0 ? this.pool.take(origin.origin) : undefined;
    if (!connection && activity.inUse > 0) return this.wait(activity, waitMs);
    activity.inUse += 1;
    return connection ?? this.create(origin);
  }

  /** @param isReusable whether its socket can carry another request */
  release(connection: Connection, isReusable: boolean): void {
    const activity = this.activityAt(connection.origin);
    const next = isReusable && isUsable(connection) ? activity.waiters.shift() : undefined;
    if (next) {
      next.begin(connection);
      return;
    }
    activity.inUse -= 1;
    if (isReusable) this.pool.put(connection);
    else void connection.destroy();
    // Nothing comes back that those who wait could have.
    if (activity.inUse === 0) this.open(activity);
    if (activity.inUse === 0) this.activities.delete(connection.origin.origin);
  }

  private activityAt(origin: Origin): Activity {
    const known = this.activities.get(origin.origin);
    if (known) return known;
    const activity: Activity = { origin, inUse: 0, waiters: [], timer: undefined };
    this.activities.set(origin.origin, activity);
    return activity;
  }

  private wait(activity: Activity, waitMs: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        activity.waiters.splice(activity.waiters.indexOf(waiter), 1);
        const error = new EgressError('timeout_connect', 'The connection could not be opened in time');
        error.phase = 'connect';
        reject(error);
      }, waitMs);
      const waiter: Waiter = {
        begin: (connection) => {
          clearTimeout(timer);
          resolve(connection);
        },
      };
      activity.waiters.push(waiter);
      activity.timer ??= setTimeout(() => this.openInTurn(activity), WAIT_BEFORE_OPEN_MS);
    });
  }

  /** Opens a connection for the first who waits when it is the turn of the origin, and sets the timer for the next. */
  private openInTurn(activity: Activity): void {
    activity.timer = undefined;
    if (activity.waiters.length === 0) return;
    const now = performance.now();
    if (now >= this.mayOpenAt) {
      this.mayOpenAt = now + (this.isBusy() ? OPEN_EVERY_MS : OPEN_EVERY_MS_WHEN_IDLE);
      this.open(activity);
      if (activity.waiters.length === 0) return;
    }
    activity.timer = setTimeout(() => this.openInTurn(activity), Math.ceil(this.mayOpenAt - now));
  }

  private open(activity: Activity): void {
    const next = activity.waiters.shift();
    if (!next) return;
    activity.inUse += 1;
    next.begin(this.create(activity.origin));
  }
}
