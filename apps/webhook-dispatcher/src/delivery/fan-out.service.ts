import { RevocationSource } from '@crm/access';
import {
  CONSUMERS,
  domainOf,
  EVENTS,
  type EventEnvelope,
  type EventName,
  isVisibleToApp,
  matchesEvent,
} from '@crm/contracts';
import { Database, isErasure, millisecondsOfId } from '@crm/database';
import { inPieces, type Steps } from '@crm/formula';
import { type EventReceipt, IdempotentEventHandler } from '@crm/messaging';
import { traceparentIfRecorded } from '@crm/telemetry';
import { type BeforeApplicationShutdown, Controller, Inject, Injectable, Logger } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { LRUCache } from 'lru-cache';
import { WEBHOOK_CONFIG, type WebhookConfig } from '../config.js';
import { ErasedRecords, reducedBody } from '../ledger/erased-records.js';
import { LedgerRepository } from '../ledger/ledger.repository.js';
import type { NewDelivery } from '../ledger/ledger-entry.js';
import { LedgerWriter } from '../ledger/ledger-writer.js';
import { OrderedDemand } from '../queue/delivery-order.worker.js';
import { isItsRemoval, isThrottled, type Receiver } from '../receivers/receiver.js';
import { ReceiverDirectory, type Receivers } from '../receivers/receiver-directory.js';
import { ReceiverHealth } from '../receivers/receiver-health.js';
import { ReceiverLimits } from '../receivers/receiver-limits.js';
import { passesFilter } from '../subscriptions/event-filter.js';
import { deliveryBody } from '../subscriptions/event-type.js';
import { deliveryId, FirstAttempt, orderedDelivery, recordPositionOf } from './attempt.js';
import { AttemptSlots, SLOW_MS } from './attempt-slots.js';
import { deliveryMetrics, type Message, Sender } from './sender.js';

/** Within it only the broker knows of a repetition: a lost stream takes longer to be refilled. */
const YOUNG_MS = 2_000;
const REMEMBERED = 50_000;
/** Milliseconds by which another machine's clock may be behind. An event from before a subscription does no harm. */
const CLOCK_SKEW_MS = 10_000;
/** Milliseconds after which an event no longer waits for its first attempts while ordered deliveries wait for it. */
const DEMAND_MS = 100;

export interface Arrival {
  /** True when the event may have been handled before, however young it is. */
  readonly isRepeated: boolean;
  /** Null or left out when it did not come from the stream. */
  readonly streamSequence?: number | null;
  readonly storedAt?: Date | null;
  /** True when it is only recorded, as due, so that events of other tenants can be read. */
  readonly shouldPutOff?: boolean;
}

interface MadeAttempt {
  readonly attempt: FirstAttempt;
  readonly outcome: Promise<void>;
}

/**
 * First attempts are made before the event is acknowledged, so that most deliveries are one row, written once. If the process
 * dies before, the event comes again: each delivery is attempted at least once. Ordered deliveries are only recorded here.
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
    private readonly database: Database,
    private readonly deliveries: LedgerRepository,
    private readonly slots: AttemptSlots,
    private readonly limits: ReceiverLimits,
    private readonly sender: Sender,
    private readonly ledger: LedgerWriter,
    private readonly health: ReceiverHealth,
    private readonly revocations: RevocationSource,
    private readonly orderedDemand: OrderedDemand,
    @Inject(WEBHOOK_CONFIG) private readonly config: Pick<WebhookConfig, 'delivery'>,
  ) {}

  /** Resolves when all deliveries of the event are recorded. */
  async handle(
    event: EventEnvelope,
    { isRepeated, streamSequence = null, storedAt = null, shouldPutOff = false }: Arrival,
  ): Promise<void> {
    if (this.recorded.has(event.id)) return;
    const tenantId = event.tenantid.toLowerCase();
    const found = this.directory.of(tenantId);
    const receivers = found instanceof Promise ? await found : found;
    if (receivers.size === 0) return;
    const erases = isErasure(event);
    // What comes later of an erased record has no content any more to tell of.
    if (!erases && receivers.erased.has(event.subject ?? '')) return;
    const candidates = candidatesFor(receivers, event);
    if (candidates.length === 0) return;
    const body = deliveryBody(event);
    const now = new Date();
    const passes = (filter: string) => erases || passesFilter(filter, event.type, body.data, now);
    const receiving = await inPieces(receiversOf(candidates, passes));
    if (receiving.length === 0) return;
    // What is only recorded is recorded once, whichever process did it.
    if (isRepeated || (!shouldPutOff && isOld(event))) {
      const ids = receiving.map(({ subscriptionId }) => deliveryId(event.id, subscriptionId));
      if (await this.database.transaction(tenantId, (tx) => this.deliveries.hasAny(tx, ids))) return;
    }
    const position = recordPositionOf(event, { streamSequence, storedAt });
    const isOrdered = ({ ordering }: Receiver) => ordering === 'record' && position !== null;
    const { retryDelaysMs } = this.config.delivery;
    const attempts = receiving
      .filter((one) => !isOrdered(one))
      .map((one) => new FirstAttempt(event.id, one, retryDelaysMs));
    const ordered = position
      ? receiving.filter(isOrdered).map((receiver) => orderedDelivery(event.id, receiver, position))
      : [];
    const message = {
      eventId: event.id,
      body: JSON.stringify(body),
      recordId: erases ? undefined : event.subject,
      traceparent: event.traceparent,
    };
    const begin = () => attempts.map((attempt) => ({ attempt, outcome: this.begin(attempt, message, shouldPutOff) }));
    const made = shouldPutOff || attempts.length === 0 ? begin() : await this.slots.admit(tenantId, begin);
    await this.finish(tenantId, event.type, message, made, ordered);
  }

  /** Makes one recorded attempt each, at once, also to a receiver that keeps failing. The caller bounds the concurrency. */
  async sendOnce(
    tenantId: string,
    event: string,
    message: Message,
    receivers: readonly Receiver[],
  ): Promise<FirstAttempt[]> {
    const attempts = receivers.map((receiver) => new FirstAttempt(message.eventId, receiver, [0]));
    const begin = async (attempt: FirstAttempt) => {
      if (this.isStopping) return;
      this.limits.begun(attempt.receiver);
      await this.attempt(attempt, message, () => undefined);
    };
    const made = attempts.map((attempt) => ({ attempt, outcome: begin(attempt) }));
    await this.finish(tenantId, event, message, made, []);
    await Promise.all(made.map(({ outcome }) => outcome));
    return attempts;
  }

  /** Waits for attempts under way; later events are left to the next process. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    while (this.lasting.size > 0) await Promise.all(this.lasting);
    await this.health.settled();
  }

  /** Resolves when the state of the attempts is recorded. */
  private async finish(
    tenantId: string,
    event: string,
    message: Message,
    made: readonly MadeAttempt[],
    ordered: readonly NewDelivery[],
  ): Promise<void> {
    await this.firstOf(made);
    await this.record(tenantId, event, message, made, ordered);
  }

  /** Makes the attempt if there is a slot. Never rejects: an attempt without an outcome is made again. */
  private async begin(attempt: FirstAttempt, message: Message, shouldPutOff: boolean): Promise<void> {
    const { receiver } = attempt;
    if (!receiver.enabled) return attempt.hold();
    if (shouldPutOff) return;
    // Recorded as due until the tenant is reinstated, or suspensions are known.
    const mayWork = this.revocations.ready && !this.revocations.isSuspended(receiver.tenantId);
    if (this.isStopping || !mayWork) return;
    const isSlow = this.limits.isSlow(receiver, performance.now());
    const hasSlot = isSlow ? this.slots.tryAcquire(receiver) : await this.slots.acquire(receiver);
    if (hasSlot) await this.attempt(attempt, message, () => this.slots.release(receiver.tenantId));
  }

  /** @param release gives the slot back; called once */
  private async attempt(attempt: FirstAttempt, message: Message, release: () => void): Promise<void> {
    const { receiver } = attempt;
    let releaseSlot = release;
    try {
      // A receiver that changed during the wait, such as by a revoked secret, is left to the worker, which sends to the new one.
      const isStopped = receiver.isRevoked || this.revocations.isSuspended(receiver.tenantId);
      const maySend = (await this.isCurrent(receiver, message)) && !isStopped;
      if (!maySend || !attempt.begin(Date.now())) {
        this.limits.ended(receiver, null, false, performance.now());
        return;
      }
      deliveryMetrics.firstAttemptDelay.observe({ lane: 'direct' }, secondsSince(message.eventId));
      const outcome = await this.sender.attempt(receiver, message, () => {
        releaseSlot();
        releaseSlot = () => undefined;
      });
      attempt.end(outcome);
    } catch (error) {
      const msg = 'An attempt failed by a defect; it is made again when its claim expires';
      this.logger.error({ msg, tenantId: receiver.tenantId, deliveryId: attempt.id, err: error });
    } finally {
      releaseSlot();
    }
  }

  private async isCurrent(receiver: Receiver, { recordId = '' }: Message): Promise<boolean> {
    const receivers = await this.directory.of(receiver.tenantId);
    return receivers.get(receiver.subscriptionId)?.version === receiver.version && !receivers.erased.has(recordId);
  }

  /** Resolves when all attempts have ended, except those of slow receivers, or after a second; sooner if an order waits for it. */
  private async firstOf(made: readonly MadeAttempt[]): Promise<void> {
    const now = performance.now();
    const quick = made
      .filter(({ attempt }) => !this.limits.isSlow(attempt.receiver, now))
      .map(({ outcome }) => outcome);
    const all = Promise.all(quick);
    do {
      if (await endsWithin(all, DEMAND_MS)) return;
    } while (performance.now() < now + SLOW_MS && !(await this.orderedDemand.exists()));
  }

  private async record(
    tenantId: string,
    event: string,
    message: Message,
    made: readonly MadeAttempt[],
    ordered: readonly NewDelivery[],
  ): Promise<void> {
    const { eventId, traceparent } = message;
    const { erased } = await this.directory.of(tenantId);
    const deliveries = made.map(({ attempt }) => attempt.record());
    const lasting = made.filter((_one, index) => deliveries[index]?.claim);
    await this.ledger.write({
      kind: 'event',
      tenantId,
      eventId,
      ...(erased.has(message.recordId ?? '') ? withoutContent(event, message) : { event, body: message.body }),
      traceparent: traceparentIfRecorded(traceparent),
      deliveries: [...deliveries, ...ordered],
    });
    this.recorded.set(eventId, true);
    for (const [index, { attempt }] of made.entries()) if (deliveries[index]?.outcome) this.note(attempt);
    for (const { attempt, outcome } of lasting) this.follow(attempt, outcome);
  }

  /** Records the outcome of an attempt that outlasts the record of its event. */
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
    const isOurs = await this.ledger.write({
      kind: 'settlement',
      tenantId: receiver.tenantId,
      deliveryId: attempt.id,
      subscriptionId: receiver.subscriptionId,
      claim: attempt.claim,
      url: receiver.url,
      status: next.status,
      attempts: 1,
      outcome,
      dueAt: next.nextAttemptAt,
      throttled: isThrottled(outcome) ? 1 : 0,
      isHead: false,
      isSetAside: false,
    });
    if (isOurs) this.note(attempt);
  }

  private note({ receiver, outcome }: FirstAttempt): void {
    if (outcome) this.health.note(receiver, outcome);
  }
}

/** Reduces the message of an event whose record was erased while it waited for its attempts. */
function withoutContent(event: string, { body, recordId = '' }: Message): { event: string; body: string } {
  const { name: type, dataschema } = EVENTS[`${domainOf(event)}.deleted` as EventName];
  return { event: type, body: reducedBody(body, { type, dataschema, subject: recordId }) };
}

/** Revoked apps get nothing, apps no objects that they do not see, nobody gets events from before it existed, as far as clocks agree. */
function candidatesFor(receivers: Receivers, event: EventEnvelope): Receiver[] {
  const happenedAt = Date.parse(event.time);
  return [...receivers.values()].filter((receiver) => {
    const { events, appKey, installationId, sandbox, createdAt } = receiver;
    if (receiver.isRevoked) return false;
    if (receiver.isRemoved) return isItsRemoval(receiver, event);
    return (
      matchesEvent(events, event.type) &&
      createdAt - CLOCK_SKEW_MS <= happenedAt &&
      (appKey === null || isVisibleToApp(event, { appKey, installationId, sandbox }))
    );
  });
}

/** Never rejects, as attempts do not. */
function endsWithin(all: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    void all.then(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}

/** Returns whether the event may have been handled before, though the broker does not say so. */
const isOld = ({ time }: EventEnvelope): boolean => Date.now() - Date.parse(time) > YOUNG_MS;

/** Seconds since the time in an id. Clocks of two processes may differ. */
const secondsSince = (id: string): number => Math.max(0, Date.now() - millisecondsOfId(id)) / 1000;

/** Gets every event of the platform. */
@Controller()
export class FanOutConsumer {
  constructor(
    private readonly fanOut: FanOutService,
    private readonly erased: ErasedRecords,
  ) {}

  @IdempotentEventHandler(CONSUMERS['webhook-dispatcher'], 'all')
  async onEvent(@Payload() event: EventEnvelope, @Ctx() receipt: EventReceipt): Promise<void> {
    if (isErasure(event)) await this.erased.accept(event);
    const { deliveryCount, streamSequence, storedAt, shouldPutOff } = receipt;
    await this.fanOut.handle(event, { isRepeated: deliveryCount !== 1, streamSequence, storedAt, shouldPutOff });
  }
}

/** Whose filter the event passes, a filter a step: events that come together have many. */
function* receiversOf(candidates: readonly Receiver[], passes: (filter: string) => boolean): Steps<Receiver[]> {
  const receiving: Receiver[] = [];
  for (const one of candidates) {
    if (one.filter === null || passes(one.filter)) receiving.push(one);
    if (one.filter !== null) yield;
  }
  return receiving;
}
