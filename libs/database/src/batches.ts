/** About half a second of CPU time in Postgres, which compresses each copy: far below `statement_timeout`. */
const MAX_COPIED_BYTES = 16_000_000;

/** Splits rows that each store a copy of a long text: one statement for all could exceed its timeout every time. */
export function chunksByStatement<T>(rows: readonly T[], bytes: number): T[][] {
  const size = Math.max(1, Math.floor(MAX_COPIED_BYTES / Math.max(1, bytes)));
  return Array.from({ length: Math.ceil(rows.length / size) }, (_, part) => rows.slice(part * size, (part + 1) * size));
}

/** Calls wait so many milliseconds for a batch of their queue that is under way, and are then the next: larger batches cost less a call. */
const WAIT_MS = 10;
/** More batches of a queue at once would be smaller the slower the database is. */
const MOST_UNDER_WAY = 2;
/** After so many milliseconds a batch no longer counts: its connection may be one that answers no more. */
const COUNTED_MS = 1_000;
/** Calls in one batch at most: each waits for all of them. */
const MOST_TOGETHER = 64;
/** Most of what the calls of a batch weigh together; what is heavier is a batch of its own. */
export const MOST_WEIGHT = 256 * 1024;

/** What became of a call: null when it has to be carried out by itself, `next` when in the next batch; never for the first. */
export type Outcome<Result> = { readonly result: Result } | { readonly error: unknown } | 'next' | null;

export interface Execution<Call, Result> {
  /**
   * Carries out a batch in one transaction, and says of each call what became of it. When it rejects, none was carried out.
   * @param groups the same calls by their group, in the same order
   */
  executeBatch(calls: readonly Call[], groups: readonly (readonly Call[])[]): Promise<readonly Outcome<Result>[]>;
  /** Calls of different groups take turns, and a batch that fails because of one call is repeated for each group; default: one group. */
  groupOf?(call: Call): string;
  /** Carries out a call that cannot be with others. Without it all calls of a batch fail with it. */
  executeOne?(call: Call): Promise<Result>;
  /** True when one of the calls may be the reason for the failure of a batch, so that the others are worth carrying out. */
  isCausedByOneCall?(error: unknown): boolean;
  /** UTF-16 units of what a call has to have written; 0 when left out. */
  weightOf?(call: Call): number;
}

interface Waiting<Call, Result> {
  readonly call: Call;
  resolve(result: Result | Promise<Result>): void;
  reject(error: unknown): void;
}

interface Queue<Call, Result> {
  /** By group; the one that was served last is the last. */
  readonly waiting: Map<string, Waiting<Call, Result>[]>;
  underWay: number;
  /** True when the next batch waits for the latest one. */
  isWaiting: boolean;
  isScheduled: boolean;
}

/** Runs concurrent calls as one statement. Those that arrive meanwhile are the next batch. */
export class Batches<Call, Result> {
  private readonly queues = new Map<string, Queue<Call, Result>>();

  constructor(private readonly execution: Execution<Call, Result>) {}

  /** @param key of its queue: batches of other queues do not count here */
  run(key: string, call: Call): Promise<Result> {
    return new Promise((resolve, reject) => {
      const queue = this.queueOf(key);
      this.enter(queue, [{ call, resolve, reject }]);
      this.schedule(key, queue);
    });
  }

  private queueOf(key: string): Queue<Call, Result> {
    const queue = this.queues.get(key) ?? { waiting: new Map(), underWay: 0, isWaiting: false, isScheduled: false };
    this.queues.set(key, queue);
    return queue;
  }

  private groupOf({ call }: Waiting<Call, Result>): string {
    return this.execution.groupOf?.(call) ?? '';
  }

  /** @param areFirst of their group */
  private enter({ waiting }: Queue<Call, Result>, calls: readonly Waiting<Call, Result>[], areFirst = false): void {
    for (const one of areFirst ? calls.toReversed() : calls) {
      const group = this.groupOf(one);
      const others = waiting.get(group);
      if (!others) waiting.set(group, [one]);
      else if (areFirst) others.unshift(one);
      else others.push(one);
    }
  }

  private schedule(key: string, queue: Queue<Call, Result>): void {
    if (queue.isScheduled || queue.isWaiting || queue.underWay >= MOST_UNDER_WAY || queue.waiting.size === 0) return;
    queue.isScheduled = true;
    // After the requests that have arrived by now.
    setImmediate(() => {
      queue.isScheduled = false;
      void this.start(key, queue);
    });
  }

  private async start(key: string, queue: Queue<Call, Result>): Promise<void> {
    const batch = this.take(queue);
    queue.underWay += 1;
    queue.isWaiting = true;
    let isCounted = true;
    const goOn = () => {
      queue.isWaiting = false;
      this.schedule(key, queue);
    };
    const end = () => {
      if (!isCounted) return;
      isCounted = false;
      queue.underWay -= 1;
      if (queue.underWay === 0 && queue.waiting.size === 0) this.queues.delete(key);
      else this.schedule(key, queue);
    };
    const timers = [setTimeout(goOn, WAIT_MS), setTimeout(end, COUNTED_MS)];
    const next = await this.settle(batch);
    for (const timer of timers) clearTimeout(timer);
    queue.isWaiting = false;
    end();
    if (next.length === 0) return;
    // The queue may have been forgotten, when the batch no longer counted.
    const current = this.queueOf(key);
    this.enter(current, next, true);
    this.schedule(key, current);
  }

  /** The calls of the next batch by group, one of each group in turn. */
  private take({ waiting }: Queue<Call, Result>): Waiting<Call, Result>[][] {
    const batch = new Map<string, Waiting<Call, Result>[]>();
    let [size, weight] = [0, 0];
    for (const [group, calls] of waiting) {
      const [first] = calls as [Waiting<Call, Result>];
      weight += this.execution.weightOf?.(first.call) ?? 0;
      if (size === MOST_TOGETHER || (size > 0 && weight > MOST_WEIGHT)) break;
      size += 1;
      calls.shift();
      const taken = batch.get(group);
      if (taken) taken.push(first);
      else batch.set(group, [first]);
      // A group that is added again comes again, after the others.
      waiting.delete(group);
      if (calls.length > 0) waiting.set(group, calls);
    }
    return [...batch.values()];
  }

  /** Never rejects. @returns those for the next batch */
  private async settle(groups: readonly Waiting<Call, Result>[][]): Promise<Waiting<Call, Result>[]> {
    const { execution } = this;
    const batch = groups.flat();
    const calls = groups.map((group) => group.map(({ call }) => call));
    let outcomes: readonly Outcome<Result>[];
    try {
      outcomes = await execution.executeBatch(calls.flat(), calls);
    } catch (error) {
      const areOthersFine = batch.length > 1 && execution.isCausedByOneCall?.(error);
      if (areOthersFine && groups.length > 1)
        return (await Promise.all(groups.map((group) => this.settle([group])))).flat();
      outcomes = batch.map(() => (areOthersFine ? null : { error }));
    }
    const next: Waiting<Call, Result>[] = [];
    for (const [index, waiting] of batch.entries()) {
      const { call, resolve, reject } = waiting;
      const outcome = outcomes[index] ?? null;
      if (outcome === 'next') next.push(waiting);
      else if (outcome === null && execution.executeOne) resolve(execution.executeOne(call));
      else if (outcome === null) reject(new Error('A call of a batch has no outcome'));
      else if ('error' in outcome) reject(outcome.error);
      else resolve(outcome.result);
    }
    return next;
  }
}
