import type { DeliveryStatus, EventName } from '@crm/contracts';
import { lowestIdOf, type TenantTransaction } from '@crm/database';
import type { ListPage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { HoldingRepository } from '../holding/holding.repository.js';
import { SubscriptionQueueRepository } from '../subscription-queue/subscription-queue.repository.js';
import type { Attempt, Delivery } from './delivery.js';
import {
  COUNT_DELIVERIES,
  FIND_DELIVERY,
  HASTEN_DELIVERY,
  LIST_ATTEMPTS,
  LIST_DELIVERIES,
  REDELIVER,
} from './delivery.sql.js';
import type { TimeRange } from './time-range.js';

type DeliveryRow = Omit<Delivery, 'lastError'> & {
  readonly lastErrorCode: string | null;
  readonly lastErrorMessage: string | null;
  readonly lastHttpStatus: number | null;
};

/** Which deliveries of a tenant; null for any. */
export interface DeliveryFilter {
  readonly status: DeliveryStatus | null;
  readonly subscriptionId: string | null;
  readonly event: EventName | null;
  /** Of the last attempt. */
  readonly errorCode: string | null;
  /** When the event happened. */
  readonly time: TimeRange;
}

/** The ledger within a tenant. */
@Injectable()
export class DeliveryRepository {
  constructor(
    private readonly queues: SubscriptionQueueRepository,
    private readonly holds: HoldingRepository,
  ) {}

  /** Newest first. */
  async page(tx: TenantTransaction, filter: DeliveryFilter, page: ListPage): Promise<Delivery[]> {
    const parameters = [...matching(tx, filter), page.after?.id ?? null, page.limit, page.offset];
    const rows = await tx.query<DeliveryRow>(LIST_DELIVERIES, parameters);
    return rows.map(toDelivery);
  }

  /** How many match, counting no further than `limit` when there is one. */
  async count(tx: TenantTransaction, filter: DeliveryFilter, limit: number | null): Promise<number> {
    const [row] = await tx.query<{ count: number }>(COUNT_DELIVERIES, [...matching(tx, filter), limit]);
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
   * Makes a delivery due now, whether it waits for its next attempt, is held or has ended.
   * @returns false when what it would send is no longer kept
   */
  async redeliver(tx: TenantTransaction, { id, subscriptionId }: Delivery): Promise<boolean> {
    this.holds.lock(tx, [{ tenantId: tx.tenantId, subscriptionId }]);
    const [row] = [
      ...(await tx.query<{ wasHeld: boolean }>(HASTEN_DELIVERY, [tx.tenantId, id])),
      ...(await tx.query<{ wasHeld: boolean }>(REDELIVER, [tx.tenantId, id])),
    ];
    if (!row) return false;
    if (row.wasHeld) this.holds.reduce(tx, subscriptionId, 1);
    this.queues.wake(tx, [{ tenantId: tx.tenantId, subscriptionId, dueAt: null }]);
    return true;
  }
}

/** The tenant and the filters, as the statements number them. The id of a delivery has the time of its event. */
function matching(tx: TenantTransaction, filter: DeliveryFilter): readonly (string | null)[] {
  const { status, subscriptionId, event, errorCode, time } = filter;
  const [lowest, end] = [time.fromMs, time.toMs].map((ms) => (ms === null ? null : lowestIdOf(ms)));
  return [tx.tenantId, status, subscriptionId, event, errorCode, lowest ?? null, end ?? null];
}

/** The status of a successful answer is no error's. */
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
