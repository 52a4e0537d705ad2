import { Injectable } from '@nestjs/common';

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
  /** Index of the first claim without capacity for a use: then `take` has used nothing. -1 when there is none. */
  readonly refused: number;
  /** Debts in microseconds, in the order of the claims: after the operation, or as they are if it was refused. */
  readonly debtsUs: readonly number[];
}

/** Where limits are counted: a token of Nest's injection (`LimitsModule`). */
export abstract class LimiterStore {
  open(limit: Limit): OpenLimit {
    const burst = limit.burst ?? limit.points;
    const pace = paceOf(limit.points, limit.windowSeconds, burst);
    return { limit, burst, pace, cells: new Cells(pace.capacityUs) };
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
      if (refused < 0 && operation === 'take' && !hasCapacity(open.pace, debtUs)) refused = index;
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

/**
 * The generic cell rate algorithm (ITU-T I.371): a leaky bucket whose debt is the time until it is empty. A use adds an
 * interval, and is refused without capacity. Whole microseconds are exact in JavaScript and in the Lua of redis-script.ts.
 */
export interface Pace {
  /** Microseconds that pay for one use. */
  readonly intervalUs: number;
  /** The largest debt: as many intervals as uses may be made at once. */
  readonly capacityUs: number;
}

/** What is done with a bucket. The names are those of the script. */
export type Operation =
  /** A use of every bucket, if it fits into all of them; otherwise of none. */
  | 'take'
  /** A use of every bucket; one without capacity for it becomes full. */
  | 'charge'
  /** A use is undone. */
  | 'restore'
  | 'look';

const US_PER_SECOND = 1_000_000;

/** Rounded up, so that no more than the rate is admitted. @param points uses in the window @param burst uses at once */
export function paceOf(points: number, windowSeconds: number, burst: number): Pace {
  const intervalUs = Math.max(1, Math.ceil((windowSeconds * US_PER_SECOND) / Math.max(1, points)));
  return { intervalUs, capacityUs: burst * intervalUs };
}

export const hasCapacity = ({ intervalUs, capacityUs }: Pace, debtUs: number): boolean =>
  debtUs + intervalUs <= capacityUs;

/** The debt after an operation; for `take` one that is admitted. */
export function debtAfter(operation: Operation, { intervalUs, capacityUs }: Pace, debtUs: number): number {
  if (operation === 'take') return debtUs + intervalUs;
  if (operation === 'charge') return Math.min(debtUs + intervalUs, capacityUs);
  if (operation === 'restore') return Math.max(0, debtUs - intervalUs);
  return debtUs;
}

export const remainingUses = ({ intervalUs, capacityUs }: Pace, debtUs: number): number =>
  Math.max(0, Math.floor((capacityUs - debtUs) / intervalUs));

/** Seconds in which a full bucket becomes empty: those that the limit was given, but for the rounding of the interval. */
export const windowSeconds = ({ capacityUs }: Pace): number => Math.max(1, Math.round(capacityUs / US_PER_SECOND));

/** Seconds until one use fits, rounded up; at least one. */
export const secondsUntilCapacity = ({ intervalUs, capacityUs }: Pace, debtUs: number): number =>
  wholeSeconds(debtUs + intervalUs - capacityUs);

/** Seconds until nothing is owed, rounded up; at least one. */
export const secondsUntilEmpty = (debtUs: number): number => wholeSeconds(debtUs);

const wholeSeconds = (us: number): number => Math.max(1, Math.ceil(us / US_PER_SECOND));

export interface Cell {
  /** The moment, in microseconds of the store's clock, at which nothing is owed. */
  emptyAtUs: number;
}

/** Keys of one limit that are kept: some 15 MB. */
const MAX_KEYS = 100_000;

/**
 * A bucket owes something for `lifeUs` at most after its last use, so one of two maps is dropped as a whole: no timer,
 * no search. Callers who choose their keys cannot fill the memory: a full map is replaced early.
 */
export class Cells {
  private recent = new Map<string, Cell>();
  private older = new Map<string, Cell>();
  private since = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly lifeUs: number,
    private readonly maxKeys = MAX_KEYS,
  ) {}

  /** @returns undefined for a key that owes nothing */
  find(key: string): Cell | undefined {
    return this.recent.get(key) ?? this.older.get(key);
  }

  cellOf(key: string, nowUs: number): Cell {
    if (nowUs - this.since >= this.lifeUs) this.turn(nowUs);
    const known = this.recent.get(key);
    if (known) return known;
    const cell = this.older.get(key) ?? { emptyAtUs: nowUs };
    if (this.recent.size * 2 >= this.maxKeys) this.turn(nowUs);
    this.recent.set(key, cell);
    return cell;
  }

  private turn(nowUs: number): void {
    // Nothing has been used since the map was made, twice that long ago.
    const isOver = nowUs - this.since >= 2 * this.lifeUs;
    this.older = isOver ? new Map() : this.recent;
    this.recent = new Map();
    this.since = nowUs;
  }
}
