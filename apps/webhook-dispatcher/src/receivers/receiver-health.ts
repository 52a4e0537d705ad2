import { Database } from '@crm/database';
import { Injectable, Logger } from '@nestjs/common';
import { ReceiverChanges } from '../subscriptions/receiver-changes.js';
import { type Failures, SubscriptionRepository } from '../subscriptions/subscription.repository.js';
import { SubscriptionStateService } from '../subscriptions/subscription-state.service.js';
import type { AttemptOutcome, Receiver } from './receiver.js';
import { ReceiverLimits } from './receiver-limits.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A subscription is disabled when every attempt has failed for this long (Standard Webhooks: "after a few days"), … */
const FAILING_LIMIT_MS = 5 * DAY_MS;
/** … in so many of its hours, … */
const FAILING_HOURS = 5;
/** … and never so many milliseconds apart: longer than the longest retry delay, so that a failed event a week is not enough. */
const FAILURE_GAP_MS = 2 * DAY_MS;

export function hasFailedTooLong({ failingSince, failingHours }: Failures, at: Date): boolean {
  if (failingSince === null) return false;
  return at.getTime() - failingSince.getTime() > FAILING_LIMIT_MS && failingHours >= FAILING_HOURS;
}

/** Hours of UTC. */
export function isInNewHour({ failedAt }: Failures, at: Date): boolean {
  return failedAt === null || hourOf(at) > hourOf(failedAt);
}

const hourOf = (time: Date): number => Math.floor(time.getTime() / HOUR_MS);

/**
 * Writes only changes: a receiver that keeps failing costs a statement per hour and one per pause, one that keeps succeeding
 * none.
 */
@Injectable()
export class ReceiverHealth {
  private readonly logger = new Logger('ReceiverHealth');
  private readonly writing = new Map<string, Promise<void>>();
  private readonly pausing = new Set<Promise<void>>();

  constructor(
    private readonly database: Database,
    private readonly subscriptions: SubscriptionRepository,
    private readonly states: SubscriptionStateService,
    private readonly changes: ReceiverChanges,
    private readonly limits: ReceiverLimits,
  ) {}

  /** A failure to write is logged and made up for by a later attempt. */
  note(receiver: Receiver, outcome: AttemptOutcome): void {
    const { subscriptionId, isRemoved } = receiver;
    // What the platform cannot read is no failure of the receiver.
    if (isRemoved || receiver.isUnreadable) return;
    this.sharePause(receiver);
    if (this.writing.has(subscriptionId) || !isNews(receiver, outcome)) return;
    const written = this.write(receiver, outcome)
      .catch((error: unknown) => {
        this.logger.warn({ msg: 'The health of a receiver could not be written', subscriptionId, err: error });
      })
      .finally(() => this.writing.delete(subscriptionId));
    this.writing.set(subscriptionId, written);
  }

  async settled(): Promise<void> {
    await Promise.all([...this.writing.values(), ...this.pausing]);
  }

  /** So that all processes leave the receiver alone: `Retry-After`, or a pause after failures in a row. */
  private sharePause(receiver: Receiver): void {
    const until = this.limits.takePause(receiver, Date.now());
    if (until === null) return;
    const { tenantId, subscriptionId } = receiver;
    const shared: Promise<void> = this.writePause(tenantId, subscriptionId, until)
      .catch((error: unknown) => {
        const msg = 'Other processes do not learn that a receiver is paused; they find out themselves';
        this.logger.warn({ msg, subscriptionId, err: error });
      })
      .finally(() => this.pausing.delete(shared));
    this.pausing.add(shared);
  }

  private async writePause(tenantId: string, subscriptionId: string, until: number): Promise<void> {
    const isLater = await this.database.transaction(tenantId, (tx) =>
      this.subscriptions.pauseFor(tx, subscriptionId, until - Date.now()),
    );
    if (isLater) await this.changes.announce({ tenantId });
  }

  private async write({ tenantId, subscriptionId }: Receiver, outcome: AttemptOutcome): Promise<void> {
    await this.database.transaction(tenantId, async (tx) => {
      if (outcome.error === null) {
        await this.subscriptions.markHealthy(tx, subscriptionId);
        return;
      }
      const failures = await this.subscriptions.markFailing(tx, subscriptionId, outcome.at, FAILURE_GAP_MS);
      if (failures !== null && hasFailedTooLong(failures, outcome.at)) {
        await this.states.disable(tx, subscriptionId, 'every attempt failed for five days');
      }
    });
    await this.changes.announce({ tenantId });
  }
}

function isNews(known: Failures, { error, at }: AttemptOutcome): boolean {
  if (error === null) return known.failingSince !== null;
  return isInNewHour(known, at) || hasFailedTooLong(known, at);
}
