import type { Lane } from './lane.js';

/** Limits on what is kept open between requests. */
export interface LanePoolOptions {
  /** Idle lanes kept per origin. */
  maxIdlePerOrigin: number;
  /** Idle lanes kept in total. */
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

  /** The number of idle lanes. */
  get size(): number {
    return this.idle.size;
  }

  /** Closes all idle lanes. */
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
export function isUsable(lane: Lane): boolean {
  return lane.isOpen && performance.now() < lane.expiresAt;
}
