/** Maximum random change of a delay, as a fraction, so that work that failed together is not retried together. */
const JITTER = 0.2;

/**
 * A delay lengthened or shortened at random by up to a fifth.
 * @param random a number in [0, 1); 0.5 leaves the delay unchanged
 */
export function jittered(delayMs: number, random = Math.random()): number {
  return Math.round(delayMs * (1 - JITTER + 2 * JITTER * random));
}

/**
 * How long to wait after failures. It has no state, so the number of failures can be stored with the work.
 * The owner decides how often something is attempted.
 */
export class Backoff {
  private constructor(
    private readonly delayAfter: (failures: number) => number,
    private readonly longestMs: number,
  ) {}

  /** `firstMs`, doubled after each further failure, at most `longestMs`. */
  static doubling(firstMs: number, longestMs: number): Backoff {
    return new Backoff((failures) => firstMs * 2 ** (failures - 1), longestMs);
  }

  /**
   * These delays in milliseconds, in order; the last one is repeated.
   * @throws Error for an empty list
   */
  static listed(delaysMs: readonly number[]): Backoff {
    const last = delaysMs.at(-1);
    if (last === undefined) throw new Error('A list of delays needs at least one entry');
    return new Backoff((failures) => delaysMs[failures - 1] ?? last, Number.POSITIVE_INFINITY);
  }

  /**
   * Milliseconds to wait, without jitter.
   * @param failures consecutive failures, at least 1
   */
  exactMs(failures: number): number {
    return Math.min(this.delayAfter(Math.max(1, failures)), this.longestMs);
  }

  /**
   * Milliseconds to wait, ±20 % so that work that failed together is not retried together.
   * @param failures consecutive failures, at least 1
   * @param random a number in [0, 1)
   */
  delayMs(failures: number, random = Math.random()): number {
    return Math.min(jittered(this.exactMs(failures), random), this.longestMs);
  }
}
