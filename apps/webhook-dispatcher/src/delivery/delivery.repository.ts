import { copiesByStatement, type TenantTransaction } from '@crm/database';
import type { ListPage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { SubscriptionQueueRepository } from '../subscription-queue/subscription-queue.repository.js';
import type { AttemptOutcome } from './attempt-outcome.js';
import type { Attempt, ClaimedDelivery, Delivery, DeliveryWork } from './delivery.js';
import {
  ABANDON_DELIVERY,
  COUNT_DELIVERIES,
  FIND_DELIVERY,
  FIND_DELIVERY_WORK,
  INSERT_ATTEMPT,
  INSERT_DELIVERIES,
  LIST_ATTEMPTS,
  LIST_DELIVERIES,
  READDRESS_DELIVERY,
  REDELIVER,
  SETTLE_DELIVERY,
} from './delivery.sql.js';
import type { DeliveryStatus, NextState } from './delivery-state.js';

type DeliveryRow = Omit<Delivery, 'lastError'> & {
  readonly lastErrorCode: string | null;
  readonly lastErrorMessage: string | null;
  readonly lastHttpStatus: number | null;
};

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

/** The ledger within a tenant. */
@Injectable()
export class DeliveryRepository {
  constructor(private readonly queues: SubscriptionQueueRepository) {}

  /**
   * Writes deliveries of one event, which are due at once. An event that arrives again makes no second delivery. The body
   * is sent to the database once for as many copies as one statement may write.
   */
  async insert(tx: TenantTransaction, event: DeliveredEvent, deliveries: readonly NewDelivery[]): Promise<void> {
    for (const part of copiesByStatement(deliveries, Buffer.byteLength(event.body))) {
      await tx.query(INSERT_DELIVERIES, [
        tx.tenantId,
        event.eventId,
        event.event,
        event.body,
        part.map((delivery) => delivery.id),
        part.map((delivery) => delivery.subscriptionId),
        part.map((delivery) => delivery.url),
      ]);
    }
    await this.queues.wake(
      tx,
      deliveries.map(({ subscriptionId }) => ({ tenantId: tx.tenantId, subscriptionId })),
    );
  }

  /** What an attempt of a claimed delivery needs; null when the claim no longer belongs to this process. */
  async findWork(tx: TenantTransaction, { id, claim }: ClaimedDelivery): Promise<DeliveryWork | null> {
    const [work] = await tx.query<DeliveryWork>(FIND_DELIVERY_WORK, [tx.tenantId, id, claim]);
    return work ?? null;
  }

  /** Changes the URL of a claimed delivery for this attempt and later ones. */
  async readdress(tx: TenantTransaction, { id, claim }: ClaimedDelivery, url: string): Promise<void> {
    await tx.query(READDRESS_DELIVERY, [tx.tenantId, id, claim, url]);
  }

  /**
   * Writes an attempt and the state of the delivery after it.
   * @param attempts attempts made, including this one
   * @returns false, with nothing written, when the claim no longer belongs to this process
   */
  async recordAttempt(
    tx: TenantTransaction,
    claimed: ClaimedDelivery,
    attempts: number,
    outcome: AttemptOutcome,
    next: NextState,
  ): Promise<boolean> {
    const { at, error, httpStatus, latencyMs, responseExcerpt } = outcome;
    const { code = null, message = null } = error ?? {};
    const rows = await tx.query(SETTLE_DELIVERY, [
      tx.tenantId,
      claimed.id,
      claimed.claim,
      next.status,
      attempts,
      next.nextAttemptAt,
      code,
      message,
      error === null ? null : httpStatus,
      at,
    ]);
    if (rows.length === 0) return false;
    await tx.query(INSERT_ATTEMPT, [
      tx.tenantId,
      claimed.id,
      attempts,
      at,
      httpStatus,
      code,
      message,
      latencyMs,
      responseExcerpt,
    ]);
    if (next.nextAttemptAt !== null) await this.queues.wake(tx, [claimed], next.nextAttemptAt);
    return true;
  }

  /** Ends a claimed delivery whose subscription is deleted or disabled, without an attempt. */
  async abandon(tx: TenantTransaction, { id, claim }: ClaimedDelivery, code: string, message: string): Promise<void> {
    await tx.query(ABANDON_DELIVERY, [tx.tenantId, id, claim, code, message]);
  }

  /** Newest first. */
  async page(tx: TenantTransaction, filter: DeliveryFilter, page: ListPage): Promise<Delivery[]> {
    const { status = null, subscriptionId = null } = filter;
    const after = page.after?.id ?? null;
    const parameters = [tx.tenantId, status, subscriptionId, after, page.limit, page.offset];
    const rows = await tx.query<DeliveryRow>(LIST_DELIVERIES, parameters);
    return rows.map(toDelivery);
  }

  /** How many match, counting no further than `limit` when there is one. */
  async count(tx: TenantTransaction, filter: DeliveryFilter, limit: number | null): Promise<number> {
    const { status = null, subscriptionId = null } = filter;
    const parameters = [tx.tenantId, status, subscriptionId, limit];
    const [row] = await tx.query<{ count: number }>(COUNT_DELIVERIES, parameters);
    return row?.count ?? 0;
  }

  /** @returns null when there is none */
  async find(tx: TenantTransaction, id: string): Promise<Delivery | null> {
    const [row] = await tx.query<DeliveryRow>(FIND_DELIVERY, [tx.tenantId, id]);
    return row ? toDelivery(row) : null;
  }

  /** In the order in which they were made. */
  async listAttempts(tx: TenantTransaction, deliveryId: string): Promise<Attempt[]> {
    return tx.query<Attempt>(LIST_ATTEMPTS, [tx.tenantId, deliveryId]);
  }

  /**
   * Makes a delivery that has ended due again.
   * @returns false when there is none or it is still under way
   */
  async redeliver(tx: TenantTransaction, id: string): Promise<boolean> {
    const [row] = await tx.query<{ subscriptionId: string }>(REDELIVER, [tx.tenantId, id]);
    if (!row) return false;
    await this.queues.wake(tx, [{ tenantId: tx.tenantId, subscriptionId: row.subscriptionId }]);
    return true;
  }
}

const toDelivery = ({ lastErrorCode, lastErrorMessage, lastHttpStatus, ...delivery }: DeliveryRow): Delivery => ({
  ...delivery,
  lastError:
    lastErrorCode === null
      ? null
      : {
          code: lastErrorCode,
          message: lastErrorMessage ?? '',
          ...(lastHttpStatus === null ? {} : { httpStatus: lastHttpStatus }),
        },
});
