import type { TenantTransaction } from '@crm/database';
import type { ListPage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { IsNull, MoreThan } from 'typeorm';
import { Subscription } from './subscription.entity.js';

// These statements run for each event or for each attempt; all others are TypeORM's. $1 is the tenant.

/**
 * Counts again from the beginning when the last failure is too long ago. $2: id, $3: when the attempt was made, $4: how many
 * milliseconds are too long.
 */
const MARK_FAILING = `
  UPDATE webhook_subscription AS known
     SET failing_since = CASE WHEN before.goes_on THEN known.failing_since ELSE $3::timestamptz END,
         failing_hours = CASE WHEN before.goes_on THEN known.failing_hours + before.is_new_hour::int ELSE 1 END,
         failed_at = greatest(known.failed_at, $3::timestamptz)
    FROM (SELECT id, coalesce(failed_at > $3::timestamptz - $4 * interval '1 millisecond', false) AS goes_on,
                 coalesce(date_trunc('hour', $3::timestamptz, 'UTC') > date_trunc('hour', failed_at, 'UTC'), true) AS is_new_hour
            FROM webhook_subscription WHERE tenant_id = $1 AND id = $2 FOR UPDATE) AS before
   WHERE known.tenant_id = $1 AND known.id = $2
  RETURNING known.failing_since AS "failingSince", known.failed_at AS "failedAt", known.failing_hours AS "failingHours"`;

/** $2: id. */
const MARK_HEALTHY = `
  UPDATE webhook_subscription SET failing_since = NULL, failed_at = NULL, failing_hours = 0
   WHERE tenant_id = $1 AND id = $2 AND failing_since IS NOT NULL`;

/**
 * $2: id, $3: milliseconds of its rate that are reserved, $4: how many milliseconds ahead of now the reserved may begin.
 * No row when the turns until then are others' already.
 */
export const RESERVE_PERMITS = `
  UPDATE webhook_subscription
     SET rate_reserved_until = greatest(rate_reserved_until, now()) + $3 * interval '1 millisecond'
   WHERE tenant_id = $1 AND id = $2
     AND coalesce(rate_reserved_until <= now() + $4 * interval '1 millisecond', true)
  RETURNING (extract(epoch FROM rate_reserved_until - now()) * 1000)::float8 - $3 AS "beginsInMs"`;

/** A lock that TypeORM has no words for: of what does not exist yet. $1: the tenant. */
const LOCK_SUBSCRIPTIONS = `
  SELECT pg_advisory_xact_lock(hashtextextended('webhook_subscriptions:' || $1::text, 0))`;

export type NewSubscription = Pick<
  Subscription,
  | 'id'
  | 'installationId'
  | 'appKey'
  | 'url'
  | 'events'
  | 'description'
  | 'filter'
  | 'rateLimit'
  | 'ordering'
  | 'onStall'
  | 'publicKey'
  | 'sealedHeaders'
  | 'secret'
  | 'createdBy'
>;

/** What a tenant sees of a subscription; of its headers the names. */
export type SubscriptionSummary = Pick<
  Subscription,
  | 'id'
  | 'installationId'
  | 'appKey'
  | 'url'
  | 'events'
  | 'description'
  | 'filter'
  | 'rateLimit'
  | 'ordering'
  | 'onStall'
  | 'enabled'
  | 'disabledReason'
  | 'publicKey'
  | 'sealedHeaders'
  | 'createdAt'
>;

/** A series of failed attempts without a success. */
export interface Failures {
  /** Null when the last attempt succeeded. */
  readonly failingSince: Date | null;
  /** A failure in the last hour that had one. */
  readonly failedAt: Date | null;
  /** How many hours had failures. */
  readonly failingHours: number;
}

/** Processes may reserve turns that begin this many milliseconds ahead: one that reserves and dies delays others no longer. */
const RESERVED_AHEAD_MS = 1_000;

@Injectable()
export class SubscriptionRepository {
  async insert(tx: TenantTransaction, subscriptions: readonly NewSubscription[]): Promise<SubscriptionSummary[]> {
    const { generatedMaps } = await tx
      .repository(Subscription)
      .createQueryBuilder()
      .insert()
      .values(subscriptions.map((subscription) => ({ ...subscription })))
      .returning(['createdAt'])
      .execute();
    return subscriptions.map(({ secret: _sealed, ...subscription }, index) => {
      const createdAt: Date = generatedMaps[index]?.createdAt;
      return { ...subscription, enabled: true, disabledReason: null, createdAt };
    });
  }

  /** In the order in which they were created. */
  async page(tx: TenantTransaction, page: ListPage): Promise<Subscription[]> {
    return tx.repository(Subscription).find({
      where: { tenantId: tx.tenantId, ...(page.after && { id: MoreThan(page.after.id) }) },
      order: { id: 'ASC' },
      take: page.limit,
      skip: page.offset,
    });
  }

  /** How many the tenant has; the service bounds this number. */
  async count(tx: TenantTransaction): Promise<number> {
    return tx.repository(Subscription).countBy({ tenantId: tx.tenantId });
  }

  /** @returns null when there is none */
  async find(tx: TenantTransaction, id: string): Promise<Subscription | null> {
    return tx.repository(Subscription).findOneBy({ tenantId: tx.tenantId, id });
  }

  /** Like find, and holds the row until the transaction ends. */
  async lock(tx: TenantTransaction, id: string): Promise<Subscription | null> {
    return tx
      .repository(Subscription)
      .findOne({ where: { tenantId: tx.tenantId, id }, lock: { mode: 'pessimistic_write' } });
  }

  async listByInstallation(tx: TenantTransaction, installationId: string): Promise<Subscription[]> {
    return tx.repository(Subscription).find({ where: { tenantId: tx.tenantId, installationId }, order: { id: 'ASC' } });
  }

  /** Like listByInstallation, and holds the rows until the transaction ends. */
  async lockByInstallation(tx: TenantTransaction, installationId: string): Promise<Subscription[]> {
    return tx.repository(Subscription).find({
      where: { tenantId: tx.tenantId, installationId },
      order: { id: 'ASC' },
      lock: { mode: 'pessimistic_write' },
    });
  }

  /** Makes others that change the number of the tenant's subscriptions wait until the transaction ends. */
  async lockTenant(tx: TenantTransaction): Promise<void> {
    await tx.query(LOCK_SUBSCRIPTIONS, [tx.tenantId]);
  }

  async update(tx: TenantTransaction, id: string, changes: Partial<Subscription>): Promise<void> {
    await tx.repository(Subscription).update({ tenantId: tx.tenantId, id }, changes);
  }

  /**
   * Notes a failed attempt.
   * @param gapMs milliseconds without a failure, after which this one begins a new series
   * @returns the series of failures; null when there is no such subscription
   */
  async markFailing(tx: TenantTransaction, id: string, at: Date, gapMs: number): Promise<Failures | null> {
    const [row] = await tx.query<Failures>(MARK_FAILING, [tx.tenantId, id, at, gapMs]);
    return row ?? null;
  }

  async markHealthy(tx: TenantTransaction, id: string): Promise<void> {
    await tx.query(MARK_HEALTHY, [tx.tenantId, id]);
  }

  /**
   * Reserves a part of the subscription's rate behind what is reserved already.
   * @param ms milliseconds of it
   * @returns in how many milliseconds the part begins; null when that is over a second ahead, and nothing is reserved
   */
  async reservePermits(tx: TenantTransaction, id: string, ms: number): Promise<number | null> {
    const [row] = await tx.query<{ beginsInMs: number }>(RESERVE_PERMITS, [tx.tenantId, id, ms, RESERVED_AHEAD_MS]);
    return row ? Math.max(0, row.beginsInMs) : null;
  }

  async delete(tx: TenantTransaction, id: string): Promise<void> {
    await tx.repository(Subscription).delete({ tenantId: tx.tenantId, id });
  }

  async deleteByInstallation(tx: TenantTransaction, installationId: string): Promise<void> {
    await tx.repository(Subscription).delete({ tenantId: tx.tenantId, installationId });
  }

  /** Replaces the secret of a subscription that the tenant created; the previous one stays valid until `previousUntil`. */
  async replaceSecret(
    tx: TenantTransaction,
    id: string,
    { sealed, publicKey }: { readonly sealed: Buffer; readonly publicKey: string | null },
    previousUntil: Date,
  ): Promise<void> {
    await tx
      .repository(Subscription)
      .update(
        { tenantId: tx.tenantId, id },
        { previousSecret: () => 'secret', previousSecretUntil: previousUntil, secret: sealed, publicKey },
      );
  }

  /** @returns false when the tenant created no such subscription */
  async removePreviousSecret(tx: TenantTransaction, id: string): Promise<boolean> {
    const { affected } = await tx
      .repository(Subscription)
      .update(
        { tenantId: tx.tenantId, id, installationId: IsNull() },
        { previousSecret: null, previousSecretUntil: null },
      );
    return affected === 1;
  }
}
