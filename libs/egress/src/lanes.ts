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

interface LanePoolOptions {
  maxIdlePerOrigin: number;
  maxIdle: number;
}

/** Lanes that wait for their next request. A lane in use belongs to its request and is not in the pool. */
export class LanePool {
  /** In the order in which they became idle, over all origins. */
  private readonly idle = new Set<Lane>();
  /** The same, per origin. */
  private readonly byOrigin = new Map<string, Lane[]>();

  constructor(private readonly options: LanePoolOptions) {}

  /**
   * Takes the origin's most recently used lane; undefined when there is none that is open and young enough. Always the same
   * few are used while they suffice, and the others reach the end of their idle time.
   */
  take(origin: string): Lane | undefined {
    const lanes = this.byOrigin.get(origin);
    if (lanes === undefined) return undefined;
    for (let lane = lanes.pop(); lane !== undefined; lane = lanes.pop()) {
      this.idle.delete(lane);
      if (isUsable(lane)) {
        if (lanes.length === 0) this.byOrigin.delete(origin);
        return lane;
      }
      this.discard(lane);
    }
    this.byOrigin.delete(origin);
    return undefined;
  }

  /** Keeps a lane for the next request, unless a limit is reached. */
  put(lane: Lane): void {
    const { origin } = lane.origin;
    let lanes = this.byOrigin.get(origin);
    if (!isUsable(lane) || (lanes?.length ?? 0) >= this.options.maxIdlePerOrigin || this.options.maxIdle < 1) {
      this.discard(lane);
      return;
    }
    if (lanes === undefined) {
      lanes = [];
      this.byOrigin.set(origin, lanes);
    }
    lanes.push(lane);
    this.idle.add(lane);
    if (this.idle.size > this.options.maxIdle) {
      const [oldest] = this.idle;
      if (oldest) this.drop(oldest);
    }
  }

  /** Removes a lane whose socket was closed while it waited; it has no advantage over a new one. */
  drop(lane: Lane): void {
    if (!this.idle.delete(lane)) return;
    const { origin } = lane.origin;
    const lanes = this.byOrigin.get(origin) ?? [];
    lanes.splice(lanes.indexOf(lane), 1);
    if (lanes.length === 0) this.byOrigin.delete(origin);
    this.discard(lane);
  }

  get size(): number {
    return this.idle.size;
  }

  async close(): Promise<void> {
    const lanes = [...this.idle];
    this.idle.clear();
    this.byOrigin.clear();
    await Promise.all(lanes.map((lane) => lane.destroy()));
  }

  private discard(lane: Lane): void {
    void lane.destroy();
  }
}

/** Whether it can take a request: it has an open socket and is young enough. */
function isUsable(lane: Lane): boolean {
  return lane.isOpen && performance.now() < lane.expiresAt;
}

/**
 * Milliseconds for which a request waits for a lane in use before another is opened. Opening one costs both sides as much
 * processor time as some ten requests on an open one, so a hiccup of the process or the receiver must not open dozens.
 */
const WAIT_BEFORE_OPEN_MS = 20;
/**
 * Milliseconds between further lanes that the process opens, at whatever origin, while its event loop is busy; the first of an
 * origin never waits. When every request without an idle lane opened one, the handshakes of a hiccup made more requests wait,
 * which opened more: for a second the process did little else (0138). Two hundred a second take about a quarter of a core.
 */
const OPEN_EVERY_MS = 5;
/** The same while the event loop has time. */
const OPEN_EVERY_MS_WHEN_IDLE = 1;

interface Waiter {
  readonly begin: (lane: Lane) => void;
}

/** What goes on at an origin; forgotten when nothing does. */
interface Activity {
  readonly origin: Origin;
  /** Lanes that carry a request, or open a socket for one. */
  inUse: number;
  /** In the order in which they came. */
  readonly waiters: Waiter[];
  /** Opens a lane for the first who waits. */
  timer: NodeJS.Timeout | undefined;
}

/** Hands out lanes: idle ones, those that others give back, and new ones, at a measured pace. */
export class Lanes {
  private readonly activities = new Map<string, Activity>();
  /** When another further lane may be opened, in milliseconds of `performance.now()`. */
  private mayOpenAt = 0;

  /**
   */
  constructor(
    private readonly pool: LanePool,
    private readonly create: (origin: Origin) => Lane,
    private readonly isBusy: () => boolean,
  ) {}

  /**
   * A lane for one request, which gives it back with `release`.
   * @param waitMs milliseconds to wait for one at most
   * @throws {EgressError} `timeout_connect` (rejects) when none became free and none was opened within that time
   */
  take(origin: Origin, waitMs: number): Lane | Promise<Lane> {
    const activity = this.activityAt(origin);
    const lane = activity.waiters.length === 0 ? this.pool.take(origin.origin) : undefined;
    if (!lane && activity.inUse > 0) return this.wait(activity, waitMs);
    activity.inUse += 1;
    return lane ?? this.create(origin);
  }

  /** @param isReusable whether its socket can carry another request */
  release(lane: Lane, isReusable: boolean): void {
    const activity = this.activityAt(lane.origin);
    const next = isReusable && isUsable(lane) ? activity.waiters.shift() : undefined;
    if (next) {
      next.begin(lane);
      return;
    }
    activity.inUse -= 1;
    if (isReusable) this.pool.put(lane);
    else void lane.destroy();
    // Nothing comes back that those who wait could have.
    if (activity.inUse === 0) this.open(activity);
    if (activity.inUse === 0) this.activities.delete(lane.origin.origin);
  }

  private activityAt(origin: Origin): Activity {
    const known = this.activities.get(origin.origin);
    if (known) return known;
    const activity: Activity = { origin, inUse: 0, waiters: [], timer: undefined };
    this.activities.set(origin.origin, activity);
    return activity;
  }

  private wait(activity: Activity, waitMs: number): Promise<Lane> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        activity.waiters.splice(activity.waiters.indexOf(waiter), 1);
        const error = new EgressError('timeout_connect', 'The connection could not be opened in time');
        error.phase = 'connect';
        reject(error);
      }, waitMs);
      const waiter: Waiter = {
        begin: (lane) => {
          clearTimeout(timer);
          resolve(lane);
        },
      };
      activity.waiters.push(waiter);
      activity.timer ??= setTimeout(() => this.openInTurn(activity), WAIT_BEFORE_OPEN_MS);
    });
  }

  /** Opens a lane for the first who waits when it is the turn of the origin, and sets the timer for the next. */
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
