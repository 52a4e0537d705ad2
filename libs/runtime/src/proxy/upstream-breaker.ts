import type { ServiceName } from '@crm/contracts';
import { openUpstreams, refusedCalls } from './upstream-metrics.js';

/** Consecutive calls without an answer after which a service gets no more for a while. */
const FAILURES = 5;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Keeps calls from a service that does not answer. Callers are told at once instead of waiting for a timeout each, and the
 * service is left alone while it starts. After a pause one call is let through; its outcome ends the pause or doubles it.
 * What a service answers is its own affair, also a 503: only silence counts.
 */
export class UpstreamBreaker {
  private failures = 0;
  private pauseMs = 0;
  private openUntil = 0;
  private isProbing = false;

  /** @param now milliseconds */
  constructor(
    private readonly upstream: ServiceName,
    private readonly now: () => number = () => performance.now(),
  ) {
    openUpstreams.set({ upstream }, 0);
  }

  /** @returns milliseconds until a call may be tried; 0: the caller makes one now, and reports its outcome */
  waitMs(): number {
    if (this.pauseMs === 0) return 0;
    const left = this.openUntil - this.now();
    if (left <= 0 && !this.isProbing) {
      this.isProbing = true;
      return 0;
    }
    refusedCalls.inc({ upstream: this.upstream });
    return Math.max(left, FIRST_PAUSE_MS);
  }

  /** The service has begun to answer. */
  answered(): void {
    this.failures = 0;
    if (this.pauseMs === 0) return;
    this.pauseMs = 0;
    this.isProbing = false;
    openUpstreams.set({ upstream: this.upstream }, 0);
  }

  /** The service has not answered. */
  failed(): void {
    this.failures += 1;
    // Calls that were under way when it opened say nothing new.
    if (this.failures < FAILURES || (this.pauseMs > 0 && !this.isProbing)) return;
    this.pauseMs = Math.min(LONGEST_PAUSE_MS, this.pauseMs === 0 ? FIRST_PAUSE_MS : this.pauseMs * 2);
    this.openUntil = this.now() + this.pauseMs;
    this.isProbing = false;
    openUpstreams.set({ upstream: this.upstream }, 1);
  }
}
