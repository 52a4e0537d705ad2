import type { NarrowTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { HoldingRepository, type HoldKey } from '../holding/holding.repository.js';
import { RecordLineRepository } from '../record-line/record-line.repository.js';
import { SubscriptionQueueRepository, type WokenQueue } from '../subscription-queue/subscription-queue.repository.js';
import {
  INSERT_DUE_DELIVERIES,
  INSERT_ENDED_DELIVERIES,
  INSERT_EVENT_BODIES,
  INSERT_ORDERED_DELIVERIES,
  SETTLE_DELIVERIES,
} from './recording.sql.js';
import { type EventRecord, endsHead, type LedgerRecord, type NewDelivery, type Settlement } from './records.js';

type OwnedDelivery = NewDelivery & Pick<EventRecord, 'tenantId' | 'eventId' | 'event'>;

export interface Written {
  /** Ids of the settled and held deliveries; the others were no longer claimed by this process. */
  readonly settled: ReadonlySet<string>;
  /** Deliveries that were not kept, because their subscription holds as many as it may. */
  readonly dropped: number;
}

/** Writes what became of events and claimed deliveries of many tenants, as the narrow role, in few statements. */
@Injectable()
export class RecordingRepository {
  constructor(
    private readonly queues: SubscriptionQueueRepository,
    private readonly lines: RecordLineRepository,
    private readonly holding: HoldingRepository,
  ) {}

  async write(tx: NarrowTransaction, records: readonly LedgerRecord[]): Promise<Written> {
    const events = records.filter((record) => record.kind === 'event');
    const settlements = records.filter((record) => record.kind === 'settlement');
    const holds = records.filter((record) => record.kind === 'hold');
    const deliveries = events.flatMap(ownedDeliveries);
    const untried = deliveries.filter(isHeldUntried);
    const refused: HoldKey[] = [...deliveries.filter(isHeldAfterAttempt), ...settlements.filter(isHeldAfterAttempt)];
    const locked = [...untried, ...holds, ...refused];
    // Before all others, so that no two transactions wait for each other.
    if (locked.length > 0) this.holding.lock(tx, locked);
    this.insertEvents(
      tx,
      events.filter((event) => !event.deliveries.every(isHeldUntried)),
      deliveries.filter((delivery) => !isHeldUntried(delivery)),
    );
    const dropped = untried.length > 0 ? this.hold(tx, events, untried) : Promise.resolve(0);
    const settled = settlements.length > 0 ? this.settle(tx, settlements) : Promise.resolve([]);
    const held = holds.length > 0 ? this.holding.holdClaimed(tx, holds) : Promise.resolve([]);
    if (refused.length > 0) this.holding.recount(tx, refused);
    const woken = [...events.flatMap(queuesOfEvent), ...settlements.flatMap(queueOfSettlement)];
    if (woken.length > 0) this.queues.wake(tx, woken);
    const [settledRows, heldRows, droppedCount] = await Promise.all([settled, held, dropped]);
    const ids = new Set([...settledRows, ...heldRows].map(({ id }) => id));
    const heads = [...settlements.filter(endsHead), ...holds.filter(({ isHead }) => isHead)];
    const ended = heads.filter(({ deliveryId }) => ids.has(deliveryId));
    if (ended.length > 0) this.lines.endHeads(tx, ended);
    return { settled: ids, dropped: droppedCount };
  }

  private hold(tx: NarrowTransaction, events: readonly EventRecord[], held: readonly OwnedDelivery[]): Promise<number> {
    return this.holding.insert(
      tx,
      held,
      events.filter((event) => event.deliveries.length > 0 && event.deliveries.every(isHeldUntried)),
    );
  }

  private insertEvents(
    tx: NarrowTransaction,
    events: readonly EventRecord[],
    deliveries: readonly OwnedDelivery[],
  ): void {
    if (events.length === 0) return;
    tx.issue(INSERT_EVENT_BODIES, [
      events.map(({ tenantId }) => tenantId),
      events.map(({ eventId }) => eventId),
      events.map(({ event }) => event),
      events.map(({ body }) => body),
      events.map(({ traceparent }) => traceparent ?? null),
    ]);
    const ordered = deliveries.filter(({ place }) => place !== null);
    if (ordered.length > 0) tx.issue(INSERT_ORDERED_DELIVERIES, [...columnsOf(ordered), ...placesOf(ordered)]);
    const ended = deliveries.filter(({ dueAt, place }) => dueAt === null && place === null);
    if (ended.length > 0) tx.issue(INSERT_ENDED_DELIVERIES, columnsOf(ended));
    const due = deliveries.filter(({ dueAt }) => dueAt !== null);
    if (due.length > 0) {
      const claims = [due.map(({ claim }) => claim?.id ?? null), due.map(({ claim }) => claim?.until ?? null)];
      tx.issue(INSERT_DUE_DELIVERIES, [...columnsOf(due), ...claims]);
    }
  }

  private settle(tx: NarrowTransaction, settlements: readonly Settlement[]): Promise<{ id: string }[]> {
    const ids = settlements.map(({ deliveryId }) => deliveryId).sort();
    return tx.queryPrepared<{ id: string }>(SETTLE_DELIVERIES, [
      settlements.map(({ tenantId }) => tenantId),
      settlements.map(({ deliveryId }) => deliveryId),
      settlements.map(({ claim }) => claim),
      settlements.map(({ url }) => url),
      settlements.map(({ status }) => status),
      settlements.map(({ attempts }) => attempts),
      settlements.map(({ dueAt }) => dueAt),
      settlements.map(({ outcome }) => outcome?.at ?? null),
      settlements.map(({ outcome }) => outcome?.httpStatus ?? null),
      settlements.map(({ outcome }) => outcome?.latencyMs ?? null),
      settlements.map(({ outcome }) => outcome?.responseExcerpt ?? null),
      settlements.map(({ outcome, reason }) => (reason ?? outcome?.error)?.code ?? null),
      settlements.map(({ outcome, reason }) => (reason ?? outcome?.error)?.message ?? null),
      settlements.map(({ outcome }) => outcome?.error?.phase ?? null),
      settlements.map(({ isSetAside }) => isSetAside),
      ids[0],
      ids.at(-1),
    ]);
  }
}

const columnsOf = (deliveries: readonly OwnedDelivery[]): unknown[][] => [
  deliveries.map(({ tenantId }) => tenantId),
  deliveries.map(({ id }) => id),
  deliveries.map(({ subscriptionId }) => subscriptionId),
  deliveries.map(({ eventId }) => eventId),
  deliveries.map(({ event }) => event),
  deliveries.map(({ url }) => url),
  deliveries.map(({ status }) => status),
  deliveries.map(({ attempts }) => attempts),
  deliveries.map(({ dueAt }) => dueAt),
  deliveries.map(({ outcome }) => outcome?.at ?? null),
  deliveries.map(({ outcome }) => outcome?.httpStatus ?? null),
  deliveries.map(({ outcome }) => outcome?.latencyMs ?? null),
  deliveries.map(({ outcome }) => outcome?.responseExcerpt ?? null),
  deliveries.map(({ outcome }) => outcome?.error?.code ?? null),
  deliveries.map(({ outcome }) => outcome?.error?.message ?? null),
  deliveries.map(({ outcome }) => outcome?.error?.phase ?? null),
  deliveries.map(({ app }) => app?.key ?? null),
  deliveries.map(({ app }) => app?.installationId ?? null),
];

const placesOf = (deliveries: readonly OwnedDelivery[]): unknown[][] => [
  deliveries.map(({ place }) => place?.recordId),
  deliveries.map(({ place }) => place?.recordVersion),
  deliveries.map(({ place }) => place?.streamSequence),
];

const ownedDeliveries = ({ tenantId, eventId, event, deliveries }: EventRecord): OwnedDelivery[] =>
  deliveries.map((delivery) => ({ ...delivery, tenantId, eventId, event }));

type HeldState = Pick<NewDelivery | Settlement, 'status' | 'outcome'>;

const isHeldUntried = ({ status, outcome }: HeldState): boolean => status === 'held' && outcome === null;
/** The receiver said that it is gone. Rare: the first one disables the subscription. */
const isHeldAfterAttempt = ({ status, outcome }: HeldState): boolean => status === 'held' && outcome !== null;

/** A claim ends when the process that holds it does not settle it. */
const queuesOfEvent = ({ tenantId, deliveries }: EventRecord): WokenQueue[] =>
  deliveries.flatMap(({ subscriptionId, dueAt, claim }) =>
    dueAt === null ? [] : [{ tenantId, subscriptionId, dueAt: claim?.until ?? dueAt }],
  );

const queueOfSettlement = ({ tenantId, subscriptionId, dueAt }: Settlement): WokenQueue[] =>
  dueAt === null ? [] : [{ tenantId, subscriptionId, dueAt }];
