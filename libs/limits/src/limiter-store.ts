import { Injectable } from '@nestjs/common';
import { type Cell, Cells, debtAfter, hasRoom, type Operation, type Pace, paceOf } from './gcra.js';

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

export interface OpenLimit {
  readonly limit: Limit;
  readonly burst: number;
  readonly pace: Pace;
  /** What is counted in this process. */
  readonly cells: Cells;
}

export interface Claim {
  readonly open: OpenLimit;
  readonly key: string;
}

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

  /** At once if the store counts in memory: a promise for each request would cost more than the counting. */
  abstract apply(operation: Operation, claims: readonly Claim[]): Decision | Promise<Decision>;
}

const US_PER_MS = 1000;

/** No step of the machine's clock can open or close a limit. */
const monotonicUs = (): number => Math.floor(performance.now() * US_PER_MS);

/** Counts in the memory of the process: N replicas allow N times as much. */
@Injectable()
export class MemoryLimiterStore extends LimiterStore {
  /** Whole microseconds; a test sets another clock. */
  protected nowUs: () => number = monotonicUs;

  override apply(operation: Operation, claims: readonly Claim[]): Decision {
    const nowUs = this.nowUs();
    if (operation === 'look') return { refused: -1, debtsUs: claims.map(({ open, key }) => look(open, key, nowUs)) };
    // One search for each key: this is done for every request.
    const cells: Cell[] = [];
    const debtsUs: number[] = [];
    let refused = -1;
    for (let index = 0; index < claims.length; index += 1) {
      const { open, key } = claims[index] as Claim;
      const cell = open.cells.cellOf(key, nowUs);
      const debtUs = Math.max(0, cell.emptyAtUs - nowUs);
      if (refused < 0 && operation === 'take' && !hasRoom(open.pace, debtUs)) refused = index;
      cells.push(cell);
      debtsUs.push(debtUs);
    }
    if (refused >= 0) return { refused, debtsUs };
    for (let index = 0; index < claims.length; index += 1) {
      const debtUs = debtAfter(operation, (claims[index] as Claim).open.pace, debtsUs[index] as number);
      (cells[index] as Cell).emptyAtUs = nowUs + debtUs;
      debtsUs[index] = debtUs;
    }
    return { refused, debtsUs };
  }
}

const look = ({ cells }: OpenLimit, key: string, nowUs: number): number =>
  Math.max(0, (cells.find(key)?.emptyAtUs ?? nowUs) - nowUs);
