import { type Database, storeDeadLetter } from '@crm/database';
import type { JsMsg } from '@nats-io/jetstream';
import { messageKey, type ReceivedEvent, tenantOfMessage } from './received-event.js';

/** Where a consumer stores the messages that it cannot handle, as they were received. */
export class DeadLetterStore {
  constructor(
    private readonly database: Database,
    private readonly consumer: string,
  ) {}

  /**
   * Stores a message, or brings what is told of it up to date.
   * @param problem why it cannot be handled, for the operators who look at it
   * @returns the id of the stored message, and whether it was stored now for the first time
   */
  store(message: JsMsg, event: ReceivedEvent, problem: string): Promise<{ id: string; isNew: boolean }> {
    return this.database.transaction(tenantOfMessage(message, event), (tx) =>
      storeDeadLetter(tx, {
        consumer: this.consumer,
        messageKey: messageKey(message),
        eventId: event.ok ? event.envelope.id : null,
        subject: message.subject,
        payload: Buffer.from(message.data),
        error: problem,
        deliveries: message.info.deliveryCount,
      }),
    );
  }
}
