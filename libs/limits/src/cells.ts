/** The bucket of one key. */
export interface Cell {
  /** The moment, in microseconds of the store's clock, at which nothing is owed. */
  emptyAtUs: number;
}

/** Keys of one limit that are kept: some 15 MB. */
export const MAX_KEYS = 100_000;

/**
 * The buckets of one limit. A bucket that owes nothing is the same as none, and a bucket owes something for `lifeUs` after
 * its last use at most. So there are two maps, and one that has not been used for that long is dropped as a whole: no timer,
 * no search and no order of keys. Callers who choose their keys cannot fill the memory: a map that is full is replaced early,
 * and what is forgotten then is what has not been used for longest.
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

  /** The bucket of a key that is about to be used. */
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
