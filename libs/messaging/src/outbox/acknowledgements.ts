/** What became of an event: its number in the stream, or why it is not there. */
export type EventOutcome = number | Error;

/** Collects, in whatever order they come, the acknowledgements and refusals of a batch of events. */
export class Acknowledgements {
  private readonly outcomes: (EventOutcome | undefined)[];
  private missing: number;
  private resolve!: (outcomes: EventOutcome[]) => void;
  /** Resolves once every event is acknowledged or has failed, in the order of the events. */
  readonly complete = new Promise<EventOutcome[]>((resolve) => {
    this.resolve = resolve;
  });

  constructor(size: number) {
    this.outcomes = new Array(size);
    this.missing = size;
    if (size === 0) this.resolve([]);
  }

  /** The first outcome of an event counts. An index outside of the batch belongs to an earlier one. */
  settle(index: number, outcome: EventOutcome): void {
    if (!(index >= 0 && index < this.outcomes.length) || this.outcomes[index] !== undefined) return;
    this.outcomes[index] = outcome;
    this.missing -= 1;
    if (this.missing === 0) this.resolve(this.outcomes as EventOutcome[]);
  }

  /** Gives up every event that has no outcome yet. */
  failRest(reason: Error): void {
    for (let index = 0; index < this.outcomes.length; index += 1) this.settle(index, reason);
  }
}
