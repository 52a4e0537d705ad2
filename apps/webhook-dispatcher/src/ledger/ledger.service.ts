import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database } from '@crm/database';
import { idPosition, type ListAnswer, listAnswer, parsePage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { DeliveryOrderSignal, SubscriptionQueueSignal } from '../queue/queue-signals.js';
import { refuseUnknownSubscription, statusOf } from '../subscriptions/subscription.js';
import { SubscriptionRepository } from '../subscriptions/subscription.repository.js';
import type { ListDeliveriesQuery } from './ledger.dto.js';
import {
  type Attempt,
  type Delivery,
  type DeliveryFilter,
  type HourStats,
  LedgerRepository,
} from './ledger.repository.js';
import { parseTimeRange, statsHours, type TimeRangeQuery } from './time-range.js';

/** Rows of the ledger that one request for statistics reads: some 0.4 s on two cores, measured with all of them in memory. */
export const MOST_DELIVERIES = 200_000;

/** The ledger as tenants see it. */
@Injectable()
export class LedgerService {
  constructor(
    private readonly database: Database,
    private readonly ledger: LedgerRepository,
    private readonly subscriptions: SubscriptionRepository,
    private readonly queueSignal: SubscriptionQueueSignal,
    private readonly orderSignal: DeliveryOrderSignal,
  ) {}

  /**
   * Newest first.
   * @throws PlatformError INVALID_QUERY for a cursor of another tenant, list or filter, and when `from` is later than `to`
   */
  async list(principal: Principal, query: ListDeliveriesQuery): Promise<ListAnswer<Delivery>> {
    const { tenantId } = principal;
    const { status = null, subscriptionId = null, event = null, errorCode = null } = query;
    const filter: DeliveryFilter = { status, subscriptionId, event, errorCode, time: parseTimeRange(query) };
    const page = parsePage(query, { tenantId, list: 'deliveries', filter });
    const { limit, offset } = page;
    const [deliveries, counted] = await this.database.transaction(tenantId, (tx) =>
      Promise.all([
        this.ledger.page(tx, { tenantId }, filter, { after: page.after?.id ?? null, limit, offset }),
        this.ledger.count(tx, { tenantId }, filter, page.countLimit),
      ]),
    );
    return listAnswer(deliveries, page, counted, idPosition);
  }

  /** @throws PlatformError NOT_FOUND */
  async get({ tenantId }: Principal, id: string): Promise<{ delivery: Delivery; attempts: Attempt[] }> {
    const [delivery, attempts] = await this.database.transaction(tenantId, (tx) =>
      Promise.all([this.ledger.find(tx, { tenantId }, id), this.ledger.listAttempts(tx, tx, id)]),
    );
    return { delivery: delivery ?? refuseUnknown(), attempts };
  }

  /**
   * Attempts a delivery now, with the same id and body. It gets this attempt and the rest of its schedule; one of a record is
   * attempted when its partition is free.
   * @throws PlatformError NOT_FOUND, or CONFLICT when its event is no longer kept, its subscription is paused or disabled, or
   *   it waits for earlier deliveries
   */
  async redeliver({ tenantId }: Principal, id: string): Promise<Delivery> {
    return this.database.transaction(tenantId, async (tx) => {
      const before = (await this.ledger.find(tx, { tenantId }, id)) ?? refuseUnknown();
      const subscription = await this.subscriptions.find(tx, before.subscriptionId);
      if (subscription?.enabled === false) {
        throw new PlatformError('CONFLICT', `The subscription is ${statusOf(subscription)}; resume it first`);
      }
      const isDue = await this.ledger.redeliver(tx, before);
      const delivery = (await this.ledger.find(tx, { tenantId }, id)) ?? refuseUnknown();
      if (!isDue) {
        const isWaiting = before.status === 'pending' || before.status === 'retrying';
        throw new PlatformError(
          'CONFLICT',
          isWaiting ? WAITS_FOR_EARLIER : 'The event of the delivery is no longer kept',
        );
      }
      tx.afterCommit(() => {
        this.queueSignal.signal();
        this.orderSignal.signal();
      });
      return delivery;
    });
  }

  /**
   * Statistics of all subscriptions, also those that no longer exist; oldest hour first.
   * @throws PlatformError INVALID_QUERY for a range that ends before it begins or is too long, QUERY_TOO_EXPENSIVE when it
   *   has too many deliveries
   */
  async statsOfTenant({ tenantId }: Principal, query: TimeRangeQuery): Promise<HourStats[]> {
    const hours = statsHours(parseTimeRange(query), Date.now());
    const stats = await this.database.transaction(tenantId, (tx) =>
      this.ledger.countByHour(tx, { tenantId }, null, hours, MOST_DELIVERIES),
    );
    return stats ?? refuseMany();
  }

  /** @throws PlatformError NOT_FOUND, and as {@link statsOfTenant} */
  async statsOfSubscription({ tenantId }: Principal, id: string, query: TimeRangeQuery): Promise<HourStats[]> {
    const hours = statsHours(parseTimeRange(query), Date.now());
    const [subscription, stats] = await this.database.transaction(tenantId, (tx) =>
      Promise.all([
        this.subscriptions.find(tx, id),
        this.ledger.countByHour(tx, { tenantId }, id, hours, MOST_DELIVERIES),
      ]),
    );
    if (subscription === null) refuseUnknownSubscription();
    return stats ?? refuseMany();
  }
}

const WAITS_FOR_EARLIER = 'The delivery waits for an earlier one of the same record';

function refuseUnknown(): never {
  throw new PlatformError('NOT_FOUND', 'There is no such delivery');
}

/** @throws PlatformError QUERY_TOO_EXPENSIVE */
export function refuseMany(): never {
  const most = MOST_DELIVERIES.toLocaleString('en-US');
  throw new PlatformError(
    'QUERY_TOO_EXPENSIVE',
    `from: more than ${most} deliveries since then; ask for a shorter time`,
  );
}
