/** About half a second of CPU time in Postgres, which compresses each copy: far below `statement_timeout`. */
const MAX_COPIED_BYTES = 16_000_000;

/** Splits rows that each store a copy of a long text: one statement for all could exceed its timeout every time. */
export function copiesByStatement<T>(rows: readonly T[], bytes: number): T[][] {
  const size = Math.max(1, Math.floor(MAX_COPIED_BYTES / Math.max(1, bytes)));
  return Array.from({ length: Math.ceil(rows.length / size) }, (_, part) => rows.slice(part * size, (part + 1) * size));
}

/** While the database works on one batch of a key, the next is prepared; with more, each would be smaller. */
const MOST_UNDER_WAY = 2;
/** After so many milliseconds a batch no longer counts: its connection may be one that answers no more. */
const COUNTED_MS = 1_000;
/** Calls in one batch at most: each waits for all of them. */
const MOST_TOGETHER = 64;
/** Most of what the calls of a batch weigh together; what is heavier is a batch of its own. */
export const MOST_WEIGHT = 256 * 1024;

/** What became of a call: null when it has to be carried out apart from the others, `next` when in the next batch; never for the first. */
export type Outcome<Result> = { readonly result: Result } | { readonly error: unknown } | 'next' | null;

export interface Execution<Call, Result> {
  /** Carries out a batch in one transaction, and says of each call what became of it. When it rejects, none was carried out. */
  together(calls: readonly Call[]): Promise<readonly Outcome<Result>[]>;
  /** How a call is carried out that cannot be with others. Without it all calls of a batch fail with it. */
  readonly apart?: {
    carryOut(call: Call): Promise<Result>;
    /** Whether one of the calls may be the reason for the failure of a batch, so that the others are worth carrying out. */
    isOfOne(error: unknown): boolean;
  };
  /** UTF-16 units of what a call has to have written; 0 when left out. */
  weightOf?(call: Call): number;
}

interface Waiting<Call, Result> {
  readonly call: Call;
  resolve(result: Result | Promise<Result>): void;
  reject(error: unknown): void;
}

interface Lane<Call, Result> {
  waiting: Waiting<Call, Result>[];
  underWay: number;
  isScheduled: boolean;
}

/** Runs concurrent calls as one statement. No call waits for others: those that arrive meanwhile are the next batch. */
export class Batches<Call, Result> {
  private readonly lanes = new Map<string, Lane<Call, Result>>();

  constructor(private readonly execution: Execution<Call, Result>) {}

  run(key: string, call: Call): Promise<Result> {
    return new Promise((resolve, reject) => {
      const lane = this.laneOf(key);
      lane.waiting.push({ call, resolve, reject });
      this.schedule(key, lane);
    });
  }

  private laneOf(key: string): Lane<Call, Result> {
    const lane = this.lanes.get(key) ?? { waiting: [], underWay: 0, isScheduled: false };
    this.lanes.set(key, lane);
    return lane;
  }

  private schedule(key: string, lane: Lane<Call, Result>): void {
    if (lane.isScheduled || lane.underWay >= MOST_UNDER_WAY || lane.waiting.length === 0) return;
    lane.isScheduled = true;
    // After the requests that have arrived by now.
    setImmediate(() => {
      lane.isScheduled = false;
      void this.start(key, lane);
    });
  }

  private async start(key: string, lane: Lane<Call, Result>): Promise<void> {
    const batch = lane.waiting.splice(0, this.sizeOfNext(lane));
    lane.underWay += 1;
    let isCounted = true;
    const end = () => {
      if (!isCounted) return;
      isCounted = false;
      lane.underWay -= 1;
      if (lane.underWay === 0 && lane.waiting.length === 0) this.lanes.delete(key);
      else this.schedule(key, lane);
    };
    const timer = setTimeout(end, COUNTED_MS);
    this.schedule(key, lane);
    const next = await this.settle(batch);
    clearTimeout(timer);
    end();
    if (next.length === 0) return;
    // The lane may have been forgotten, when the batch no longer counted.
    const current = this.laneOf(key);
    current.waiting.unshift(...next);
    this.schedule(key, current);
  }

  private sizeOfNext({ waiting }: Lane<Call, Result>): number {
    let weight = 0;
    let size = 0;
    for (const { call } of waiting) {
      weight += this.execution.weightOf?.(call) ?? 0;
      if (size === MOST_TOGETHER || (size > 0 && weight > MOST_WEIGHT)) break;
      size += 1;
    }
    return size;
  }

  /** Never rejects. @returns those for the next batch */
  private async settle(batch: readonly Waiting<Call, Result>[]): Promise<Waiting<Call, Result>[]> {
    const { apart } = this.execution;
    let outcomes: readonly Outcome<Result>[];
    try {
      outcomes = await this.execution.together(batch.map(({ call }) => call));
    } catch (error) {
      outcomes = batch.map(() => (batch.length > 1 && apart?.isOfOne(error) ? null : { error }));
    }
    const next: Waiting<Call, Result>[] = [];
    for (const [index, waiting] of batch.entries()) {
      const { call, resolve, reject } = waiting;
      const outcome = outcomes[index] ?? null;
      if (outcome === 'next') next.push(waiting);
      else if (outcome === null && apart) resolve(apart.carryOut(call));
      else if (outcome === null) reject(new Error('A call of a batch has no outcome'));
      else if ('error' in outcome) reject(outcome.error);
      else resolve(outcome.result);
    }
    return next;
  }
}
