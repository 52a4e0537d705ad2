import type { CallOrigin } from '@crm/access';
import { PlatformError } from '@crm/contracts';

/** For so many milliseconds after its last call a tenant counts as present, so that its next call meets free places. */
const PRESENT_MS = 1_000;

export interface FairQueueOptions {
  readonly places: number;
  /** Places of one tenant at most while another is present; default: all. */
  readonly share?: number;
  /** Milliseconds after which who waits is refused. */
  readonly timeoutMs: number;
  /** What they are told. */
  readonly refusal?: string;
}

/** The calls of a tenant. */
interface Lane {
  running: number;
  /** Begins each, in the order in which they came. */
  readonly waiting: Set<() => void>;
}

/**
 * Places that tenants share: a free one goes to who has the fewest, of equals to whose turn is the longest ago. Alone a
 * tenant has them all; beside others only its share, so that theirs do not wait for its calls to end.
 */
export class FairQueue {
  private readonly lanes = new Map<string, Lane>();
  private running = 0;
  /** The tenant whose call was the last to come, and the last one of another. */
  private latest = { tenant: '', at: Number.NEGATIVE_INFINITY };
  private other = this.latest;

  constructor(private readonly options: FairQueueOptions) {}

  /** Calls that wait. */
  get waiting(): number {
    let sum = 0;
    for (const { waiting } of this.lanes.values()) sum += waiting.size;
    return sum;
  }

  /**
   * Takes a place; `leave` gives it back.
   * @returns undefined when there was one at once
   * @throws PlatformError SERVICE_UNAVAILABLE when there was none in time, or when the client has gone meanwhile
   */
  enter(tenant: string, connection?: CallOrigin['connection']): Promise<void> | undefined {
    this.see(tenant);
    let lane = this.lanes.get(tenant);
    if (!lane) {
      lane = { running: 0, waiting: new Set() };
      this.lanes.set(tenant, lane);
    }
    if (lane.waiting.size > 0 || !this.mayRun(tenant, lane)) return this.wait(tenant, lane, connection);
    this.begin(lane);
    return undefined;
  }

  leave(tenant: string): void {
    const lane = this.lanes.get(tenant) as Lane;
    lane.running -= 1;
    this.running -= 1;
    this.forget(tenant, lane);
    this.beginWaiting();
  }

  private see(tenant: string): void {
    if (this.latest.tenant !== tenant) {
      this.other = this.latest;
      this.latest = { tenant, at: 0 };
    }
    this.latest.at = performance.now();
  }

  private mayRun(tenant: string, { running }: Lane): boolean {
    const { places, share = places } = this.options;
    return this.running < places && (running < share || !this.isBesideOthers(tenant, running));
  }

  private isBesideOthers(tenant: string, running: number): boolean {
    const { at } = this.latest.tenant === tenant ? this.other : this.latest;
    return this.running > running || performance.now() - at < PRESENT_MS;
  }

  private begin(lane: Lane): void {
    lane.running += 1;
    this.running += 1;
  }

  private wait(tenant: string, lane: Lane, connection: CallOrigin['connection']): Promise<void> {
    const { timeoutMs, refusal = 'The database is not available' } = this.options;
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        connection?.off('close', gone);
        lane.waiting.delete(begin);
      };
      const begin = () => {
        end();
        this.begin(lane);
        resolve();
      };
      const refuse = (detail: string) => {
        end();
        this.forget(tenant, lane);
        reject(new PlatformError('SERVICE_UNAVAILABLE', detail, { retryAfterSeconds: 1 }));
      };
      const gone = () => refuse('The client has gone');
      const timer = setTimeout(() => refuse(refusal), timeoutMs);
      lane.waiting.add(begin);
      connection?.once('close', gone);
    });
  }

  private beginWaiting(): void {
    while (this.running < this.options.places) {
      let next: { tenant: string; lane: Lane } | undefined;
      for (const [tenant, lane] of this.lanes) {
        if (lane.waiting.size === 0 || (next && lane.running >= next.lane.running)) continue;
        if (this.mayRun(tenant, lane)) next = { tenant, lane };
      }
      if (!next) return;
      const { tenant, lane } = next;
      // Its next turn is after those of all others.
      this.lanes.delete(tenant);
      this.lanes.set(tenant, lane);
      for (const begin of lane.waiting) {
        begin();
        break;
      }
    }
  }

  private forget(tenant: string, lane: Lane): void {
    if (lane.running === 0 && lane.waiting.size === 0) this.lanes.delete(tenant);
  }
}
