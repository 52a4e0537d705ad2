/** Runs tasks of the same key one after the other, tasks of different keys concurrently. */
export class KeyedQueue {
  private readonly tails = new Map<string, Promise<void>>();

  /** Resolves or rejects as the task does. */
  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const before = this.tails.get(key) ?? Promise.resolve();
    const result = before.then(task);
    // The next in line waits for the end of this task, however it ends; its outcome is the caller's.
    const tail = result.then(
      () => undefined,
      () => undefined,
    );
    this.tails.set(key, tail);
    try {
      return await result;
    } finally {
      if (this.tails.get(key) === tail) this.tails.delete(key);
    }
  }
}
