import type { NarrowTransaction, TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { DeliveryOrderRepository } from '../queue/delivery-order.repository.js';
import { HoldRepository } from '../queue/hold.repository.js';
import {
  type SubscriptionKey,
  SubscriptionQueueRepository,
  type WokenQueue,
} from '../queue/subscription-queue.repository.js';
import { isThrottled } from '../receivers/receiver.js';
import {
  type EventEntry,
  endsHead,
  isGone,
  type LedgerEntry,
  type NewDelivery,
  type Settlement,
} from './ledger-entry.js';

// Rows of many tenants; parameters are arrays of equal length.

/** $1: tenants, $2: ids, $3: names, $4: bodies, $5: traceparents of those that are traced. */
export const INSERT_EVENT_BODIES = `
  INSERT INTO event_body (tenant_id, id, event, body, traceparent)
  SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[])
  ON CONFLICT DO NOTHING`;

const DELIVERY_COLUMNS = `tenant_id, id, subscription_id, event_id, event, url, status, attempts, next_attempt_at, attempted_at,
       http_status, latency_ms, response_excerpt, error_code, error_message, error_phase, app_key,
       installation_id`;

/** $1 to $18 are DELIVERY_COLUMNS, of the last attempt and its error those from $10 to $16. */
const givenDeliveries = (...more: string[]): string =>
  `unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::text[], $8::int[],
         $9::timestamptz[], $10::timestamptz[], $11::int[], $12::int[], $13::text[], $14::text[], $15::text[],
         ${['$16::text[]', '$17::text[]', '$18::uuid[]', ...more].join(', ')})`;

/** Most have ended with their first attempt. None is written twice. */
export const INSERT_ENDED_DELIVERIES = `
  INSERT INTO delivery (${DELIVERY_COLUMNS})
  SELECT * FROM ${givenDeliveries()}
  ON CONFLICT DO NOTHING`;

/** $1 to $18 as above, $19: claims, $20: when they expire, $21: attempts that do not count. */
export const INSERT_DUE_DELIVERIES = `
  WITH given AS MATERIALIZED (
    SELECT * FROM ${givenDeliveries('$19::uuid[]', '$20::timestamptz[]', '$21::int[]')}
      AS given (${DELIVERY_COLUMNS}, claim, claimed_until, throttled)),
  inserted AS (
    INSERT INTO delivery (${DELIVERY_COLUMNS})
    SELECT ${DELIVERY_COLUMNS} FROM given
    ON CONFLICT DO NOTHING RETURNING tenant_id, id)
  INSERT INTO due_delivery
    (tenant_id, delivery_id, subscription_id, event_id, attempts, is_retry, due_at, claim, claimed_until, throttled)
  SELECT tenant_id, id, subscription_id, event_id, attempts, attempts > 0, next_attempt_at, claim, claimed_until, throttled
    FROM given JOIN inserted USING (tenant_id, id)`;

/** $1 to $18 as above, $19: records, $20: their versions, $21, $22: places in the stream, and when it stored the events. */
export const INSERT_ORDERED_DELIVERIES = `
  WITH given AS MATERIALIZED (
    SELECT * FROM ${givenDeliveries('$19::text[]', '$20::bigint[]', '$21::bigint[]', '$22::timestamptz[]')}
      AS given (${DELIVERY_COLUMNS}, record_id, record_version, stream_sequence, stored_at)),
  inserted AS (
    INSERT INTO delivery (${DELIVERY_COLUMNS}, record_id, record_version)
    SELECT ${DELIVERY_COLUMNS}, record_id, record_version FROM given
    ON CONFLICT DO NOTHING RETURNING tenant_id, id)
  INSERT INTO ordered_delivery
    (tenant_id, delivery_id, subscription_id, record_id, record_version, event_id, attempts, stream_sequence, stored_at, state)
  SELECT tenant_id, id, subscription_id, record_id, record_version, event_id, attempts, stream_sequence, stored_at, 'new'
    FROM given JOIN inserted USING (tenant_id, id)`;

/**
 * What this process no longer claims stays as it is. The attempt before moves from the row of the delivery to the log.
 * $1 to $16 are the columns of `given`, $17, $18: lowest and highest id, which exclude partitions of other days.
 */
export const SETTLE_DELIVERIES = `
  WITH given AS MATERIALIZED (
    SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::int[], $7::timestamptz[],
                         $8::timestamptz[], $9::int[], $10::int[], $11::text[], $12::text[], $13::text[], $14::text[],
                         $15::boolean[], $16::int[])
      AS given (tenant_id, id, claim, url, status, attempts, due_at, at, http_status, latency_ms, excerpt, code, message,
                phase, set_aside, throttled)),
  ended AS (
    DELETE FROM due_delivery AS due USING given
     WHERE due.tenant_id = given.tenant_id AND due.delivery_id = given.id AND due.claim = given.claim
       AND given.due_at IS NULL
    RETURNING due.tenant_id, due.delivery_id AS id),
  postponed AS (
    UPDATE due_delivery AS due
       SET due_at = given.due_at, attempts = given.attempts, throttled = given.throttled, is_retry = true,
           claim = NULL, claimed_until = NULL
      FROM given
     WHERE due.tenant_id = given.tenant_id AND due.delivery_id = given.id AND due.claim = given.claim
       AND given.due_at IS NOT NULL
    RETURNING due.tenant_id, due.delivery_id AS id),
  ours AS MATERIALIZED (
    SELECT given.* FROM given
      JOIN (SELECT * FROM ended UNION ALL SELECT * FROM postponed) AS held USING (tenant_id, id)),
  logged AS (
    INSERT INTO delivery_attempt
      (tenant_id, delivery_id, number, at, http_status, error_code, error_message, error_phase, latency_ms,
       response_excerpt)
    SELECT tenant_id, id, before.attempts, before.attempted_at, before.http_status, before.error_code,
           before.error_message, before.error_phase, before.latency_ms, before.response_excerpt
      FROM ours JOIN delivery AS before USING (tenant_id, id)
     WHERE before.id BETWEEN $17 AND $18 AND before.attempted_at IS NOT NULL
    ON CONFLICT DO NOTHING),
  recorded AS (
    UPDATE delivery
       SET status = ours.status, attempts = ours.attempts, next_attempt_at = ours.due_at, url = coalesce(ours.url, delivery.url),
           error_code = ours.code, error_message = ours.message, error_phase = ours.phase, http_status = ours.http_status,
           attempted_at = ours.at, latency_ms = ours.latency_ms, response_excerpt = ours.excerpt, set_aside = ours.set_aside
      FROM ours
     WHERE delivery.tenant_id = ours.tenant_id AND delivery.id = ours.id AND delivery.id BETWEEN $17 AND $18)
  -- Includes those whose row was dropped with its partition: they have ended as well.
  SELECT id FROM ours`;

type OwnedDelivery = NewDelivery & Pick<EventEntry, 'tenantId' | 'eventId' | 'event'>;

interface Written {
  /** Ids of the settled and held deliveries; this process no longer claimed the others. */
  readonly settled: ReadonlySet<string>;
  /** Deliveries beyond the bound of their subscription's hold, which were not kept. */
  readonly dropped: number;
}

/** Runs as the narrow role, and for entries of one tenant also in its transactions. */
@Injectable()
export class LedgerWriterRepository {
  constructor(
    private readonly queues: SubscriptionQueueRepository,
    private readonly order: DeliveryOrderRepository,
    private readonly holding: HoldRepository,
  ) {}

  async write(tx: NarrowTransaction | TenantTransaction, entries: readonly LedgerEntry[]): Promise<Written> {
    const events = entries.filter((entry) => entry.kind === 'event');
    const settlements = entries.filter((entry) => entry.kind === 'settlement');
    const holds = entries.filter((entry) => entry.kind === 'hold');
    const deliveries = events.flatMap(ownedDeliveries);
    const untried = deliveries.filter(isHeldUntried);
    const refused: SubscriptionKey[] = [...deliveries.filter(isGone), ...settlements.filter(isGone)];
    const locked = [...untried, ...holds, ...refused];
    // First, so that no two transactions wait for each other.
    if (locked.length > 0) this.holding.lock(tx, locked);
    this.insertEvents(
      tx,
      events.filter((event) => !event.deliveries.every(isHeldUntried)),
      deliveries.filter((delivery) => !isHeldUntried(delivery)),
    );
    const dropped = untried.length > 0 ? this.holding.insert(tx, untried, events.filter(isHeldWhole)) : 0;
    const settled = settlements.length > 0 ? this.settle(tx, settlements) : [];
    const held = holds.length > 0 ? this.holding.holdClaimed(tx, holds) : [];
    if (refused.length > 0) this.holding.recount(tx, refused);
    const woken = [...events.flatMap(queuesOfEvent), ...settlements.flatMap(queueOfSettlement)];
    if (woken.length > 0) this.queues.wake(tx, woken);
    const [settledRows, heldRows, droppedCount] = await Promise.all([settled, held, dropped]);
    const ids = new Set([...settledRows, ...heldRows].map(({ id }) => id));
    const heads = [...settlements.filter(endsHead), ...holds.filter(({ isHead }) => isHead)];
    const ended = heads.filter(({ deliveryId }) => ids.has(deliveryId));
    if (ended.length > 0) this.order.endHeads(tx, ended);
    return { settled: ids, dropped: droppedCount };
  }

  private insertEvents(
    tx: NarrowTransaction | TenantTransaction,
    events: readonly EventEntry[],
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
    const ordered = deliveries.filter(({ position }) => position !== null);
    if (ordered.length > 0) tx.issue(INSERT_ORDERED_DELIVERIES, [...columnsOf(ordered), ...positionsOf(ordered)]);
    const ended = deliveries.filter(({ dueAt, position }) => dueAt === null && position === null);
    if (ended.length > 0) tx.issue(INSERT_ENDED_DELIVERIES, columnsOf(ended));
    const due = deliveries.filter(({ dueAt }) => dueAt !== null);
    if (due.length > 0) {
      const claims = [due.map(({ claim }) => claim?.id ?? null), due.map(({ claim }) => claim?.until ?? null)];
      const throttled = due.map(({ outcome }) => (outcome && isThrottled(outcome) ? 1 : 0));
      tx.issue(INSERT_DUE_DELIVERIES, [...columnsOf(due), ...claims, throttled]);
    }
  }

  private settle(
    tx: NarrowTransaction | TenantTransaction,
    settlements: readonly Settlement[],
  ): Promise<{ id: string }[]> {
    const ids = settlements.map(({ deliveryId }) => deliveryId).sort();
    return tx.queryPrepared<{ id: string }>(SETTLE_DELIVERIES, [
      settlements.map(({ tenantId }) => tenantId),
      settlements.map(({ deliveryId }) => deliveryId),
      settlements.map(({ claim }) => claim),
      settlements.map(({ url }) => url),
      settlements.map(({ status }) => status),
      settlements.map(({ attempts }) => attempts),
      settlements.map(({ dueAt }) => dueAt),
      ...attemptColumnsOf(settlements),
      settlements.map(({ isSetAside }) => isSetAside),
      settlements.map(({ throttled }) => throttled),
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
  ...attemptColumnsOf(deliveries),
  deliveries.map(({ app }) => app?.key ?? null),
  deliveries.map(({ app }) => app?.installationId ?? null),
];

const attemptColumnsOf = (entries: readonly Pick<Settlement, 'outcome' | 'reason'>[]): unknown[][] => [
  entries.map(({ outcome }) => outcome?.at ?? null),
  entries.map(({ outcome }) => outcome?.httpStatus ?? null),
  entries.map(({ outcome }) => outcome?.latencyMs ?? null),
  entries.map(({ outcome }) => outcome?.responseExcerpt ?? null),
  entries.map(({ outcome, reason }) => (reason ?? outcome?.error)?.code ?? null),
  entries.map(({ outcome, reason }) => (reason ?? outcome?.error)?.message ?? null),
  entries.map(({ outcome }) => outcome?.error?.phase ?? null),
];

const positionsOf = (deliveries: readonly OwnedDelivery[]): unknown[][] => [
  deliveries.map(({ position }) => position?.recordId),
  deliveries.map(({ position }) => position?.recordVersion),
  deliveries.map(({ position }) => position?.streamSequence),
  deliveries.map(({ position }) => position?.storedAt),
];

const ownedDeliveries = ({ tenantId, eventId, event, deliveries }: EventEntry): OwnedDelivery[] =>
  deliveries.map((delivery) => ({ ...delivery, tenantId, eventId, event }));

type HeldState = Pick<NewDelivery | Settlement, 'status' | 'outcome'>;

const isHeldUntried = ({ status, outcome }: HeldState): boolean => status === 'held' && outcome === null;
const isHeldWhole = ({ deliveries }: EventEntry): boolean => deliveries.length > 0 && deliveries.every(isHeldUntried);

/** A claim ends when the process that holds it does not settle it. */
const queuesOfEvent = ({ tenantId, deliveries }: EventEntry): WokenQueue[] =>
  deliveries.flatMap(({ subscriptionId, dueAt, claim }) =>
    dueAt === null ? [] : [{ tenantId, subscriptionId, dueAt: claim?.until ?? dueAt }],
  );

const queueOfSettlement = ({ tenantId, subscriptionId, dueAt }: Settlement): WokenQueue[] =>
  dueAt === null ? [] : [{ tenantId, subscriptionId, dueAt }];
