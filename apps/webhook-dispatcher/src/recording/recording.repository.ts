import type { NarrowTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { SubscriptionQueueRepository, type WokenQueue } from '../subscription-queue/subscription-queue.repository.js';
import {
  INSERT_DUE_DELIVERIES,
  INSERT_ENDED_DELIVERIES,
  INSERT_EVENT_BODIES,
  SETTLE_DELIVERIES,
} from './recording.sql.js';
import type { EventRecord, LedgerRecord, NewDelivery, Settlement } from './records.js';

type OwnedDelivery = NewDelivery & Pick<EventRecord, 'tenantId' | 'eventId' | 'event'>;

/** Writes what became of events and claimed deliveries of many tenants, as the narrow role, in few statements. */
@Injectable()
export class RecordingRepository {
  constructor(private readonly queues: SubscriptionQueueRepository) {}

  /** @returns ids of the settled deliveries; the others were no longer claimed by this process */
  async write(tx: NarrowTransaction, records: readonly LedgerRecord[]): Promise<ReadonlySet<string>> {
    const events = records.filter((record) => record.kind === 'event');
    const settlements = records.filter((record) => record.kind === 'settlement');
    this.insertEvents(tx, events);
    const settled = settlements.length > 0 ? this.settle(tx, settlements) : Promise.resolve([]);
    const woken = [...events.flatMap(queuesOfEvent), ...settlements.flatMap(queueOfSettlement)];
    if (woken.length > 0) this.queues.wake(tx, woken);
    return new Set((await settled).map(({ id }) => id));
  }

  private insertEvents(tx: NarrowTransaction, events: readonly EventRecord[]): void {
    if (events.length === 0) return;
    tx.issue(INSERT_EVENT_BODIES, [
      events.map(({ tenantId }) => tenantId),
      events.map(({ eventId }) => eventId),
      events.map(({ event }) => event),
      events.map(({ body }) => body),
    ]);
    const deliveries = events.flatMap(({ tenantId, eventId, event, deliveries: made }) =>
      made.map((delivery): OwnedDelivery => ({ ...delivery, tenantId, eventId, event })),
    );
    const ended = deliveries.filter(({ dueAt }) => dueAt === null);
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

/** A claim ends when the process that holds it does not settle it. */
const queuesOfEvent = ({ tenantId, deliveries }: EventRecord): WokenQueue[] =>
  deliveries.flatMap(({ subscriptionId, dueAt, claim }) =>
    dueAt === null ? [] : [{ tenantId, subscriptionId, dueAt: claim?.until ?? dueAt }],
  );

const queueOfSettlement = ({ tenantId, subscriptionId, dueAt }: Settlement): WokenQueue[] =>
  dueAt === null ? [] : [{ tenantId, subscriptionId, dueAt }];
