import type { ConsumerDefinition } from '@crm/contracts';
import type { TenantTransaction } from '@crm/database';
import type { Receipt } from './event-handling.js';

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
export class EventReceipt implements Receipt {
  /**
   * How often the broker has delivered the message, from 1; 0 for a dead letter that is replayed. One is no proof that the
   * event is new: what is published again, because the stream was lost, is a new message.
   */
  readonly deliveryCount: number;
  /** The message's place in the stream; null for a dead letter that is replayed. A stream that was lost counts from 1 again. */
  readonly streamSequence: number | null;

  constructor(
    { deliveryCount, streamSequence }: Receipt,
    readonly consumer: ConsumerDefinition,
  ) {
    this.deliveryCount = deliveryCount;
    this.streamSequence = streamSequence;
  }
}
