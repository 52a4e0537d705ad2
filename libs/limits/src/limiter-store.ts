import { Cells } from './cells.js';
import { type Operation, type Pace, paceOf } from './gcra.js';

/** A rate, and how many uses may be made at once. */
export interface Limit {
  /** The name of the policy in responses; different limits have separate keys. */
  readonly name: string;
  /** Uses of one key in `windowSeconds`. */
  readonly points: number;
  readonly windowSeconds: number;
  /** Uses of one key at once, after which the rate applies. Default: the points. */
  readonly burst?: number;
}

/** A limit as its store counts it. */
export interface OpenLimit {
  readonly limit: Limit;
  readonly burst: number;
  readonly pace: Pace;
  /** What is counted in this process. */
  readonly cells: Cells;
}

/** One key of one limit. */
export interface Claim {
  readonly open: OpenLimit;
  readonly key: string;
}

/** What became of the claims of one operation. */
export interface Decision {
  /** Index of the first claim without room for a use: then `take` has used nothing. -1 when there is none. */
  readonly refused: number;
  /** Debts in microseconds, in the order of the claims: after the operation, or as they are if it was refused. */
  readonly debtsUs: readonly number[];
}

/** Where limits are counted: a token of Nest's injection (`LimitsModule`). */
export abstract class LimiterStore {
  open(limit: Limit): OpenLimit {
    const burst = limit.burst ?? limit.points;
    const pace = paceOf(limit.points, limit.windowSeconds, burst);
    return { limit, burst, pace, cells: new Cells(pace.roomUs) };
  }

  /**
   * @param claims of different limits
   * @returns at once if the store counts in memory: a promise for each request would cost more than the counting
   */
  abstract apply(operation: Operation, claims: readonly Claim[]): Decision | Promise<Decision>;
}
