import type { JsMsg } from '@nats-io/jetstream';

/**
 * The messages that a consumer holds, also while they wait for their turn. Each is reported to the broker as in progress
 * three times in the time after which it would be delivered again.
 */
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
