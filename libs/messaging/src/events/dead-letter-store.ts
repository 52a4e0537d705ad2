import { type Database, storeDeadLetter } from '@crm/database';
import type { JsMsg } from '@nats-io/jetstream';
import { messageKey, type ReceivedEvent, tenantOfMessage } from './received-event.js';

/** Stores the messages that a consumer cannot handle, unchanged. */
export class DeadLetterStore {
  constructor(
    private readonly database: Database,
    private readonly consumer: string,
  ) {}

  /**
   * Stores a message, or updates its problem.
   * @param problem why it cannot be handled, for operators
   * @returns the id of the stored message, and whether this call stored it
   */
  store(message: JsMsg, event: ReceivedEvent, problem: string): Promise<{ id: string; isNew: boolean }> {
    return this.database.transaction(tenantOfMessage(message, event), (tx) =>
      storeDeadLetter(tx, {
        consumer: this.consumer,
        messageKey: messageKey(message),
        sentAt: Number(message.timestampNanos / 1_000_000n),
        eventId: event.ok ? event.envelope.id : null,
        subject: message.subject,
        payload: Buffer.from(message.data),
        error: problem,
        deliveries: message.info.deliveryCount,
      }),
    );
  }
}
