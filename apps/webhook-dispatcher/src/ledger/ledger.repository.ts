import type { AttemptPhase, DeliveryHour, DeliveryStatus, DeliveryWait } from '@crm/contracts';
import { lowestIdOf, type TenantTransaction, type Transaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { HoldRepository } from '../queue/hold.repository.js';
import { SubscriptionQueueRepository } from '../queue/subscription-queue.repository.js';
import { PAUSED_UNTIL } from '../subscriptions/subscription.js';
import type { StatsHours, TimeRange } from './time-range.js';

/** @param tenant of a delivery, in a form that tells a cluster where its rows are @param found which deliveries, a page at most */
const withWaits = (tenant: string, found: string): string => `
  SELECT found.id, event, found.event_id AS "eventId", found.subscription_id AS "subscriptionId",
         found.installation_id AS "installationId", found.url, status, found.attempts, error_code AS "errorCode",
         error_message AS "errorMessage", http_status AS "httpStatus", latency_ms AS "latencyMs",
         found.created_at AS "createdAt", set_aside AS "isSetAside",
         CASE WHEN due.claimed_until >= now() OR status NOT IN ('pending', 'retrying') THEN NULL
              WHEN due.due_at IS NULL AND record_id IS NOT NULL THEN 'record'
              WHEN due.due_at > greatest(now(), paused_until) THEN 'retry'
              WHEN paused_until > now() THEN 'receiver'
              WHEN rate_limit IS NOT NULL AND rate_reserved_until > now() THEN 'rate_limit'
              ELSE 'slot' END AS "waitingFor",
         CASE WHEN due.claimed_until >= now() THEN NULL
              WHEN due.due_at IS NOT NULL THEN greatest(due.due_at, paused_until, now()) END AS "nextAttemptAt"
    FROM delivery AS found
    -- With limits, so that each is looked up, and only for those that wait.
    LEFT JOIN LATERAL (
      SELECT due_at, claimed_until FROM due_delivery
       WHERE tenant_id = ${tenant} AND delivery_id = found.id AND status IN ('pending', 'retrying')
       LIMIT 1) AS due ON true
    LEFT JOIN LATERAL (
      SELECT ${PAUSED_UNTIL} AS paused_until, rate_limit, rate_reserved_until FROM webhook_subscription
       WHERE tenant_id = ${tenant} AND id = found.subscription_id AND status IN ('pending', 'retrying')
       LIMIT 1) AS subscription ON true
   WHERE ${found}`;

/** Planned for their values, so that a filter that is null leaves nothing in the plan. $1: tenant or app. */
const readsOf = (owner: 'tenant_id' | 'app_key') => {
  const tenant = owner === 'tenant_id' ? '$1' : 'found.tenant_id';
  const matches = (of = '') => `${of}${owner} = $1 AND ($2::text IS NULL OR ${of}status = $2)
     AND ($3::uuid IS NULL OR ${of}subscription_id = $3) AND ($4::text IS NULL OR ${of}event = $4)
     AND ($5::text IS NULL OR ${of}error_code = $5) AND ($6::uuid IS NULL OR ${of}id >= $6) AND ($7::uuid IS NULL OR ${of}id < $7)`;
  return {
    /** $2: status, $3: subscription, $4: event, $5: error, $6: lowest id, $7: end of the ids, $8: last id before; $9: limit, $10: offset. */
    list: withWaits(
      tenant,
      `${matches('found.')}
     AND ($8::uuid IS NULL OR found.id < $8)
   ORDER BY found.id DESC LIMIT $9 OFFSET $10`,
    ),
    /** $2 to $7 as above, $8: where counting ends; null for never. */
    count: `
  SELECT count(*)::int AS count FROM (
    SELECT 1 FROM delivery
     WHERE ${matches()}
     LIMIT $8) AS matching`,
    /** $2: id. */
    find: withWaits(tenant, `found.${owner} = $1 AND found.id = $2`),
    /** The last attempt is in the row of its delivery. $2: id. */
    attempts: `
  SELECT number, attempt.at, attempt.http_status AS "httpStatus", attempt.error_code AS "errorCode",
         attempt.error_phase AS phase, attempt.latency_ms AS "latencyMs", attempt.response_excerpt AS "responseExcerpt"
    FROM delivery JOIN delivery_attempt AS attempt
      ON attempt.tenant_id = delivery.tenant_id AND attempt.delivery_id = $2
   WHERE delivery.${owner} = $1 AND id = $2
   UNION ALL
  SELECT attempts, attempted_at, http_status, error_code, error_phase, latency_ms, response_excerpt
    FROM delivery WHERE ${owner} = $1 AND id = $2 AND attempted_at IS NOT NULL
   ORDER BY number`,
    /** $2: subscription; null for any, $3: lowest id, $4: end of the ids, $5: lowest ids of the hours, $6: rows to read. */
    countByHour: `
  SELECT hour, count(*)::int AS deliveries,
         (count(*) FILTER (WHERE status = 'delivered'))::int AS delivered,
         (count(*) FILTER (WHERE status IN ('failed', 'blocked')))::int AS failed,
         sum(attempts)::int AS attempts,
         percentile_disc(ARRAY[0.5, 0.95, 0.99]) WITHIN GROUP (ORDER BY latency_ms) AS percentiles
    FROM (SELECT width_bucket(id, $5::uuid[]) AS hour, status, attempts, latency_ms FROM delivery
           WHERE ${owner} = $1 AND ($2::uuid IS NULL OR subscription_id = $2) AND id >= $3 AND id < $4
           ORDER BY id LIMIT $6) AS counted
   GROUP BY hour`,
  };
};

export const TENANT_LEDGER = readsOf('tenant_id');
export const APP_LEDGER = readsOf('app_key');

/** $1: tenant, $2: ids. */
export const FIND_KNOWN_DELIVERY = `
  SELECT 1 AS known FROM delivery WHERE tenant_id = $1 AND id = ANY ($2::uuid[]) LIMIT 1`;

/** $1: tenant, $2: id. */
const REDELIVER = 'SELECT redeliver($1, $2) AS before';

/** A tenant sees its deliveries, the developer of an app those of the app in every tenant. */
export type LedgerOwner = { readonly tenantId: string } | { readonly appKey: string };

export interface Delivery {
  readonly id: string;
  readonly event: string;
  readonly eventId: string;
  readonly subscriptionId: string;
  readonly installationId: string | null;
  readonly url: string;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly lastError: { code: string; message: string; httpStatus?: number } | null;
  readonly latencyMs: number | null;
  readonly createdAt: Date;
  /** When it may be attempted, now at the earliest; null for one that has ended, is in an attempt or waits for an earlier one. */
  readonly nextAttemptAt: Date | null;
  /** Null for one that has ended or is in an attempt. */
  readonly waitingFor: DeliveryWait | null;
  /** Ended after its third failed attempt, so that later ones of its record went on. */
  readonly isSetAside: boolean;
}

type DeliveryRow = Omit<Delivery, 'lastError'> & {
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  readonly httpStatus: number | null;
};

export interface Attempt {
  readonly number: number;
  readonly at: Date;
  readonly httpStatus: number | null;
  readonly errorCode: string | null;
  /** Where it failed; null when the receiver answered. */
  readonly phase: AttemptPhase | null;
  readonly latencyMs: number;
  readonly responseExcerpt: string | null;
}

/** Null for any. */
export interface DeliveryFilter {
  readonly status: DeliveryStatus | null;
  readonly subscriptionId: string | null;
  readonly event: string | null;
  /** Code of the last attempt's error. */
  readonly errorCode: string | null;
  readonly time: TimeRange;
}

export interface LedgerPage {
  readonly after: string | undefined;
  readonly limit: number;
  readonly offset: number;
  /** Null for no limit, 0 for no count. */
  readonly countLimit: number | null;
}

export type HourStats = Omit<DeliveryHour, 'at'> & { readonly at: Date };

interface HourRow extends Omit<HourStats, 'at' | 'latencyMs'> {
  readonly hour: number;
  readonly percentiles: readonly [number, number, number] | null;
}

/** Reads of an app need transactions that plan statements for their values. */
@Injectable()
export class LedgerRepository {
  constructor(
    private readonly queues: SubscriptionQueueRepository,
    private readonly holds: HoldRepository,
  ) {}

  /** Newest first, and how many there are, counted no further than `countLimit`. */
  async page(
    tx: Transaction,
    owner: LedgerOwner,
    { status, subscriptionId, event, errorCode, time }: DeliveryFilter,
    { after, limit, offset, countLimit }: LedgerPage,
  ): Promise<[Delivery[], number]> {
    // The id of a delivery has the time of its event.
    const [lowest, end] = [time.fromMs, time.toMs].map((ms) => (ms === null ? null : lowestIdOf(ms)));
    const matching = [idOf(owner), status, subscriptionId, event, errorCode, lowest, end];
    const [rows, [counted]] = await Promise.all([
      tx.query<DeliveryRow>(readsFor(owner).list, [...matching, after, limit, offset]),
      countLimit === 0 ? [] : tx.query<{ count: number }>(readsFor(owner).count, [...matching, countLimit]),
    ]);
    return [rows.map(toDelivery), counted?.count ?? 0];
  }

  async find(tx: Transaction, owner: LedgerOwner, id: string): Promise<Delivery | null> {
    const [row] = await tx.query<DeliveryRow>(readsFor(owner).find, [idOf(owner), id]);
    return row ? toDelivery(row) : null;
  }

  listAttempts(tx: Transaction, owner: LedgerOwner, id: string): Promise<Attempt[]> {
    return tx.query<Attempt>(readsFor(owner).attempts, [idOf(owner), id]);
  }

  /** Oldest hour first; null when there are more than `most` deliveries. @param subscriptionId null for all */
  async countByHour(
    tx: Transaction,
    owner: LedgerOwner,
    subscriptionId: string | null,
    { fromMs, toMs, hoursMs }: StatsHours,
    most: number,
  ): Promise<HourStats[] | null> {
    const ids = [lowestIdOf(fromMs), lowestIdOf(toMs), hoursMs.map(lowestIdOf)];
    const parameters = [idOf(owner), subscriptionId, ...ids, most + 1];
    const rows = await tx.query<HourRow>(readsFor(owner).countByHour, parameters);
    if (rows.reduce((sum, { deliveries }) => sum + deliveries, 0) > most) return null;
    const byHour = new Map(rows.map((row) => [row.hour, row]));
    return hoursMs.map((ms, index) => toStats(new Date(ms), byHour.get(index + 1)));
  }

  /** Returns whether the ledger has any of these deliveries; those of an event are written together. */
  async hasAny(tx: TenantTransaction, ids: readonly string[]): Promise<boolean> {
    return (await tx.queryPrepared(FIND_KNOWN_DELIVERY, [tx.tenantId, ids])).length > 0;
  }

  /** @returns false when its event is no longer kept, or it waits for an earlier one */
  async redeliver(tx: TenantTransaction, { id, subscriptionId }: Delivery): Promise<boolean> {
    this.holds.lock(tx, { tenantId: tx.tenantId, subscriptionId });
    const [row] = await tx.query<{ before: string | null }>(REDELIVER, [tx.tenantId, id]);
    if (!row?.before) return false;
    if (row.before === 'held') this.holds.reduce(tx, subscriptionId, 1);
    this.queues.wake(tx, [{ subscriptionId, dueAt: null }]);
    return true;
  }
}

const readsFor = (owner: LedgerOwner) => ('appKey' in owner ? APP_LEDGER : TENANT_LEDGER);
const idOf = (owner: LedgerOwner): string => ('appKey' in owner ? owner.appKey : owner.tenantId);

/** The HTTP status belongs to the error only if there is one. */
const toDelivery = ({ errorCode, errorMessage, httpStatus, ...delivery }: DeliveryRow): Delivery => ({
  ...delivery,
  lastError:
    errorCode === null
      ? null
      : { code: errorCode, message: errorMessage ?? '', ...(httpStatus === null ? {} : { httpStatus }) },
});

function toStats(at: Date, row: HourRow | undefined): HourStats {
  if (row === undefined) return { at, deliveries: 0, delivered: 0, failed: 0, attempts: 0, latencyMs: null };
  const { hour: _, percentiles, ...counts } = row;
  if (percentiles === null) return { at, ...counts, latencyMs: null };
  const [p50, p95, p99] = percentiles;
  return { at, ...counts, latencyMs: { p50, p95, p99 } };
}
