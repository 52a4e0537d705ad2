import type { NarrowTransaction, TenantTransaction } from '@crm/database';
import type { ListPage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { In, IsNull, MoreThan } from 'typeorm';
import { Subscription } from './subscription.entity.js';
import { REMOVAL_EVENT } from './subscription.js';

// $1 is the tenant, except in PURGE_REMOVED.

/** Begins a new series when the last failure is too long ago. $2: id, $3: time of the attempt, $4: milliseconds too long. */
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

/** $2: id, $3: milliseconds. */
const PAUSE_SUBSCRIPTION = 'SELECT pause_subscription($1, $2, $3) AS "isPaused"';

/** $2: id, $3: milliseconds to reserve, $4: milliseconds too far. */
const RESERVE_PERMITS = 'SELECT reserve_permits($1, $2, $3, $4) AS "beginsInMs"';

/** Covers rows that do not exist yet, which TypeORM cannot lock. Looking at rows makes a cluster take it on the node of the tenant. */
const LOCK_SUBSCRIPTIONS = `
  SELECT pg_advisory_xact_lock(hashtextextended('webhook_subscriptions:' || $1::text, 0))
    FROM (SELECT count(*) FROM webhook_subscription WHERE tenant_id = $1::uuid) AS looked`;

/** Keeps those that were removed last. $2: how many. */
const LIMIT_REMOVED = `
  DELETE FROM webhook_subscription
   WHERE tenant_id = $1 AND id IN (SELECT id FROM webhook_subscription WHERE tenant_id = $1 AND removed_at IS NOT NULL
                                    ORDER BY removed_at DESC, id DESC OFFSET $2)`;

/** Deletes what has got its event, whose body has the id of the installation, or has waited $1 milliseconds for it. */
const PURGE_REMOVED = `
  DELETE FROM webhook_subscription AS removed
   WHERE removed_at IS NOT NULL
     AND (removed_at < now() - $1 * interval '1 millisecond'
      OR EXISTS (SELECT 1 FROM delivery
                  WHERE delivery.event = 'app.uninstalled' AND delivery.tenant_id = removed.tenant_id
                    AND delivery.subscription_id = removed.id AND delivery.next_attempt_at IS NULL
                    AND strpos((SELECT body FROM event_body
                                 WHERE event_body.tenant_id = delivery.tenant_id AND event_body.id = delivery.event_id),
                               removed.installation_id::text) > 0))
  RETURNING 1`;

type Definition = Pick<
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
>;

export type NewSubscription = Definition & Pick<Subscription, 'secret' | 'createdBy'> & { readonly sandbox?: boolean };

export type SubscriptionSummary = Definition & Pick<Subscription, 'enabled' | 'disabledReason' | 'createdAt'>;

export type Failures = Readonly<Pick<Subscription, 'failingSince' | 'failedAt' | 'failingHours'>>;

/** Milliseconds ahead that permits may be reserved: a process that dies delays others no longer. */
const RESERVED_AHEAD_MS = 1_000;

export const LOCKED = { lock: { mode: 'pessimistic_write' } } as const;

const present = (tx: TenantTransaction) => ({ tenantId: tx.tenantId, removedAt: IsNull() });

/** Subscriptions of a tenant; removed ones are not found. */
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

  async page(tx: TenantTransaction, page: ListPage): Promise<Subscription[]> {
    return tx.repository(Subscription).find({
      where: { ...present(tx), ...(page.after && { id: MoreThan(page.after.id) }) },
      order: { id: 'ASC' },
      take: page.limit,
      skip: page.offset,
    });
  }

  async count(tx: TenantTransaction): Promise<number> {
    return tx.repository(Subscription).countBy(present(tx));
  }

  async find(tx: TenantTransaction, id: string): Promise<Subscription | null> {
    return tx.repository(Subscription).findOneBy({ ...present(tx), id });
  }

  async lock(tx: TenantTransaction, id: string): Promise<Subscription | null> {
    return tx.repository(Subscription).findOne({ where: { ...present(tx), id }, ...LOCKED });
  }

  /** @param options `LOCKED` holds the rows until the transaction ends */
  async listByInstallation(
    tx: TenantTransaction,
    installationId: string,
    options: Partial<typeof LOCKED> = {},
  ): Promise<Subscription[]> {
    const where = { ...present(tx), installationId };
    return tx.repository(Subscription).find({ where, order: { id: 'ASC' }, ...options });
  }

  /** Serialises changes of the number of the tenant's subscriptions. */
  async lockTenant(tx: TenantTransaction): Promise<void> {
    await tx.query(LOCK_SUBSCRIPTIONS, [tx.tenantId]);
  }

  async update(tx: TenantTransaction, id: string, changes: Partial<Subscription>): Promise<void> {
    await tx.repository(Subscription).update({ tenantId: tx.tenantId, id }, changes);
  }

  /** @param gapMs milliseconds without a failure, after which this one begins a new series */
  async markFailing(tx: TenantTransaction, id: string, at: Date, gapMs: number): Promise<Failures | null> {
    const [row] = await tx.query<Failures>(MARK_FAILING, [tx.tenantId, id, at, gapMs]);
    return row ?? null;
  }

  async markHealthy(tx: TenantTransaction, id: string): Promise<void> {
    await tx.query(MARK_HEALTHY, [tx.tenantId, id]);
  }

  /** For all processes. @returns whether it was paused for less than that */
  async pauseFor(tx: TenantTransaction, id: string, ms: number): Promise<boolean> {
    const [row] = await tx.query<{ isPaused: boolean }>(PAUSE_SUBSCRIPTION, [tx.tenantId, id, ms]);
    return row?.isPaused ?? false;
  }

  /** @returns in how many milliseconds those reserved begin; null, with none, when that is over a second ahead */
  async reservePermits(tx: TenantTransaction, id: string, ms: number): Promise<number | null> {
    type Reserved = { beginsInMs: number | null };
    const [row] = await tx.query<Reserved>(RESERVE_PERMITS, [tx.tenantId, id, ms, RESERVED_AHEAD_MS]);
    return row?.beginsInMs ?? null;
  }

  async delete(tx: TenantTransaction, id: string): Promise<void> {
    await tx.repository(Subscription).delete({ tenantId: tx.tenantId, id });
  }

  async deleteByInstallation(tx: TenantTransaction, installationId: string): Promise<void> {
    await tx.repository(Subscription).delete({ ...present(tx), installationId });
  }

  /** @param most how many removed ones the tenant keeps; those that were removed first are deleted */
  async markRemoved(tx: TenantTransaction, ids: readonly string[], most: number): Promise<void> {
    if (ids.length === 0) return;
    const changes = { removedAt: () => 'now()', events: [REMOVAL_EVENT] };
    await tx.repository(Subscription).update({ ...present(tx), id: In([...ids]) }, changes);
    await tx.query(LIMIT_REMOVED, [tx.tenantId, most]);
  }

  async purgeRemoved(tx: NarrowTransaction, waitMs: number): Promise<number> {
    return (await tx.query(PURGE_REMOVED, [waitMs])).length;
  }

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
