import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Injectable } from '@nestjs/common';
import type { AttemptOutcome } from '../delivery/attempt-outcome.js';
import { ReceiverDirectory } from '../receiver/receiver-directory.js';
import { Sender } from '../sending/sender.js';
import { refuseUnknownSubscription } from '../subscription/unknown-subscription.js';
import { testEvent } from './test-event.js';

/** A test event and what came of it. */
export interface TestOutcome extends AttemptOutcome {
  readonly eventId: string;
}

/** Sends test events: what an administrator wants to know before the first real one, or before a subscription is resumed. */
@Injectable()
export class TestEventService {
  /** Subscriptions whose test event is under way in this process. */
  private readonly underWay = new Set<string>();

  constructor(
    private readonly directory: ReceiverDirectory,
    private readonly sender: Sender,
  ) {}

  /**
   * Makes one attempt, signed and with the headers of the subscription, whether it is active or not. It takes no place of
   * deliveries, and what comes of it does not count for the health of the receiver.
   * @throws PlatformError NOT_FOUND, or RATE_LIMITED while another test event of the subscription is under way
   */
  async send({ tenantId }: Principal, subscriptionId: string): Promise<TestOutcome> {
    const receiver = (await this.directory.of(tenantId)).get(subscriptionId);
    if (!receiver || receiver.isRemoved) return refuseUnknownSubscription();
    if (this.underWay.has(subscriptionId)) {
      throw new PlatformError('RATE_LIMITED', 'A test event of the subscription is under way', {
        retryAfterSeconds: 1,
      });
    }
    this.underWay.add(subscriptionId);
    try {
      const event = testEvent(receiver);
      const outcome = await this.sender.send(receiver, { eventId: event.id, body: JSON.stringify(event) });
      return { ...outcome, eventId: event.id };
    } finally {
      this.underWay.delete(subscriptionId);
    }
  }
}
