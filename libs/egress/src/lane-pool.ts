import type { Lane } from './lane.js';

/** Limits on what is kept open between requests. */
export interface LanePoolOptions {
  /** Idle lanes kept per origin. */
  maxIdlePerOrigin: number;
  /** Idle lanes kept in total. */
  maxIdle: number;
  /** Milliseconds after which a lane is not reused, so that its name is looked up again. */
  lifetimeMs: number;
}

/** Lanes that wait for their next request. A lane in use belongs to its request and is not in the pool. */
export class LanePool {
  /** Oldest first, over all origins. */
  private readonly idle = new Set<Lane>();
  private readonly byOrigin = new Map<string, Lane[]>();

  constructor(private readonly options: LanePoolOptions) {}

  /** Takes the origin's most recently used lane; undefined when there is none young enough. */
  take(origin: string): Lane | undefined {
    for (;;) {
      // Read again each time: removing a lane replaces the list.
      const lane = this.byOrigin.get(origin)?.at(-1);
      if (lane === undefined) return undefined;
      this.remove(lane);
      if (!this.isOld(lane)) return lane;
      this.discard(lane);
    }
  }

  /** Keeps a lane for the next request, unless a limit is reached. */
  put(lane: Lane): void {
    const lanes = this.byOrigin.get(lane.origin.origin) ?? [];
    if (this.isOld(lane) || lane.client.destroyed || lanes.length >= this.options.maxIdlePerOrigin) {
      this.discard(lane);
      return;
    }
    this.byOrigin.set(lane.origin.origin, [...lanes, lane]);
    this.idle.add(lane);
    const [oldest] = this.idle;
    if (this.idle.size > this.options.maxIdle && oldest) {
      this.drop(oldest);
    }
  }

  /** Removes a lane whose socket was closed while it waited; it has no advantage over a new one. */
  drop(lane: Lane): void {
    if (!this.idle.has(lane)) return;
    this.remove(lane);
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

  private isOld(lane: Lane): boolean {
    return performance.now() - lane.createdAt >= this.options.lifetimeMs;
  }

  private remove(lane: Lane): void {
    this.idle.delete(lane);
    const rest = (this.byOrigin.get(lane.origin.origin) ?? []).filter((other) => other !== lane);
    if (rest.length > 0) this.byOrigin.set(lane.origin.origin, rest);
    else this.byOrigin.delete(lane.origin.origin);
  }

  private discard(lane: Lane): void {
    void lane.destroy();
  }
}
