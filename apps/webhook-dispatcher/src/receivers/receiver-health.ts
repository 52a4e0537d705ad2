import { NOTICES } from '@crm/contracts';
import { Database, newId } from '@crm/database';
import { Notices } from '@crm/messaging';
import { type BeforeApplicationShutdown, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { ReceiverChanges } from '../subscriptions/receiver-changes.js';
import { type Failures, SubscriptionRepository } from '../subscriptions/subscription.repository.js';
import { SubscriptionStateService } from '../subscriptions/subscription-state.service.js';
import type { AttemptOutcome, Receiver } from './receiver.js';
import { hashOfUrl, ReceiverLimits } from './receiver-limits.js';

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
export class ReceiverHealth implements OnModuleInit, BeforeApplicationShutdown {
  private readonly logger = new Logger('ReceiverHealth');
  private readonly writing = new Map<string, Promise<void>>();
  private readonly sharing = new Set<Promise<void>>();
  private readonly process = newId();
  private stopListening: (() => void) | undefined;

  constructor(
    private readonly database: Database,
    private readonly subscriptions: SubscriptionRepository,
    private readonly states: SubscriptionStateService,
    private readonly changes: ReceiverChanges,
    private readonly limits: ReceiverLimits,
    private readonly notices: Notices,
  ) {}

  onModuleInit(): void {
    this.stopListening = this.notices.listen(NOTICES.receiverAttempted, {
      onNotice: ({ process, ...attempt }) => {
        if (process !== this.process) this.limits.endedElsewhere(attempt, performance.now());
      },
      // A pause is in the database; failures that were missed count where they are seen.
      onGap: () => undefined,
    });
  }

  beforeApplicationShutdown(): void {
    this.stopListening?.();
  }

  /** A failure to write is logged and made up for by a later attempt. */
  note(receiver: Receiver, outcome: AttemptOutcome): void {
    const { subscriptionId, isRemoved } = receiver;
    // What the platform cannot read is no failure of the receiver.
    if (isRemoved || receiver.isUnreadable) return;
    this.shareAttempt(receiver, outcome);
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
    await Promise.all([...this.writing.values(), ...this.sharing]);
  }

  /** Failures in a row count wherever they are seen, and so does the success that ends them. */
  private shareAttempt(receiver: Receiver, { error }: AttemptOutcome): void {
    const succeeded = error === null;
    if ((succeeded && !this.limits.takeRecovery(receiver)) || this.notices.areCut) return;
    const { process } = this;
    const { subscriptionId, url } = receiver;
    const attempt = { process, subscriptionId, urlHash: hashOfUrl(url), succeeded };
    this.share(receiver, this.notices.send(NOTICES.receiverAttempted, attempt));
  }

  /** So that all processes leave the receiver alone: `Retry-After`, or a pause after failures in a row. */
  private sharePause(receiver: Receiver): void {
    const until = this.limits.takePause(receiver, performance.now());
    if (until !== null) this.share(receiver, this.writePause(receiver, until));
  }

  private share({ subscriptionId }: Receiver, sent: Promise<void>): void {
    const shared: Promise<void> = sent
      .catch((error: unknown) => {
        const msg = 'Other processes do not learn that a receiver fails; they find out themselves';
        this.logger.warn({ msg, subscriptionId, err: error });
      })
      .finally(() => this.sharing.delete(shared));
    this.sharing.add(shared);
  }

  private async writePause({ tenantId, subscriptionId }: Receiver, until: number): Promise<void> {
    const isLater = await this.database.transaction(tenantId, (tx) =>
      this.subscriptions.pauseFor(tx, subscriptionId, until - performance.now()),
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
        await this.states.disable(tx, subscriptionId, 'all attempts failed for five days');
      }
    });
    await this.changes.announce({ tenantId });
  }
}

function isNews(known: Failures, { error, at }: AttemptOutcome): boolean {
  if (error === null) return known.failingSince !== null;
  return isInNewHour(known, at) || hasFailedTooLong(known, at);
}
