import { byTenant, type NarrowTransaction, type TenantTransaction } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import { WEBHOOK_CONFIG, type WebhookConfig } from '../config.js';
import type { SubscriptionKey, WokenQueue } from '../queue/subscription-queue.repository.js';
import { isThrottled } from '../receivers/receiver.js';
import {
  type ClaimedEntry,
  type EventEntry,
  endsHead,
  type HoldEntry,
  isGone,
  type LedgerEntry,
  type NewDelivery,
  type Settlement,
} from './ledger-entry.js';

/** $1: tenant, any of them where several may be written, $2 to $26: as the function says. */
const RECORD_DELIVERIES = `SELECT record_deliveries(${Array.from({ length: 26 }, (_one, index) => `$${index + 1}`)})`;

/** $1: tenant, $2 to $12: as the function says. */
const CHANGE_LEDGER = `
  SELECT settled, dropped FROM change_ledger($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`;

/** $1: tenant, $2: subscriptions. */
const RECOUNT_HOLDS = 'SELECT recount_holds($1, $2)';

type OwnedDelivery = NewDelivery & Pick<EventEntry, 'tenantId' | 'eventId' | 'event'>;

interface Written {
  /** Ids of the settled and held deliveries; this process no longer claimed the others. */
  readonly settled: ReadonlySet<string>;
  /** Deliveries beyond the bound of their subscription's hold, which were not kept. */
  readonly dropped: number;
}

/** Runs as the narrow role, and for entries of one tenant also in its transactions. On a cluster all entries are of one. */
@Injectable()
export class LedgerWriterRepository {
  constructor(@Inject(WEBHOOK_CONFIG) private readonly config: Pick<WebhookConfig, 'heldPerSubscription'>) {}

  async write(tx: NarrowTransaction | TenantTransaction, entries: readonly LedgerEntry[]): Promise<Written> {
    // Before new deliveries, for it takes locks.
    const changing = byTenant(entries).flatMap(([tenantId, own]) => this.change(tx, tenantId, own) ?? []);
    record(
      tx,
      entries.filter((entry) => entry.kind === 'event'),
    );
    for (const [tenantId, own] of byTenant(entries)) {
      const refused = subscriptionsOf(refusedIn(own));
      if (refused.length > 0) tx.issue(RECOUNT_HOLDS, [tenantId, refused]);
    }
    const changed = await Promise.all(changing);
    return {
      settled: new Set(changed.flatMap((rows) => rows.flatMap(({ settled }) => settled))),
      dropped: changed.reduce((sum, rows) => sum + (rows[0]?.dropped ?? 0), 0),
    };
  }

  /** @returns undefined when nothing of these is to be changed */
  private change(tx: NarrowTransaction | TenantTransaction, tenantId: string, entries: readonly LedgerEntry[]) {
    const events = entries.filter((entry) => entry.kind === 'event');
    const settlements = entries.filter((entry) => entry.kind === 'settlement').sort(byId);
    const holds = entries.filter((entry) => entry.kind === 'hold').sort(byId);
    const deliveries = events.flatMap(ownedDeliveries);
    const untried = deliveries.filter(isHeldUntried);
    const refused = refusedIn(entries);
    const woken = [...events.flatMap(queuesOfEvent), ...settlements.flatMap(queueOfSettlement)];
    const areSome = [untried, settlements, holds, refused, woken].some((those) => those.length > 0);
    if (!areSome) return undefined;
    return tx.issueReturning<{ settled: string[]; dropped: number }>(CHANGE_LEDGER, [
      tenantId,
      subscriptionsOf([...untried, ...holds, ...refused]),
      ...(untried.length > 0 ? [json(events.filter(isHeldWhole).map(bodyOf)), json(untried.map(rowOf))] : [null, null]),
      this.config.heldPerSubscription,
      settlements.map(({ deliveryId }) => deliveryId),
      settlements.length > 0 ? json(settlements.map(settledRowOf)) : null,
      holds.map(({ deliveryId }) => deliveryId),
      holds.map(({ claim }) => claim),
      headsOf(settlements, holds),
      woken.map(({ subscriptionId }) => subscriptionId),
      woken.map(({ dueAt }) => dueAt),
    ]);
  }
}

function record(tx: NarrowTransaction | TenantTransaction, events: readonly EventEntry[]): void {
  const [first] = events;
  const written = events.filter((event) => !event.deliveries.every(isHeldUntried));
  if (first === undefined || written.length === 0) return;
  const deliveries = events.flatMap(ownedDeliveries).filter((delivery) => !isHeldUntried(delivery));
  const due = deliveries.filter(({ dueAt }) => dueAt !== null);
  const ordered = deliveries.filter(({ position }) => position !== null);
  const others = deliveries.filter(({ position }) => position === null);
  tx.issue(RECORD_DELIVERIES, [
    first.tenantId,
    written.map(({ tenantId }) => tenantId),
    written.map(({ eventId }) => eventId),
    written.map(({ event }) => event),
    written.map(({ body }) => body),
    written.map(({ traceparent }) => traceparent ?? null),
    ...columnsOf(others),
    due.length > 0 ? json(due.map(dueRowOf)) : null,
    ordered.length > 0 ? json(ordered.map(orderedRowOf)) : null,
  ]);
}

const columnsOf = (deliveries: readonly OwnedDelivery[]): unknown[][] => [
  deliveries.map(({ tenantId }) => tenantId),
  deliveries.map(({ id }) => id),
  deliveries.map(({ subscriptionId }) => subscriptionId),
  deliveries.map(({ eventId }) => eventId),
  deliveries.map(({ event }) => event),
  deliveries.map(({ url }) => url),
  deliveries.map(({ app }) => app?.key ?? null),
  deliveries.map(({ app }) => app?.installationId ?? null),
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
];

// Members are the columns; those that are undefined are null there.

const json = (rows: readonly object[]): string => JSON.stringify(rows);

const bodyOf = ({ tenantId, eventId, event, body, traceparent }: EventEntry) => ({
  tenant_id: tenantId,
  id: eventId,
  event,
  body,
  traceparent,
});

const rowOf = ({ tenantId, id, subscriptionId, eventId, event, url, app, position }: OwnedDelivery) => ({
  tenant_id: tenantId,
  id,
  subscription_id: subscriptionId,
  event_id: eventId,
  event,
  url,
  app_key: app?.key,
  installation_id: app?.installationId,
  record_id: position?.recordId,
  record_version: position?.recordVersion,
});

function outcomeOf(entry: Pick<Settlement, 'status' | 'attempts' | 'dueAt' | 'outcome' | 'reason'>) {
  const { status, attempts, dueAt, outcome, reason } = entry;
  const error = reason ?? outcome?.error;
  return {
    status,
    attempts,
    due_at: dueAt ?? undefined,
    attempted_at: outcome?.at,
    http_status: outcome?.httpStatus ?? undefined,
    latency_ms: outcome?.latencyMs,
    response_excerpt: outcome?.responseExcerpt ?? undefined,
    error_code: error?.code,
    error_message: error?.message,
    error_phase: outcome?.error?.phase,
  };
}

const dueRowOf = ({ tenantId, id, subscriptionId, eventId, attempts, dueAt, claim, outcome }: OwnedDelivery) => ({
  tenant_id: tenantId,
  id,
  subscription_id: subscriptionId,
  event_id: eventId,
  attempts,
  due_at: dueAt,
  claim: claim?.id,
  claimed_until: claim?.until,
  throttled: outcome && isThrottled(outcome) ? 1 : 0,
});

const orderedRowOf = (delivery: OwnedDelivery) =>
  Object.assign(rowOf(delivery), {
    status: delivery.status,
    attempts: delivery.attempts,
    stream_sequence: delivery.position?.streamSequence,
    stored_at: delivery.position?.storedAt,
  });

const settledRowOf = (settlement: Settlement) =>
  Object.assign(outcomeOf(settlement), {
    id: settlement.deliveryId,
    claim: settlement.claim,
    url: settlement.url,
    set_aside: settlement.isSetAside,
    throttled: settlement.throttled,
  });

const byId = (one: ClaimedEntry, other: ClaimedEntry): number => (one.deliveryId < other.deliveryId ? -1 : 1);

const headsOf = (settlements: readonly Settlement[], holds: readonly HoldEntry[]): string[] =>
  [...settlements.filter(endsHead), ...holds.filter(({ isHead }) => isHead)].map(({ deliveryId }) => deliveryId);

/** Deliveries whose receivers said that they are gone, so that they are held. */
const refusedIn = (entries: readonly LedgerEntry[]): SubscriptionKey[] => [
  ...entries.flatMap((entry) => (entry.kind === 'event' ? ownedDeliveries(entry).filter(isGone) : [])),
  ...entries.filter((entry) => entry.kind === 'settlement').filter(isGone),
];

const subscriptionsOf = (keys: readonly SubscriptionKey[]) => [
  ...new Set(keys.map(({ subscriptionId }) => subscriptionId)),
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
