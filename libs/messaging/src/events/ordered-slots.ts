import type { JsMsg } from '@nats-io/jetstream';

/** Messages that a consumer holds, waiting ones too, are reported to the broker three times in the acknowledgement time. */
export class EventsInProgress {
  private readonly messages = new Map<JsMsg, number>();
  private timer: NodeJS.Timeout | undefined;

  /** @param report tells the broker; must not throw */
  constructor(
    private readonly ackWaitMs: number,
    private readonly report: (message: JsMsg) => void,
  ) {}

  begun(message: JsMsg): void {
    this.messages.set(message, Date.now() + this.ackWaitMs / 3);
    this.timer ??= setInterval(() => this.extend(Date.now()), this.ackWaitMs / 10);
  }

  ended(message: JsMsg): void {
    this.messages.delete(message);
    if (this.messages.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private extend(now: number): void {
    for (const [message, dueAt] of this.messages) {
      if (dueAt > now) continue;
      this.messages.set(message, now + this.ackWaitMs / 3);
      this.report(message);
    }
  }
}

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
