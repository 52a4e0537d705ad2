import { copiesByStatement, type TenantTransaction } from '@crm/database';
import type { ListPage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import type { AttemptOutcome } from './attempt-outcome.js';
import type { Attempt, ClaimedDelivery, Delivery, DeliveryWork } from './delivery.js';
import type { DeliveryStatus, NextState } from './delivery-state.js';
import { SubscriptionQueueRepository } from './subscription-queue.repository.js';

interface DeliveryRow {
  id: string;
  event: string;
  event_id: string;
  subscription_id: string;
  url: string;
  status: DeliveryStatus;
  attempts: number;
  last_error_code: string | null;
  last_error_message: string | null;
  last_http_status: number | null;
  created_at: Date;
  next_attempt_at: Date | null;
}

/** What goes to every receiver of an event. */
export interface DeliveredEvent {
  readonly eventId: string;
  readonly event: string;
  readonly body: string;
}

export interface NewDelivery {
  readonly id: string;
  readonly subscriptionId: string;
  readonly url: string;
}

export interface DeliveryFilter {
  readonly status?: DeliveryStatus;
  readonly subscriptionId?: string;
}

const COLUMNS = `id, event, event_id, subscription_id, url, status, attempts, last_error_code, last_error_message,
                 last_http_status, created_at, next_attempt_at`;

const toDelivery = (row: DeliveryRow): Delivery => ({
  id: row.id,
  event: row.event,
  eventId: row.event_id,
  subscriptionId: row.subscription_id,
  url: row.url,
  status: row.status,
  attempts: row.attempts,
  lastError:
    row.last_error_code === null
      ? null
      : {
          code: row.last_error_code,
          message: row.last_error_message ?? '',
          ...(row.last_http_status === null ? {} : { httpStatus: row.last_http_status }),
        },
  createdAt: row.created_at,
  nextAttemptAt: row.next_attempt_at,
});

/** SQL of the ledger within a tenant. */
@Injectable()
export class DeliveryRepository {
  constructor(private readonly queues: SubscriptionQueueRepository) {}

  /**
   * Writes deliveries of one event, which are due at once. An event that comes again makes no second delivery. The body
   * goes to the database once for as many copies as one statement may write.
   */
  async insert(tx: TenantTransaction, event: DeliveredEvent, deliveries: readonly NewDelivery[]): Promise<void> {
    for (const part of copiesByStatement(deliveries, Buffer.byteLength(event.body))) {
      await tx.query(
        `INSERT INTO delivery (tenant_id, id, subscription_id, event_id, event, url, body, status, next_attempt_at)
         SELECT $1, d.id, d.subscription_id, $2, $3, d.url, $4, 'pending', now()
           FROM unnest($5::uuid[], $6::uuid[], $7::text[]) AS d(id, subscription_id, url)
         ON CONFLICT (tenant_id, subscription_id, event_id) DO NOTHING`,
        [
          tx.tenantId,
          event.eventId,
          event.event,
          event.body,
          part.map((delivery) => delivery.id),
          part.map((delivery) => delivery.subscriptionId),
          part.map((delivery) => delivery.url),
        ],
      );
    }
    await this.queues.wake(
      tx,
      deliveries.map(({ subscriptionId }) => ({ tenantId: tx.tenantId, subscriptionId })),
    );
  }

  /** What an attempt of a claimed delivery needs; null when the claim is no longer this process's. */
  async findWork(tx: TenantTransaction, claimed: ClaimedDelivery): Promise<DeliveryWork | null> {
    const [row] = await tx.query<{ event_id: string; url: string; body: string; attempts: number }>(
      `SELECT event_id, url, body, attempts FROM delivery
        WHERE tenant_id = $1 AND id = $2 AND claim = $3 AND next_attempt_at IS NOT NULL`,
      [tx.tenantId, claimed.id, claimed.claim],
    );
    return row ? { eventId: row.event_id, url: row.url, body: row.body, attempts: row.attempts } : null;
  }

  /** Sends a claimed delivery somewhere else from now on. */
  async readdress(tx: TenantTransaction, claimed: ClaimedDelivery, url: string): Promise<void> {
    await tx.query('UPDATE delivery SET url = $4 WHERE tenant_id = $1 AND id = $2 AND claim = $3', [
      tx.tenantId,
      claimed.id,
      claimed.claim,
      url,
    ]);
  }

  /**
   * Writes an attempt and how the delivery stands after it.
   * @returns false, with nothing written, when the claim is no longer this process's
   */
  async recordAttempt(
    tx: TenantTransaction,
    claimed: ClaimedDelivery,
    attempts: number,
    outcome: AttemptOutcome,
    next: NextState,
  ): Promise<boolean> {
    const { error } = outcome;
    const rows = await tx.query(
      `UPDATE delivery
          SET status = $4, attempts = $5, next_attempt_at = $6, claim = NULL, claimed_until = NULL,
              last_error_code = $7, last_error_message = $8, last_http_status = $9,
              completed_at = CASE WHEN $6::timestamptz IS NULL THEN $10::timestamptz END
        WHERE tenant_id = $1 AND id = $2 AND claim = $3 RETURNING id`,
      [
        tx.tenantId,
        claimed.id,
        claimed.claim,
        next.status,
        attempts,
        next.nextAttemptAt,
        error?.code ?? null,
        error?.message ?? null,
        error === null ? null : outcome.httpStatus,
        outcome.at,
      ],
    );
    if (rows.length === 0) return false;
    await tx.query(
      `INSERT INTO delivery_attempt
         (tenant_id, delivery_id, number, at, http_status, error_code, error_message, latency_ms, response_excerpt)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [
        tx.tenantId,
        claimed.id,
        attempts,
        outcome.at,
        outcome.httpStatus,
        error?.code ?? null,
        error?.message ?? null,
        outcome.latencyMs,
        outcome.responseExcerpt,
      ],
    );
    if (next.nextAttemptAt !== null) await this.queues.wake(tx, [claimed], next.nextAttemptAt);
    return true;
  }

  /** Ends a claimed delivery whose subscription is gone or disabled, without an attempt. */
  async abandon(tx: TenantTransaction, claimed: ClaimedDelivery, code: string, message: string): Promise<void> {
    await tx.query(
      `UPDATE delivery SET status = 'failed', next_attempt_at = NULL, claim = NULL, claimed_until = NULL,
              last_error_code = $4, last_error_message = $5, last_http_status = NULL, completed_at = now()
        WHERE tenant_id = $1 AND id = $2 AND claim = $3`,
      [tx.tenantId, claimed.id, claimed.claim, code, message],
    );
  }

  /** Newest first. */
  async page(tx: TenantTransaction, filter: DeliveryFilter, page: ListPage): Promise<Delivery[]> {
    const rows = await tx.query<DeliveryRow>(
      `SELECT ${COLUMNS} FROM delivery
        WHERE tenant_id = $1 AND ($2::text IS NULL OR status = $2) AND ($3::uuid IS NULL OR subscription_id = $3)
          AND ($4::uuid IS NULL OR id < $4)
        ORDER BY id DESC LIMIT $5 OFFSET $6`,
      [
        tx.tenantId,
        filter.status ?? null,
        filter.subscriptionId ?? null,
        page.after?.id ?? null,
        page.limit,
        page.offset,
      ],
    );
    return rows.map(toDelivery);
  }

  /** How many match, counting no further than `limit` when there is one. */
  async count(tx: TenantTransaction, filter: DeliveryFilter, limit: number | null): Promise<number> {
    const [row] = await tx.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM (
         SELECT 1 FROM delivery
          WHERE tenant_id = $1 AND ($2::text IS NULL OR status = $2) AND ($3::uuid IS NULL OR subscription_id = $3)
          LIMIT $4) AS matching`,
      [tx.tenantId, filter.status ?? null, filter.subscriptionId ?? null, limit],
    );
    return row?.count ?? 0;
  }

  async find(tx: TenantTransaction, id: string): Promise<Delivery | null> {
    const [row] = await tx.query<DeliveryRow>(`SELECT ${COLUMNS} FROM delivery WHERE tenant_id = $1 AND id = $2`, [
      tx.tenantId,
      id,
    ]);
    return row ? toDelivery(row) : null;
  }

  async listAttempts(tx: TenantTransaction, deliveryId: string): Promise<Attempt[]> {
    const rows = await tx.query<{
      at: Date;
      http_status: number | null;
      error_code: string | null;
      latency_ms: number;
      response_excerpt: string | null;
    }>(
      `SELECT at, http_status, error_code, latency_ms, response_excerpt FROM delivery_attempt
        WHERE tenant_id = $1 AND delivery_id = $2 ORDER BY number`,
      [tx.tenantId, deliveryId],
    );
    return rows.map((row) => ({
      at: row.at,
      httpStatus: row.http_status,
      errorCode: row.error_code,
      latencyMs: row.latency_ms,
      responseExcerpt: row.response_excerpt,
    }));
  }

  /** Makes a finished delivery due again; false when there is none or it is still under way. */
  async redeliver(tx: TenantTransaction, id: string): Promise<boolean> {
    const [row] = await tx.query<{ subscription_id: string }>(
      `UPDATE delivery SET status = 'retrying', next_attempt_at = now(), completed_at = NULL
        WHERE tenant_id = $1 AND id = $2 AND next_attempt_at IS NULL RETURNING subscription_id`,
      [tx.tenantId, id],
    );
    if (!row) return false;
    await this.queues.wake(tx, [{ tenantId: tx.tenantId, subscriptionId: row.subscription_id }]);
    return true;
  }
}
