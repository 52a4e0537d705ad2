/** Share of a delay by which it is shortened or lengthened at random, so that failures do not come back together. */
const JITTER = 0.2;

/**
 * A delay lengthened or shortened at random by up to a fifth.
 * @param random a number in [0, 1); 0.5 leaves the delay as it is
 */
export function jittered(delayMs: number, random = Math.random()): number {
  return Math.round(delayMs * (1 - JITTER + 2 * JITTER * random));
}

/**
 * How long to wait after failures. It only computes, so the count of failures may be stored wherever the work is.
 * How often something is tried at all is for its owner to say.
 */
export class Backoff {
  private constructor(
    private readonly delayAfter: (failures: number) => number,
    private readonly longestMs: number,
  ) {}

  /** `firstMs`, then twice as long after each further failure, at most `longestMs`. */
  static doubling(firstMs: number, longestMs: number): Backoff {
    return new Backoff((failures) => firstMs * 2 ** (failures - 1), longestMs);
  }

  /**
   * These delays in milliseconds, one after the other; the last one again and again.
   * @throws Error for an empty list
   */
  static listed(delaysMs: readonly number[]): Backoff {
    const last = delaysMs.at(-1);
    if (last === undefined) throw new Error('A list of delays needs at least one');
    return new Backoff((failures) => delaysMs[failures - 1] ?? last, Number.POSITIVE_INFINITY);
  }

  /**
   * Milliseconds to wait, without jitter.
   * @param failures in a row, at least 1
   */
  exactMs(failures: number): number {
    return Math.min(this.delayAfter(Math.max(1, failures)), this.longestMs);
  }

  /**
   * Milliseconds to wait, ±20 % so that what failed together does not come back together.
   * @param failures in a row, at least 1
   * @param random a number in [0, 1)
   */
  delayMs(failures: number, random = Math.random()): number {
    return Math.min(jittered(this.exactMs(failures), random), this.longestMs);
  }
}
