import { PlatformError } from '@crm/contracts';

/** Tasks of one key that wait: more than any person causes. */
const MOST_WAITING = 50;

/** Runs tasks of the same key one after the other, tasks of different keys concurrently. */
export class KeyedQueue {
  private readonly tails = new Map<string, Promise<void>>();
  private readonly lengths = new Map<string, number>();

  /**
   * Resolves or rejects as the task does.
   * @throws PlatformError SERVICE_UNAVAILABLE when too many tasks of the key wait
   */
  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const length = this.lengths.get(key) ?? 0;
    if (length > MOST_WAITING) throw new PlatformError('SERVICE_UNAVAILABLE', 'Too many attempts are under way');
    this.lengths.set(key, length + 1);
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
      const left = (this.lengths.get(key) ?? 1) - 1;
      if (left > 0) this.lengths.set(key, left);
      else this.lengths.delete(key);
      if (this.tails.get(key) === tail) this.tails.delete(key);
    }
  }
}
