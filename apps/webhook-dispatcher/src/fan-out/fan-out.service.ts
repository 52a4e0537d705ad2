import { RevocationSource } from '@crm/access';
import { type EventEnvelope, isVisibleToApp, matchesEvent } from '@crm/contracts';
import { millisecondsOfId } from '@crm/database';
import { recordedOnly } from '@crm/telemetry';
import { type BeforeApplicationShutdown, Inject, Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { WEBHOOK_CONFIG, type WebhookConfig } from '../config.js';
import { deliveryBody } from '../delivery/delivery-body.js';
import { passesFilter } from '../receiver/event-filter.js';
import type { Receiver } from '../receiver/receiver.js';
import { ReceiverDirectory, type Receivers } from '../receiver/receiver-directory.js';
import { isItsRemoval } from '../receiver/removed-receiver.js';
import { Recorder } from '../recording/recorder.js';
import type { NewDelivery } from '../recording/records.js';
import type { Message } from '../sending/message.js';
import { ReceiverHealth } from '../sending/receiver-health.js';
import { SendPlaces } from '../sending/send-places.js';
import { Sender } from '../sending/sender.js';
import { sendingMetrics } from '../sending/sending-metrics.js';
import { SLOW_MS } from '../sending/slow-lane.js';
import { Targets } from '../sending/targets.js';
import { deliveryId } from './delivery-id.js';
import { FirstAttempt } from './first-attempt.js';
import { KnownDeliveries } from './known-deliveries.js';
import { orderedDelivery, placeOf } from './ordered-delivery.js';

/**
 * Milliseconds from when an event happened, within which it cannot have been here before unless the broker says so: a stream
 * that has lost it takes longer to come back and be filled again.
 */
const YOUNG_MS = 2_000;
/** Events that a process remembers to have recorded. */
const REMEMBERED = 50_000;

/** How an event came. */
interface Arrival {
  readonly isRepeated: boolean;
  readonly streamSequence?: number | null;
}

/** An attempt, and its end. */
interface MadeAttempt {
  readonly attempt: FirstAttempt;
  readonly outcome: Promise<void>;
}

/**
 * Sends events to their receivers. The first attempts are made while the event is held unacknowledged in the stream, and
 * then recorded with their outcomes, so that most deliveries are one row that is written once. What takes longer than a
 * moment is recorded as a delivery that is due or under way; the event is acknowledged when all its deliveries are recorded.
 * A process that dies before that gets it again: each delivery is attempted at least once.
 *
 * Receivers with an order get no first attempt here: what they get stands in line from the beginning.
 */
@Injectable()
export class FanOutService implements BeforeApplicationShutdown {
  private readonly logger = new Logger('FanOut');
  /** Attempts that outlast the record of their event. */
  private readonly lasting = new Set<Promise<void>>();
  private isStopping = false;
  private readonly recorded = new LRUCache<string, true>({ max: REMEMBERED });

  constructor(
    private readonly directory: ReceiverDirectory,
    private readonly known: KnownDeliveries,
    private readonly places: SendPlaces,
    private readonly targets: Targets,
    private readonly sender: Sender,
    private readonly recorder: Recorder,
    private readonly health: ReceiverHealth,
    private readonly revocations: RevocationSource,
    @Inject(WEBHOOK_CONFIG) private readonly config: Pick<WebhookConfig, 'delivery'>,
  ) {}

  /**
   * Resolves when everything that became of the event is recorded.
   * @param arrival.isRepeated whether the event may have been handled, however young it is
   * @param arrival.streamSequence its place in the stream; null or left out when it did not come from there
   */
  async handle(event: EventEnvelope, { isRepeated, streamSequence = null }: Arrival): Promise<void> {
    if (this.recorded.has(event.id)) return;
    const tenantId = event.tenantid.toLowerCase();
    const found = this.directory.of(tenantId);
    const receivers = found instanceof Promise ? await found : found;
    if (receivers.size === 0) return;
    const candidates = candidatesFor(receivers, event);
    if (candidates.length === 0) return;
    const body = deliveryBody(event);
    const now = new Date();
    const receiving = candidates.filter(
      ({ filter }) => filter === null || passesFilter(filter, event.type, body.data, now),
    );
    if (receiving.length === 0) return;
    if (isRepeated || isOld(event)) {
      const ids = receiving.map(({ subscriptionId }) => deliveryId(event.id, subscriptionId));
      if (await this.known.has(tenantId, ids)) return;
    }
    const place = placeOf(event, streamSequence);
    const isOrdered = ({ ordering }: Receiver) => ordering === 'record' && place !== null;
    const { retryDelaysMs } = this.config.delivery;
    const attempts = receiving
      .filter((one) => !isOrdered(one))
      .map((one) => new FirstAttempt(event.id, one, retryDelaysMs));
    const ordered = place
      ? receiving.filter(isOrdered).map((receiver) => orderedDelivery(event.id, receiver, place))
      : [];
    const message = { eventId: event.id, body: JSON.stringify(body), traceparent: event.traceparent };
    const begin = (attempt: FirstAttempt) => this.begin(attempt, message);
    await this.deliver(tenantId, event.type, message, attempts, ordered, begin);
  }

  /**
   * Sends something that is no event of the platform to receivers of a tenant: one attempt each, recorded like any other. It
   * is made at once, also to a receiver that keeps failing: somebody waits to see whether it still does. The caller bounds
   * how many there are at a time.
   * @param event the name in the ledger
   * @returns the attempts, when all have ended; while the process stops they are left to the next one
   */
  async sendOnce(
    tenantId: string,
    event: string,
    message: Message,
    receivers: readonly Receiver[],
  ): Promise<FirstAttempt[]> {
    const attempts = receivers.map((receiver) => new FirstAttempt(message.eventId, receiver, [0]));
    const made = await this.deliver(tenantId, event, message, attempts, [], async (attempt) => {
      if (this.isStopping) return;
      this.targets.begun(attempt.receiver);
      await this.attempt(attempt, message, () => undefined);
    });
    await Promise.all(made.map(({ outcome }) => outcome));
    return attempts;
  }

  /** Waits for attempts under way; those of events that come later are left to the next process. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    while (this.lasting.size > 0) await Promise.all(this.lasting);
    await this.health.settled();
  }

  /** Makes the attempts, and resolves when what became of them by then is recorded. */
  private async deliver(
    tenantId: string,
    event: string,
    message: Message,
    attempts: readonly FirstAttempt[],
    ordered: readonly NewDelivery[],
    begin: (attempt: FirstAttempt) => Promise<void>,
  ): Promise<MadeAttempt[]> {
    if (attempts.length > 0) await this.places.room();
    const made = attempts.map((attempt) => ({ attempt, outcome: begin(attempt) }));
    await this.firstOf(made);
    await this.record(tenantId, event, message, made, ordered);
    return made;
  }

  /** Makes the attempt if there is a place for it. Never rejects: an attempt without an outcome is made again. */
  private async begin(attempt: FirstAttempt, message: Message): Promise<void> {
    const { receiver } = attempt;
    if (!receiver.enabled) return attempt.hold();
    // Recorded as due: of a suspended tenant until it is reinstated, of anybody until it is known who is suspended.
    const mayWork = this.revocations.ready && !this.revocations.isSuspended(receiver.tenantId);
    if (this.isStopping || !mayWork) return;
    const isSlow = this.targets.isSlow(receiver, Date.now());
    const hasPlace = isSlow ? this.places.tryTake(receiver) : await this.places.take(receiver);
    if (hasPlace) await this.attempt(attempt, message, () => this.places.free(receiver.tenantId));
  }

  /** @param free frees the place of the attempt; called once */
  private async attempt(attempt: FirstAttempt, message: Message, free: () => void): Promise<void> {
    const { receiver } = attempt;
    let freePlace = free;
    try {
      // What has changed while it waited, such as a secret that was revoked, is left to the worker: it sends as things are then.
      const maySend = (await this.isCurrent(receiver)) && !this.revocations.isSuspended(receiver.tenantId);
      if (!maySend || !attempt.begin(Date.now())) {
        this.targets.ended(receiver, null, false, Date.now());
        return;
      }
      sendingMetrics.firstAttemptDelay.observe({ lane: 'direct' }, secondsSince(message.eventId));
      const outcome = await this.sender.attempt(receiver, message, () => {
        freePlace();
        freePlace = () => undefined;
      });
      attempt.end(outcome);
    } catch (error) {
      const msg = 'An attempt failed by a defect; it is made again when its claim expires';
      this.logger.error({ msg, tenantId: receiver.tenantId, deliveryId: attempt.id, err: error });
    } finally {
      freePlace();
    }
  }

  private async isCurrent(receiver: Receiver): Promise<boolean> {
    const receivers = await this.directory.of(receiver.tenantId);
    return receivers.get(receiver.subscriptionId) === receiver;
  }

  /** Resolves when all attempts have ended, but those that are not worth waiting for. */
  private async firstOf(made: readonly MadeAttempt[]): Promise<void> {
    const now = Date.now();
    const quick = made
      .filter(({ attempt }) => !this.targets.isSlow(attempt.receiver, now))
      .map(({ outcome }) => outcome);
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, SLOW_MS);
    });
    try {
      await Promise.race([Promise.all(quick), patience]);
    } finally {
      clearTimeout(timer);
    }
  }

  private async record(
    tenantId: string,
    event: string,
    { eventId, body, traceparent }: Message,
    made: readonly MadeAttempt[],
    ordered: readonly NewDelivery[],
  ): Promise<void> {
    const deliveries = made.map(({ attempt }) => attempt.record());
    const lasting = made.filter((_one, index) => deliveries[index]?.claim);
    await this.recorder.write({
      kind: 'event',
      tenantId,
      eventId,
      event,
      body,
      traceparent: recordedOnly(traceparent),
      deliveries: [...deliveries, ...ordered],
    });
    this.recorded.set(eventId, true);
    for (const [index, { attempt }] of made.entries()) if (deliveries[index]?.outcome) this.note(attempt);
    for (const { attempt, outcome } of lasting) this.follow(attempt, outcome);
  }

  /** Records the outcome of an attempt that has outlasted the record of its event. */
  private follow(attempt: FirstAttempt, outcome: Promise<void>): void {
    const followed: Promise<void> = this.settle(attempt, outcome)
      .catch((error: unknown) => {
        const msg = 'The outcome of an attempt could not be recorded; it is made again when its claim expires';
        this.logger.error({ msg, tenantId: attempt.receiver.tenantId, deliveryId: attempt.id, err: error });
      })
      .finally(() => this.lasting.delete(followed));
    this.lasting.add(followed);
  }

  private async settle(attempt: FirstAttempt, ended: Promise<void>): Promise<void> {
    await ended;
    const { outcome, next, receiver } = attempt;
    if (!outcome || !next) return;
    const isOurs = await this.recorder.write({
      kind: 'settlement',
      tenantId: receiver.tenantId,
      deliveryId: attempt.id,
      subscriptionId: receiver.subscriptionId,
      claim: attempt.claim,
      url: receiver.url,
      status: next.status,
      attempts: 1,
      outcome,
      reason: null,
      dueAt: next.nextAttemptAt,
      isHead: false,
      isSetAside: false,
    });
    if (isOurs) this.note(attempt);
  }

  private note({ receiver, outcome, next }: FirstAttempt): void {
    if (outcome && next) this.health.note(receiver, outcome, next);
  }
}

/**
 * The receivers that may get an event, or hold it: an app's subscription does not get events of objects that the app does not see, and
 * none gets an event from before it existed. One whose installation was removed gets that event alone.
 */
function candidatesFor(receivers: Receivers, event: EventEnvelope): Receiver[] {
  const happenedAt = Date.parse(event.time);
  return [...receivers.values()].filter((receiver) => {
    const { events, appKey, createdAt } = receiver;
    if (receiver.isRemoved) return isItsRemoval(receiver, event);
    return (
      matchesEvent(events, event.type) && createdAt <= happenedAt && (appKey === null || isVisibleToApp(event, appKey))
    );
  });
}

/** Whether the event may have been here before, though the broker does not say so. */
const isOld = ({ time }: EventEnvelope): boolean => Date.now() - Date.parse(time) > YOUNG_MS;

/** Seconds since the time in an id. Clocks of two processes may differ. */
const secondsSince = (id: string): number => Math.max(0, Date.now() - millisecondsOfId(id)) / 1000;
