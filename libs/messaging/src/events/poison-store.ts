import { type Database, storePoison } from '@crm/database';
import type { JsMsg } from '@nats-io/jetstream';
import { messageKey, type ReceivedEvent, tenantOfMessage } from './received-event.js';

/** Where a consumer keeps the messages that it gives up, as they were received. */
export class PoisonStore {
  constructor(
    private readonly database: Database,
    private readonly consumer: string,
  ) {}

  /**
   * Stores a message, or brings what is told of it up to date.
   * @param problem why it is given up, for the operators who look at it
   * @returns the id of the stored message, and whether it was stored now for the first time
   */
  store(message: JsMsg, event: ReceivedEvent, problem: string): Promise<{ id: string; isNew: boolean }> {
    return this.database.transaction(tenantOfMessage(message, event), (tx) =>
      storePoison(tx, {
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
