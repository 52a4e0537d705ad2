/** What became of a batch. */
export interface BatchOutcome {
  /** How many events are acknowledged, counted from the first up to the first that is not. */
  readonly acknowledged: number;
  /** Why the event after them is not; undefined when all are. */
  readonly failure: Error | undefined;
}

/** Collects, in whatever order they come, the acknowledgements and refusals of a batch of events. */
export class Acknowledgements {
  private readonly outcomes: (Error | 'acknowledged' | undefined)[];
  private missing: number;
  private resolve!: (outcome: BatchOutcome) => void;
  /** Resolves once every event is acknowledged or has failed. */
  readonly complete = new Promise<BatchOutcome>((resolve) => {
    this.resolve = resolve;
  });

  constructor(size: number) {
    this.outcomes = new Array(size);
    this.missing = size;
    if (size === 0) this.end();
  }

  acknowledge(index: number): void {
    this.settle(index, 'acknowledged');
  }

  fail(index: number, reason: Error): void {
    this.settle(index, reason);
  }

  /** Gives up every event that has no outcome yet. */
  failRest(reason: Error): void {
    for (let index = 0; index < this.outcomes.length; index += 1) this.settle(index, reason);
  }

  /** The first outcome of an event counts. An index outside of the batch belongs to an earlier one. */
  private settle(index: number, outcome: Error | 'acknowledged'): void {
    if (!(index >= 0 && index < this.outcomes.length) || this.outcomes[index] !== undefined) return;
    this.outcomes[index] = outcome;
    this.missing -= 1;
    if (this.missing === 0) this.end();
  }

  private end(): void {
    const failedAt = this.outcomes.findIndex((outcome) => outcome instanceof Error);
    const failure = this.outcomes[failedAt];
    this.resolve(
      failure instanceof Error
        ? { acknowledged: failedAt, failure }
        : { acknowledged: this.outcomes.length, failure: undefined },
    );
  }
}
