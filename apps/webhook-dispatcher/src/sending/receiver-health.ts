import { Database } from '@crm/database';
import { Injectable, Logger } from '@nestjs/common';
import type { AttemptOutcome } from '../delivery/attempt-outcome.js';
import type { NextState } from '../delivery/delivery-state.js';
import type { Failures, Receiver } from '../receiver/receiver.js';
import { ReceiverChanges } from '../receiver-changes/receiver-changes.js';
import { SubscriptionRepository } from '../subscription/subscription.repository.js';
import { SubscriptionStateService } from '../subscription/subscription-state.service.js';
import { FAILURE_GAP_MS, hasFailedTooLong, isInNewHour } from './failure-limit.js';

/**
 * Keeps with each subscription how long its receiver has failed, and disables it when that lasts, or when the receiver says
 * that it is gone. Writes what changes: a receiver that goes on failing costs a statement per hour, one that goes on
 * succeeding none.
 */
@Injectable()
export class ReceiverHealth {
  private readonly logger = new Logger('ReceiverHealth');
  /** Subscriptions of which something is being written. */
  private readonly writing = new Map<string, Promise<void>>();

  constructor(
    private readonly database: Database,
    private readonly subscriptions: SubscriptionRepository,
    private readonly states: SubscriptionStateService,
    private readonly changes: ReceiverChanges,
  ) {}

  /**
   * Notes the outcome of an attempt that is recorded. What cannot be written is logged, and written after a later attempt.
   * @param receiver as it was known when the attempt began
   */
  note(receiver: Receiver, outcome: AttemptOutcome, { disables }: NextState): void {
    const { subscriptionId, isRemoved } = receiver;
    // Nothing is left to disable.
    if (isRemoved) return;
    if (this.writing.has(subscriptionId) || !isNews(receiver, outcome, disables)) return;
    const written = this.write(receiver, outcome, disables)
      .catch((error: unknown) => {
        this.logger.warn({ msg: 'The health of a receiver could not be written', subscriptionId, err: error });
      })
      .finally(() => this.writing.delete(subscriptionId));
    this.writing.set(subscriptionId, written);
  }

  /** Resolves when nothing is being written. */
  async settled(): Promise<void> {
    await Promise.all(this.writing.values());
  }

  private async write(
    { tenantId, subscriptionId }: Receiver,
    outcome: AttemptOutcome,
    disables: boolean,
  ): Promise<void> {
    await this.database.transaction(tenantId, async (tx) => {
      if (outcome.error === null) {
        await this.subscriptions.markHealthy(tx, subscriptionId);
        return;
      }
      const failures = await this.subscriptions.markFailing(tx, subscriptionId, outcome.at, FAILURE_GAP_MS);
      if (disables) {
        await this.states.disable(tx, subscriptionId, 'the receiver answered 410 Gone');
      } else if (failures !== null && hasFailedTooLong(failures, outcome.at)) {
        await this.states.disable(tx, subscriptionId, 'every attempt failed for five days');
      }
    });
    await this.changes.announce({ tenantId });
  }
}

function isNews(known: Failures, { error, at }: AttemptOutcome, disables: boolean): boolean {
  if (error === null) return known.failingSince !== null;
  return disables || isInNewHour(known, at) || hasFailedTooLong(known, at);
}
