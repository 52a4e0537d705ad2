/** A pause that only the end of the process can shorten. */
export function pause(ms: number, stopping: AbortSignal, keepsAlive = true): Promise<void> {
  if (stopping.aborted) return Promise.resolve();
  return new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      stopping.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    if (!keepsAlive) timer.unref();
    stopping.addEventListener('abort', end, { once: true });
  });
}

/** Maximum random change of a delay, as a fraction, so that work that failed together is not retried together. */
const JITTER = 0.2;

/** A delay changed at random by up to a fifth; the random number 0.5 leaves it unchanged. */
export function jittered(delayMs: number, random = Math.random()): number {
  return Math.round(delayMs * (1 - JITTER + 2 * JITTER * random));
}

/** How long to wait after failures. Stateless, so that the number of failures can be stored with the work. */
export class Backoff {
  private constructor(
    private readonly delayAfter: (failures: number) => number,
    private readonly longestMs: number,
  ) {}

  /** `firstMs`, doubled after each further failure, at most `longestMs`. */
  static doubling(firstMs: number, longestMs: number): Backoff {
    return new Backoff((failures) => firstMs * 2 ** (failures - 1), longestMs);
  }

  /** Delays in milliseconds, the last of which is repeated. @throws Error for an empty list */
  static listed(delaysMs: readonly number[]): Backoff {
    const last = delaysMs.at(-1);
    if (last === undefined) throw new Error('A list of delays needs at least one entry');
    return new Backoff((failures) => delaysMs[failures - 1] ?? last, Number.POSITIVE_INFINITY);
  }

  /** Milliseconds without jitter, after so many consecutive failures. */
  exactMs(failures: number): number {
    return Math.min(this.delayAfter(Math.max(1, failures)), this.longestMs);
  }

  /** Milliseconds, ±20 % so that work that failed together is not retried together. */
  delayMs(failures: number, random = Math.random()): number {
    return Math.min(jittered(this.exactMs(failures), random), this.longestMs);
  }
}
