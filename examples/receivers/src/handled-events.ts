/**
 * Recognises events that arrive again. It remembers them in the memory of one process: enough to try a receiver, not for
 * production, where the id belongs in a table, in the transaction of what the event causes (docs/receiving-webhooks.md).
 */
export class HandledEvents {
  private readonly outcomes = new Map<string, Promise<void>>();

  /** @param capacity how many ids are remembered; the oldest are forgotten */
  constructor(private readonly capacity = 100_000) {}

  /**
   * Does the work of an event once. A duplicate that arrives meanwhile shares the outcome; after a failure the next attempt
   * does the work again.
   * @param id the header `webhook-id`, which is also `id` of the event
   * @throws whatever the work throws
   */
  once(id: string, work: () => Promise<void>): Promise<void> {
    const earlier = this.outcomes.get(id);
    if (earlier !== undefined) return earlier;
    const outcome = work().catch((error: unknown) => {
      this.outcomes.delete(id);
      throw error;
    });
    this.outcomes.set(id, outcome);
    this.forgetOldest();
    return outcome;
  }

  private forgetOldest(): void {
    const [oldest] = this.outcomes.keys();
    if (this.outcomes.size > this.capacity && oldest !== undefined) this.outcomes.delete(oldest);
  }
}
