import type { TenantTransaction } from '@crm/database';
import type { ListPage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { liveAt, type SecretRow } from './live-secrets.js';
import type { Subscription } from './subscription.js';

interface SubscriptionRow {
  id: string;
  installation_id: string | null;
  app_key: string | null;
  url: string;
  events: string[];
  description: string | null;
  filter: string | null;
  enabled: boolean;
  disabled_reason: string | null;
  created_at: Date;
}

export interface NewSubscription {
  readonly id: string;
  readonly installationId: string | null;
  readonly appKey: string | null;
  readonly url: string;
  readonly events: readonly string[];
  readonly description: string | null;
  readonly filter: string | null;
  /** Null for an app's subscription, which signs with the app's secret. */
  readonly sealedSecret: Buffer | null;
  readonly createdBy: string;
}

const COLUMNS = 'id, installation_id, app_key, url, events, description, filter, enabled, disabled_reason, created_at';

const toSubscription = (row: SubscriptionRow): Subscription => ({
  id: row.id,
  installationId: row.installation_id,
  appKey: row.app_key,
  url: row.url,
  events: row.events,
  description: row.description,
  filter: row.filter,
  enabled: row.enabled,
  disabledReason: row.disabled_reason,
  createdAt: row.created_at,
});

/** SQL of subscriptions. */
@Injectable()
export class SubscriptionRepository {
  async insert(tx: TenantTransaction, subscription: NewSubscription): Promise<Subscription> {
    const rows = await tx.query<SubscriptionRow>(
      `INSERT INTO webhook_subscription
         (tenant_id, id, installation_id, app_key, url, events, description, filter, secret, created_by)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING ${COLUMNS}`,
      [
        tx.tenantId,
        subscription.id,
        subscription.installationId,
        subscription.appKey,
        subscription.url,
        subscription.events,
        subscription.description,
        subscription.filter,
        subscription.sealedSecret,
        subscription.createdBy,
      ],
    );
    return toSubscription(rows[0] as SubscriptionRow);
  }

  /** In the order in which they were made. */
  async page(tx: TenantTransaction, page: ListPage): Promise<Subscription[]> {
    const rows = await tx.query<SubscriptionRow>(
      `SELECT ${COLUMNS} FROM webhook_subscription
        WHERE tenant_id = $1 AND ($2::uuid IS NULL OR id > $2) ORDER BY id LIMIT $3 OFFSET $4`,
      [tx.tenantId, page.after?.id ?? null, page.limit, page.offset],
    );
    return rows.map(toSubscription);
  }

  /** How many the tenant has: a bounded number, see the service. */
  async count(tx: TenantTransaction): Promise<number> {
    const [row] = await tx.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM webhook_subscription WHERE tenant_id = $1',
      [tx.tenantId],
    );
    return row?.count ?? 0;
  }

  async find(tx: TenantTransaction, id: string): Promise<Subscription | null> {
    const [row] = await tx.query<SubscriptionRow>(
      `SELECT ${COLUMNS} FROM webhook_subscription WHERE tenant_id = $1 AND id = $2`,
      [tx.tenantId, id],
    );
    return row ? toSubscription(row) : null;
  }

  async listByInstallation(tx: TenantTransaction, installationId: string): Promise<Subscription[]> {
    const rows = await tx.query<SubscriptionRow>(
      `SELECT ${COLUMNS} FROM webhook_subscription WHERE tenant_id = $1 AND installation_id = $2 ORDER BY id`,
      [tx.tenantId, installationId],
    );
    return rows.map(toSubscription);
  }

  /** Subscriptions that an event of this name goes to. */
  async listForEvent(tx: TenantTransaction, event: string): Promise<Subscription[]> {
    const rows = await tx.query<SubscriptionRow>(
      `SELECT ${COLUMNS} FROM webhook_subscription WHERE tenant_id = $1 AND enabled AND $2 = ANY(events) ORDER BY id`,
      [tx.tenantId, event],
    );
    return rows.map(toSubscription);
  }

  /** Holds what changes the number of the tenant's subscriptions back until the transaction ends. */
  async lockTenant(tx: TenantTransaction): Promise<void> {
    await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('webhook_subscriptions:' || $1::text, 0))`, [
      tx.tenantId,
    ]);
  }

  async update(
    tx: TenantTransaction,
    id: string,
    changes: Pick<Subscription, 'url' | 'events' | 'description' | 'filter' | 'enabled'>,
  ): Promise<Subscription | null> {
    const [row] = await tx.query<SubscriptionRow>(
      `UPDATE webhook_subscription
          SET url = $3, events = $4, description = $5, filter = $6, enabled = $7,
              disabled_reason = CASE WHEN $7 THEN NULL ELSE coalesce(disabled_reason, 'disabled by an administrator') END,
              failing_since = CASE WHEN $7 AND NOT enabled THEN NULL ELSE failing_since END
        WHERE tenant_id = $1 AND id = $2 RETURNING ${COLUMNS}`,
      [tx.tenantId, id, changes.url, changes.events, changes.description, changes.filter, changes.enabled],
    );
    return row ? toSubscription(row) : null;
  }

  async disable(tx: TenantTransaction, id: string, reason: string): Promise<void> {
    await tx.query(
      `UPDATE webhook_subscription SET enabled = false, disabled_reason = $3 WHERE tenant_id = $1 AND id = $2 AND enabled`,
      [tx.tenantId, id, reason],
    );
  }

  /** Remembers since when every attempt fails. Returns that moment. */
  async markFailing(tx: TenantTransaction, id: string, at: Date): Promise<Date | null> {
    const [row] = await tx.query<{ failing_since: Date }>(
      `UPDATE webhook_subscription SET failing_since = coalesce(failing_since, $3)
        WHERE tenant_id = $1 AND id = $2 RETURNING failing_since`,
      [tx.tenantId, id, at],
    );
    return row?.failing_since ?? null;
  }

  async markHealthy(tx: TenantTransaction, id: string): Promise<void> {
    await tx.query(
      `UPDATE webhook_subscription SET failing_since = NULL
        WHERE tenant_id = $1 AND id = $2 AND failing_since IS NOT NULL`,
      [tx.tenantId, id],
    );
  }

  async delete(tx: TenantTransaction, id: string): Promise<boolean> {
    const rows = await tx.query('DELETE FROM webhook_subscription WHERE tenant_id = $1 AND id = $2 RETURNING id', [
      tx.tenantId,
      id,
    ]);
    return rows.length > 0;
  }

  async deleteByInstallation(tx: TenantTransaction, installationId: string): Promise<number> {
    const rows = await tx.query(
      'DELETE FROM webhook_subscription WHERE tenant_id = $1 AND installation_id = $2 RETURNING id',
      [tx.tenantId, installationId],
    );
    return rows.length;
  }

  /** Replaces the secret; the one before stays live until `previousUntil`. */
  async replaceSecret(tx: TenantTransaction, id: string, sealed: Buffer, previousUntil: Date): Promise<boolean> {
    const rows = await tx.query(
      `UPDATE webhook_subscription SET previous_secret = secret, previous_secret_until = $4, secret = $3
        WHERE tenant_id = $1 AND id = $2 AND installation_id IS NULL RETURNING id`,
      [tx.tenantId, id, sealed, previousUntil],
    );
    return rows.length > 0;
  }

  /** Sealed secrets of a subscription that the tenant made, live at `now`, the newest first. */
  async liveSecrets(tx: TenantTransaction, id: string, now: Date): Promise<Buffer[]> {
    const [row] = await tx.query<SecretRow>(
      'SELECT secret, previous_secret, previous_secret_until FROM webhook_subscription WHERE tenant_id = $1 AND id = $2',
      [tx.tenantId, id],
    );
    return liveAt(row, now);
  }
}
