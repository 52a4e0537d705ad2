import { Backoff } from './backoff.js';

/** Consecutive failures after which a target is paused. */
const THRESHOLD = 5;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** How long failures of a target without attempts are remembered: longer than the first retry intervals. */
const MEMORY_MS = 10 * LONGEST_PAUSE_MS;
/** Attempts allowed for a target right after a pause. */
const PROBES = 1;

/** Without jitter: the pauses of different targets begin at different times anyway. */
const PAUSES = Backoff.doubling(FIRST_PAUSE_MS, LONGEST_PAUSE_MS);

export interface BreakerOptions {
  readonly first: number;
  readonly most: number;
}

interface Target {
  inFlight: number;
  /** Concurrent attempts: one more after each success, half as many after a failure or a slow attempt. */
  limit: number;
  failures: number;
  /** True when the last attempt succeeded after failures, which other processes count too. */
  hasRecovered: boolean;
  pausedUntil: number;
  /** The end of the last pause that all processes know. */
  sharedUntil: number;
  endedAt: number;
}

/**
 * What this process knows of each target that it calls. A target gets as many attempts at a time as it has shown it can
 * take (additive increase, multiplicative decrease: RFC 5681), so that a slow one does not delay others.
 */
export class Breaker {
  private readonly targets = new Map<string, Target>();

  constructor(private readonly options: BreakerOptions) {}

  freeSlots(key: string, now: number): number {
    const target = this.targets.get(key);
    return target ? freeSlotsOf(target, now) : this.options.first;
  }

  /** Targets that may start fewer attempts than an unknown one, with the number. Forgets those without recent attempts. */
  narrowed(now: number): Map<string, number> {
    this.forgetIdle(now);
    const free = [...this.targets].map(([key, target]): [string, number] => [key, freeSlotsOf(target, now)]);
    return new Map(free.filter(([, freeSlots]) => freeSlots < this.options.first));
  }

  nextOpening(now: number): number | null {
    const pauses = [...this.targets.values()].map((target) => target.pausedUntil).filter((until) => until > now);
    return pauses.length > 0 ? Math.min(...pauses) : null;
  }

  isPaused(key: string, now: number): boolean {
    return (this.targets.get(key)?.pausedUntil ?? 0) > now;
  }

  /** When a target that has failed in a row may be tried again, by single attempts; null when it has not. */
  probedFrom(key: string): number | null {
    const target = this.targets.get(key);
    return target && target.failures >= THRESHOLD ? target.pausedUntil : null;
  }

  knows(key: string): boolean {
    return this.targets.has(key);
  }

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
      target.hasRecovered ||= target.failures > 0;
      target.failures = 0;
      target.limit = Math.min(this.options.most, target.limit + 1);
      return;
    }
    target.failures += 1;
    target.hasRecovered = false;
    halve(target);
    if (target.failures >= THRESHOLD) this.pause(key, now + PAUSES.exactMs(target.failures - THRESHOLD + 1));
  }

  /** An attempt of another process has ended. Those under way when the target was paused do not count again. */
  judgeElsewhere(key: string, succeeded: boolean, now: number): void {
    const target = this.targetOf(key);
    if (succeeded) target.failures = 0;
    else if (target.pausedUntil <= now) {
      this.judge(key, false, now);
      target.sharedUntil = target.pausedUntil;
    }
  }

  /** Returns whether the failures that other processes count have ended here; once. */
  takeRecovery(key: string): boolean {
    const target = this.targets.get(key);
    if (!target?.hasRecovered) return false;
    target.hasRecovered = false;
    return true;
  }

  /** No attempt starts before then. A longer pause stays. */
  pause(key: string, until: number): void {
    const target = this.targetOf(key);
    target.pausedUntil = Math.max(target.pausedUntil, until);
  }

  /** A pause of another process. Afterwards attempts begin one at a time. */
  join(key: string, until: number): void {
    const target = this.targetOf(key);
    if (until <= target.sharedUntil) return;
    target.sharedUntil = until;
    target.limit = 1;
    this.pause(key, until);
  }

  /** The target is another one under the same key. Attempts under way go on. */
  renew(key: string): void {
    const inFlight = this.targets.get(key)?.inFlight ?? 0;
    this.targets.delete(key);
    if (inFlight > 0) this.targetOf(key).inFlight = inFlight;
  }

  /** The end of a pause that other processes do not know yet; once. */
  takePause(key: string, now: number): number | null {
    const target = this.targets.get(key);
    if (!target || target.pausedUntil <= Math.max(now, target.sharedUntil)) return null;
    target.sharedUntil = target.pausedUntil;
    return target.pausedUntil;
  }

  /** Targets without recent attempts. */
  forgetIdle(now: number): void {
    for (const [key, { inFlight, pausedUntil, endedAt }] of this.targets) {
      if (inFlight === 0 && Math.max(pausedUntil, endedAt) + MEMORY_MS <= now) this.targets.delete(key);
    }
  }

  private targetOf(key: string): Target {
    let target = this.targets.get(key);
    if (!target) {
      const { first: limit } = this.options;
      target = { inFlight: 0, limit, failures: 0, hasRecovered: false, pausedUntil: 0, sharedUntil: 0, endedAt: 0 };
      this.targets.set(key, target);
    }
    return target;
  }
}

function freeSlotsOf({ inFlight, limit, failures, pausedUntil }: Target, now: number): number {
  if (pausedUntil > now) return 0;
  return Math.max(0, (failures >= THRESHOLD ? PROBES : limit) - inFlight);
}

function halve(target: Target): void {
  target.limit = Math.max(1, Math.floor(target.limit / 2));
}
