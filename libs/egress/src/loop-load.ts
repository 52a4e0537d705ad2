import { performance } from 'node:perf_hooks';

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
