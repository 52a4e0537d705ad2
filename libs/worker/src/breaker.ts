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

interface Target {
  inFlight: number;
  failures: number;
  pausedUntil: number;
  /** When the last attempt ended. */
  endedAt: number;
}

/**
 * What this process knows about each target it calls (such as the receiver of a subscription): running attempts and
 * consecutive failures. A slow or dead target is limited to its share, so it does not delay others. The breaker only
 * throttles and never drops work. Times are Unix milliseconds.
 */
export class Breaker {
  private readonly targets = new Map<string, Target>();

  /** @param perTarget concurrent attempts for one target */
  constructor(private readonly perTarget: number) {}

  /** How many more attempts may start. */
  room(key: string, now: number): number {
    const target = this.targets.get(key);
    if (!target) return this.perTarget;
    if (target.pausedUntil > now) return 0;
    const limit = target.failures >= THRESHOLD ? PROBES : this.perTarget;
    return Math.max(0, limit - target.inFlight);
  }

  /**
   * Targets that may start fewer attempts than their share, with the number: 0 for those that may start none. Forgets
   * targets without recent attempts, so that dead targets do not accumulate.
   */
  narrowed(now: number): Map<string, number> {
    this.forgetIdle(now);
    const rooms = [...this.targets.keys()].map((key): [string, number] => [key, this.room(key, now)]);
    return new Map(rooms.filter(([, room]) => room < this.perTarget));
  }

  /** Targets for which no attempt may start now. */
  closed(now: number): string[] {
    return [...this.targets.keys()].filter((key) => this.room(key, now) === 0);
  }

  /** When the next pause ends; null when none is running. */
  nextOpening(now: number): number | null {
    const pauses = [...this.targets.values()].map((target) => target.pausedUntil).filter((until) => until > now);
    return pauses.length > 0 ? Math.min(...pauses) : null;
  }

  /** Number of remembered targets. */
  get size(): number {
    return this.targets.size;
  }

  begun(key: string): void {
    this.targetOf(key).inFlight += 1;
  }

  ended(key: string, succeeded: boolean, now: number): void {
    const target = this.targetOf(key);
    target.inFlight -= 1;
    target.endedAt = now;
    target.failures = succeeded ? 0 : target.failures + 1;
    if (target.failures >= THRESHOLD) target.pausedUntil = now + PAUSES.exactMs(target.failures - THRESHOLD + 1);
    if (target.inFlight === 0 && target.failures === 0) this.targets.delete(key);
  }

  private forgetIdle(now: number): void {
    for (const [key, { inFlight, pausedUntil, endedAt }] of this.targets) {
      if (inFlight === 0 && Math.max(pausedUntil, endedAt) + MEMORY_MS <= now) this.targets.delete(key);
    }
  }

  private targetOf(key: string): Target {
    let target = this.targets.get(key);
    if (!target) {
      target = { inFlight: 0, failures: 0, pausedUntil: 0, endedAt: 0 };
      this.targets.set(key, target);
    }
    return target;
  }
}
