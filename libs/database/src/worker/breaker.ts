import { Backoff } from './backoff.js';

/** Consecutive failures after which a target is paused. */
const THRESHOLD = 5;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/**
 * How long, in milliseconds, the failures of a target without attempts are remembered; after that time most such targets
 * do not come back. Longer than the first retry intervals; later retries start without history.
 */
const MEMORY_MS = 10 * LONGEST_PAUSE_MS;
/** Attempts allowed for a target right after a pause. */
const PROBES = 1;

/** Without jitter: the pauses of different targets begin at different times anyway. */
const PAUSES = Backoff.doubling(FIRST_PAUSE_MS, LONGEST_PAUSE_MS);

export interface BreakerOptions {
  /** Concurrent attempts for a target of which nothing is known. */
  readonly first: number;
  /** For one whose attempts succeed. */
  readonly most: number;
}

interface Target {
  inFlight: number;
  /** Concurrent attempts: one more after each success, half as many after a failure or a slow attempt. */
  limit: number;
  failures: number;
  pausedUntil: number;
  /** When the last attempt ended. */
  endedAt: number;
}

/**
 * What this process knows about each target it calls (such as the receiver of a subscription): running attempts and
 * consecutive failures. A target gets as many attempts at a time as it has shown that it can take (additive increase,
 * multiplicative decrease, as TCP does it: RFC 5681), so that a slow or dead one does not delay others. The breaker only
 * throttles and never drops work. Times are Unix milliseconds.
 */
export class Breaker {
  private readonly targets = new Map<string, Target>();

  constructor(private readonly options: BreakerOptions) {}

  /** How many more attempts may start. */
  room(key: string, now: number): number {
    const target = this.targets.get(key);
    return target ? roomOf(target, now) : this.options.first;
  }

  /**
   * Targets that may start fewer attempts than one of which nothing is known, with the number: 0 for those that may start
   * none. Forgets targets without recent attempts, so that dead targets do not accumulate.
   */
  narrowed(now: number): Map<string, number> {
    this.forgetIdle(now);
    const rooms = [...this.targets].map(([key, target]): [string, number] => [key, roomOf(target, now)]);
    return new Map(rooms.filter(([, room]) => room < this.options.first));
  }

  /** When the next pause ends; null when none is running. */
  nextOpening(now: number): number | null {
    const pauses = [...this.targets.values()].map((target) => target.pausedUntil).filter((until) => until > now);
    return pauses.length > 0 ? Math.min(...pauses) : null;
  }

  isPaused(key: string, now: number): boolean {
    return (this.targets.get(key)?.pausedUntil ?? 0) > now;
  }

  /** Whether the target is remembered. */
  knows(key: string): boolean {
    return this.targets.has(key);
  }

  /** Number of remembered targets. */
  get size(): number {
    return this.targets.size;
  }

  begun(key: string): void {
    this.targetOf(key).inFlight += 1;
  }

  /** A running attempt takes long. */
  slow(key: string): void {
    halve(this.targetOf(key));
  }

  ended(key: string, succeeded: boolean, now: number): void {
    this.left(key);
    this.judge(key, succeeded, now);
  }

  /** A running attempt no longer counts, although it has not ended; `judge` says how it ends. */
  left(key: string): void {
    this.targetOf(key).inFlight -= 1;
  }

  judge(key: string, succeeded: boolean, now: number): void {
    const target = this.targetOf(key);
    target.endedAt = now;
    if (succeeded) {
      target.failures = 0;
      target.limit = Math.min(this.options.most, target.limit + 1);
      return;
    }
    target.failures += 1;
    halve(target);
    if (target.failures >= THRESHOLD) this.pause(key, now + PAUSES.exactMs(target.failures - THRESHOLD + 1));
  }

  /** No attempt starts before then. A longer pause stays. */
  pause(key: string, until: number): void {
    const target = this.targetOf(key);
    target.pausedUntil = Math.max(target.pausedUntil, until);
  }

  private forgetIdle(now: number): void {
    for (const [key, { inFlight, pausedUntil, endedAt }] of this.targets) {
      if (inFlight === 0 && Math.max(pausedUntil, endedAt) + MEMORY_MS <= now) this.targets.delete(key);
    }
  }

  private targetOf(key: string): Target {
    let target = this.targets.get(key);
    if (!target) {
      target = { inFlight: 0, limit: this.options.first, failures: 0, pausedUntil: 0, endedAt: 0 };
      this.targets.set(key, target);
    }
    return target;
  }
}

function roomOf({ inFlight, limit, failures, pausedUntil }: Target, now: number): number {
  if (pausedUntil > now) return 0;
  return Math.max(0, (failures >= THRESHOLD ? PROBES : limit) - inFlight);
}

function halve(target: Target): void {
  target.limit = Math.max(1, Math.floor(target.limit / 2));
}
