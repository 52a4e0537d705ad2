import { wakeUpSubject } from '../broker-names.js';
import type { NatsConnection } from '../nats-connection.js';

/** Tells the active relay in another process of a commit, at most once per interval; it also polls, so none is needed. */
export class OutboxWakeUp {
  private timer: NodeJS.Timeout | undefined;
  private again = false;

  constructor(
    private readonly nats: NatsConnection,
    private readonly everyMs: number,
  ) {}

  listen(onWakeUp: () => void): () => void {
    const subscription = this.nats.connection.subscribe(wakeUpSubject(this.nats.service), {
      callback: (error) => {
        if (!error) onWakeUp();
      },
    });
    return () => subscription.unsubscribe();
  }

  send(): void {
    const { connection, service } = this.nats;
    if (this.timer) {
      this.again = true;
      return;
    }
    if (connection.isClosed() || connection.isDraining()) return;
    connection.publish(wakeUpSubject(service));
    this.timer = setTimeout(() => {
      this.timer = undefined;
      if (!this.again) return;
      this.again = false;
      this.send();
    }, this.everyMs);
  }

  close(): void {
    clearTimeout(this.timer);
  }
}
