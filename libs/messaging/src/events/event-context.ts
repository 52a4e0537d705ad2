import type { ConsumerDefinition } from '@crm/contracts';
import type { TenantTransaction } from '@crm/database';

/** What `@Ctx()` gives the handler of an event. */
export class EventContext {
  /**
   * @param tx transaction of the event's tenant, which also records the event as handled: an effect in it happens once
   * @param consumer the durable consumer that received the event
   */
  constructor(
    readonly tx: TenantTransaction,
    readonly consumer: ConsumerDefinition,
  ) {}
}

/** What `@Ctx()` gives an idempotent handler. */
export class EventReceipt {
  /**
   * @param deliveryCount how often the broker has delivered the message, from 1. One is no proof that the event is new:
   *   what is published again, because the stream was lost, is a new message.
   */
  constructor(
    readonly deliveryCount: number,
    readonly consumer: ConsumerDefinition,
  ) {}
}
