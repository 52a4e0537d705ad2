/**
 * Batches of one key that are carried out at the same time: while the database works on one, the next is prepared. With
 * more, each would be smaller.
 */
const MOST_UNDER_WAY = 2;
/** Writes in one batch at most: each waits for all of them. */
const MOST_TOGETHER = 64;

/** What became of a write: null when it has to be carried out alone. */
export type Outcome<Result> = { readonly result: Result } | { readonly error: unknown } | null;

export interface Execution<Write, Result> {
  /** Carries out all or none, and says of each what became of it. */
  together(writes: readonly Write[]): Promise<readonly Outcome<Result>[]>;
  alone(write: Write): Promise<Result>;
  /** Whether a failure of the batch says nothing about its single writes, one of which may be the reason. */
  isOfOne(error: unknown): boolean;
}

interface Waiting<Write, Result> {
  readonly write: Write;
  resolve(result: Result | Promise<Result>): void;
  reject(error: unknown): void;
}

interface Lane<Write, Result> {
  waiting: Waiting<Write, Result>[];
  underWay: number;
  isScheduled: boolean;
}

/**
 * Carries out together what is to be written at the same time: a transaction for many records costs little more than one for
 * a single record. Nobody waits for others to come: a write that comes while none is under way is carried out at once, and
 * those that come meanwhile are the next batch.
 */
export class WriteBatches<Write, Result> {
  private readonly lanes = new Map<string, Lane<Write, Result>>();

  constructor(private readonly execution: Execution<Write, Result>) {}

  /** @param key of what may be written together */
  run(key: string, write: Write): Promise<Result> {
    return new Promise((resolve, reject) => {
      let lane = this.lanes.get(key);
      if (!lane) {
        lane = { waiting: [], underWay: 0, isScheduled: false };
        this.lanes.set(key, lane);
      }
      lane.waiting.push({ write, resolve, reject });
      this.schedule(key, lane);
    });
  }

  private schedule(key: string, lane: Lane<Write, Result>): void {
    if (lane.isScheduled || lane.underWay >= MOST_UNDER_WAY || lane.waiting.length === 0) return;
    lane.isScheduled = true;
    // After the requests that have arrived by now.
    setImmediate(() => {
      lane.isScheduled = false;
      void this.start(key, lane);
    });
  }

  private async start(key: string, lane: Lane<Write, Result>): Promise<void> {
    const batch = lane.waiting.splice(0, MOST_TOGETHER);
    lane.underWay += 1;
    this.schedule(key, lane);
    await this.settle(batch);
    lane.underWay -= 1;
    if (lane.underWay === 0 && lane.waiting.length === 0) this.lanes.delete(key);
    else this.schedule(key, lane);
  }

  /** Never rejects. */
  private async settle(batch: readonly Waiting<Write, Result>[]): Promise<void> {
    const { execution } = this;
    try {
      const outcomes = await execution.together(batch.map(({ write }) => write));
      for (const [index, { write, resolve, reject }] of batch.entries()) {
        const outcome = outcomes[index];
        if (!outcome) resolve(execution.alone(write));
        else if ('error' in outcome) reject(outcome.error);
        else resolve(outcome.result);
      }
    } catch (error) {
      const tryAlone = batch.length > 1 && execution.isOfOne(error);
      for (const { write, resolve, reject } of batch) {
        if (tryAlone) resolve(execution.alone(write));
        else reject(error);
      }
    }
  }
}
