import type { ServiceName } from '@crm/contracts';
import { openUpstreams, refusedCalls } from './upstream-metrics.js';

/** Consecutive calls without an answer after which a service gets no more for a while. */
const FAILURES = 5;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Callers of a silent service are told at once, and it is left alone while it starts. After a pause one call is let
 * through, whose outcome ends the pause or doubles it. Any answer counts as one, also a 503.
 */
export class UpstreamBreaker {
  private failures = 0;
  private pauseMs = 0;
  private openUntil = 0;
  private isProbing = false;

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

  answered(): void {
    this.failures = 0;
    if (this.pauseMs === 0) return;
    this.pauseMs = 0;
    this.isProbing = false;
    openUpstreams.set({ upstream: this.upstream }, 0);
  }

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
