/**
 * The generic cell rate algorithm (ITU-T I.371): a leaky bucket whose debt is the time until it is empty. A use adds an
 * interval, and is refused without room. Whole microseconds are exact in JavaScript and in the Lua of redis-script.ts.
 */
export interface Pace {
  /** Microseconds that pay for one use. */
  readonly intervalUs: number;
  /** The largest debt: as many intervals as uses may be made at once. */
  readonly roomUs: number;
}

/** What is done with a bucket. The names are those of the script. */
export type Operation =
  /** A use of every bucket, if it fits into all of them; otherwise of none. */
  | 'take'
  /** A use of every bucket; one without room for it becomes full. */
  | 'charge'
  /** A use is undone. */
  | 'restore'
  | 'look';

const US_PER_SECOND = 1_000_000;

/** Rounded up, so that no more than the rate is admitted. @param points uses in the window @param burst uses at once */
export function paceOf(points: number, windowSeconds: number, burst: number): Pace {
  const intervalUs = Math.max(1, Math.ceil((windowSeconds * US_PER_SECOND) / Math.max(1, points)));
  return { intervalUs, roomUs: burst * intervalUs };
}

export const hasRoom = ({ intervalUs, roomUs }: Pace, debtUs: number): boolean => debtUs + intervalUs <= roomUs;

/** The debt after an operation; for `take` one that is admitted. */
export function debtAfter(operation: Operation, { intervalUs, roomUs }: Pace, debtUs: number): number {
  if (operation === 'take') return debtUs + intervalUs;
  if (operation === 'charge') return Math.min(debtUs + intervalUs, roomUs);
  if (operation === 'restore') return Math.max(0, debtUs - intervalUs);
  return debtUs;
}

export const remainingUses = ({ intervalUs, roomUs }: Pace, debtUs: number): number =>
  Math.max(0, Math.floor((roomUs - debtUs) / intervalUs));

/** Seconds in which a full bucket becomes empty: those that the limit was given, but for the rounding of the interval. */
export const windowSeconds = ({ roomUs }: Pace): number => Math.max(1, Math.round(roomUs / US_PER_SECOND));

/** Seconds until one use fits, rounded up; at least one. */
export const secondsUntilRoom = ({ intervalUs, roomUs }: Pace, debtUs: number): number =>
  wholeSeconds(debtUs + intervalUs - roomUs);

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
