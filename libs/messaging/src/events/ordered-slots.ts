/** Runs a limited number of work items concurrently, and those with the same key one after the other, in order. */
export class OrderedSlots {
  private free: number;
  private readonly waiting: (() => void)[] = [];
  private readonly lanes = new Map<string, Promise<void>>();
  private readonly running = new Set<Promise<void>>();
  private roomListeners: (() => void)[] = [];

  constructor(size: number) {
    this.free = size;
  }

  /** @param work must not reject */
  run(key: string, work: () => Promise<void>): void {
    const before = this.lanes.get(key);
    const turn = (before ?? Promise.resolve()).then(() => this.inSlot(work));
    this.lanes.set(key, turn);
    this.running.add(turn);
    void turn.finally(() => {
      this.running.delete(turn);
      if (this.lanes.get(key) === turn) this.lanes.delete(key);
    });
  }

  /** Resolves when a slot is free and no work waits for it. */
  async room(): Promise<void> {
    while (this.free === 0) {
      await new Promise<void>((resolve) => {
        this.roomListeners.push(resolve);
      });
    }
  }

  /** Resolves when all work has finished. */
  async drain(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
  }

  private async inSlot(work: () => Promise<void>): Promise<void> {
    if (this.free > 0) this.free -= 1;
    else {
      await new Promise<void>((resolve) => {
        this.waiting.push(resolve);
      });
    }
    try {
      await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else {
        this.free += 1;
        for (const listener of this.roomListeners.splice(0)) listener();
      }
    }
  }
}
