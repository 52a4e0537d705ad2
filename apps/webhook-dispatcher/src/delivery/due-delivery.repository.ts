import { byTenant, type Capacity, Database, type ReadOfEveryTenant } from '@crm/database';
import { Injectable } from '@nestjs/common';
import type { SubscriptionKey } from '../queue/subscription-queue.repository.js';

/**
 * And how many of each may be claimed. $1, $2: subscriptions and tenants to leave out, $3: queues, $4: deliveries per subscription,
 * $5, $6: subscriptions with a lower limit, and the limit.
 */
export const findDueQueues: ReadOfEveryTenant = (table) => `
  SELECT queue.tenant_id AS "tenantId", queue.subscription_id AS "subscriptionId", queue.due_at AS "dueAt", due.count
    FROM (SELECT tenant_id, subscription_id, due_at, coalesce(narrowed.most, $4) AS most
            FROM (SELECT tenant_id, subscription_id, due_at FROM ${table('subscription_queue')}
                   WHERE due_at <= now() AND subscription_id <> ALL ($1::uuid[]) AND tenant_id <> ALL ($2::uuid[])
                   ORDER BY due_at LIMIT $3) AS next
            LEFT JOIN unnest($5::uuid[], $6::int[]) AS narrowed (subscription_id, most) USING (subscription_id)) AS queue
   CROSS JOIN LATERAL (
     SELECT count(*)::int AS count
       FROM (SELECT 1 FROM ${table('due_delivery')}
              WHERE tenant_id = queue.tenant_id AND subscription_id = queue.subscription_id
                AND due_at <= now() AND (claimed_until IS NULL OR claimed_until < now())
              LIMIT queue.most) AS few) AS due`;

/** $1: tenant, $2: claim, $3: subscriptions, $4: limit of each, $5: milliseconds until the claim expires. */
const CLAIM_DELIVERIES = `
  SELECT tenant_id AS "tenantId", subscription_id AS "subscriptionId", id, event_id AS "eventId", attempts, throttled,
         is_head AS "isHead", version, app_key AS "appKey", body, traceparent
    FROM claim_deliveries($1, $2, $3, $4, $5)`;

/** The secret of an app is the same in every tenant. $1: keys. */
const FIND_SECRET_VERSIONS = 'SELECT app_key AS "appKey", version FROM app_secret WHERE app_key = ANY ($1::text[])';

/** $1: tenant, $2, $3, $4: ids, claims and subscriptions of the deliveries. */
const RELEASE_DELIVERIES = 'SELECT release_deliveries($1, $2, $3, $4)';

/** Counts in the 500 longest due queues, 1,000 first attempts and retries of each. $1: tenants to leave out. */
export const measureDueDeliveries: ReadOfEveryTenant = (table) => `
  SELECT count(*)::int AS items, extract(epoch FROM now() - min(due.due_at))::float8 AS "oldestSeconds"
    FROM (SELECT tenant_id, subscription_id FROM ${table('subscription_queue')}
           WHERE due_at <= now() AND tenant_id <> ALL ($1::uuid[]) ORDER BY due_at LIMIT 500) AS queue
   CROSS JOIN (VALUES (false), (true)) AS kind (is_retry)
   CROSS JOIN LATERAL (
     SELECT due_at FROM ${table('due_delivery')}
      WHERE tenant_id = queue.tenant_id AND subscription_id = queue.subscription_id AND is_retry = kind.is_retry
        AND due_at <= now() AND (claimed_until IS NULL OR claimed_until < now())
      ORDER BY due_at LIMIT 1000) AS due`;

/** Queues that one claim looks into; also bounds those that turn out to be empty. */
const QUEUES_AT_A_TIME = 100;

export interface ClaimLimits extends Capacity {
  readonly perSubscription: number;
  /** Lower limits of some subscriptions; 0 leaves one out. */
  readonly bySubscription: ReadonlyMap<string, number>;
}

export interface ClaimedDelivery extends SubscriptionKey {
  readonly id: string;
  readonly eventId: string;
  readonly attempts: number;
  /** How many of them do not count. */
  readonly throttled: number;
  /** Version of the subscription when it was claimed; null when it was deleted. */
  readonly version: number | null;
  /** True when it is the head of a partition, for which later deliveries of its record wait. */
  readonly isHead: boolean;
  /** Null when it is no longer kept. */
  readonly body: string | null;
  /** Null when its event is not traced. */
  readonly traceparent: string | null;
  /** A delivery that another process has claimed in the meantime is not changed. */
  readonly claim: string;
}

export interface ClaimedDeliveries {
  readonly deliveries: ClaimedDelivery[];
  readonly isCut: boolean;
}

export interface DueQueue extends SubscriptionKey {
  readonly dueAt: Date;
  readonly count: number;
}

/** Leaves out queues, and deliveries of others, that may not begin now: what is claimed and released again costs writes. */
export type AdmitQueues = (queues: readonly DueQueue[]) => Promise<readonly DueQueue[]>;

type ClaimRow = Omit<ClaimedDelivery, 'claim'> & { readonly appKey: string | null };

/** Deliveries of each tenant are claimed and released by a function of that tenant. */
@Injectable()
export class DueDeliveryRepository {
  constructor(private readonly database: Database) {}

  /**
   * Reads no more than the limits, however much waits.
   * @param claimMs milliseconds until the claim expires; longer than an attempt may take
   */
  async claim(
    claim: string,
    limits: ClaimLimits,
    claimMs: number,
    admit: AdmitQueues = async (queues) => queues,
  ): Promise<ClaimedDeliveries> {
    const { everyTenant } = this.database;
    const closed = [...limits.bySubscription].filter(([, most]) => most === 0).map(([id]) => id);
    const found = await everyTenant.read<DueQueue>(findDueQueues, [
      closed,
      limits.fullTenants,
      QUEUES_AT_A_TIME,
      limits.perSubscription,
      [...limits.bySubscription.keys()],
      [...limits.bySubscription.values()],
    ]);
    const queues = found.sort((one, other) => one.dueAt.getTime() - other.dueAt.getTime()).slice(0, QUEUES_AT_A_TIME);
    const { chosen, isFull } = shareOut(await admit(queues), limits.slots);
    const calls = byTenant(chosen).map(([tenantId, own]) => [
      tenantId,
      claim,
      own.map(({ subscriptionId }) => subscriptionId),
      own.map(({ count }) => count),
      claimMs,
    ]);
    const rows = await everyTenant.call<ClaimRow>(CLAIM_DELIVERIES, calls);
    const deliveries = withBodies(await this.versionsOrRelease(rows, claim)).map((row) => ({ ...row, claim }));
    return { deliveries, isCut: isFull || queues.length === QUEUES_AT_A_TIME };
  }

  async release(
    claimed: readonly Pick<ClaimedDelivery, 'tenantId' | 'id' | 'claim' | 'subscriptionId'>[],
  ): Promise<void> {
    const calls = byTenant(claimed).map(([tenantId, own]) => [
      tenantId,
      own.map(({ id }) => id),
      own.map(({ claim }) => claim),
      own.map(({ subscriptionId }) => subscriptionId),
    ]);
    await this.database.everyTenant.call(RELEASE_DELIVERIES, calls);
  }

  /** The claims are committed: others would wait until they expire. */
  private async versionsOrRelease(rows: readonly ClaimRow[], claim: string): Promise<Omit<ClaimedDelivery, 'claim'>[]> {
    try {
      return await this.withSecretVersions(rows);
    } catch (error) {
      await this.release(rows.map((row) => ({ ...row, claim })));
      throw error;
    }
  }

  private async withSecretVersions(rows: readonly ClaimRow[]): Promise<Omit<ClaimedDelivery, 'claim'>[]> {
    const appKeys = [...new Set(rows.flatMap(({ appKey }) => appKey ?? []))];
    type Version = { appKey: string; version: number };
    const found =
      appKeys.length > 0 ? await this.database.crossTenantStatement<Version>(FIND_SECRET_VERSIONS, [appKeys]) : [];
    const versions = new Map(found.map(({ appKey, version }) => [appKey, version]));
    return rows.map(({ appKey, version, ...row }) => ({
      ...row,
      version: version === null ? null : version + (versions.get(appKey ?? '') ?? 0),
    }));
  }
}

/** Those that have been due longest, until there are no more slots. The queues behind them keep their position. */
function shareOut(queues: readonly DueQueue[], slots: number) {
  const chosen: DueQueue[] = [];
  let left = slots;
  for (const queue of queues) {
    if (left <= 0) break;
    const count = Math.min(left, queue.count);
    chosen.push({ ...queue, count });
    left -= count;
  }
  return { chosen, isFull: left <= 0 };
}

/** The body of an event comes once, however many of its deliveries are claimed. */
function withBodies<Row extends Pick<ClaimedDelivery, 'eventId' | 'body'>>(rows: readonly Row[]): Row[] {
  const bodies = new Map(rows.flatMap(({ eventId, body }) => (body === null ? [] : [[eventId, body] as const])));
  return rows.map((row) => ({ ...row, body: bodies.get(row.eventId) ?? null }));
}
