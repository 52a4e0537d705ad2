import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database } from '@crm/database';
import { idPosition, type ListAnswer, listAnswer, parsePage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { RecordLineSignal } from '../record-line/record-line.signal.js';
import { SubscriptionRepository } from '../subscription/subscription.repository.js';
import { statusOf } from '../subscription/subscription-state.js';
import { SubscriptionQueueSignal } from '../subscription-queue/subscription-queue.signal.js';
import type { ListDeliveriesQuery } from './delivery.dto.js';
import type { Attempt, Delivery } from './delivery.js';
import { type DeliveryFilter, DeliveryRepository } from './delivery.repository.js';
import { parseTimeRange } from './time-range.js';

/** The ledger: what tenants see of the deliveries of events to their subscriptions. */
@Injectable()
export class DeliveryService {
  constructor(
    private readonly database: Database,
    private readonly deliveries: DeliveryRepository,
    private readonly subscriptions: SubscriptionRepository,
    private readonly signal: SubscriptionQueueSignal,
    private readonly lineSignal: RecordLineSignal,
  ) {}

  /**
   * Newest first.
   * @throws PlatformError INVALID_QUERY for a cursor of another tenant, list or filter, and when `from` is later than `to`
   */
  async list({ tenantId }: Principal, query: ListDeliveriesQuery): Promise<ListAnswer<Delivery>> {
    const { status = null, subscriptionId = null, event = null, errorCode = null } = query;
    const filter: DeliveryFilter = { status, subscriptionId, event, errorCode, time: parseTimeRange(query) };
    const page = parsePage(query, { tenantId, list: 'deliveries', filter });
    const [deliveries, counted] = await this.database.transaction(tenantId, (tx) =>
      Promise.all([this.deliveries.page(tx, filter, page), this.deliveries.count(tx, filter, page.countLimit)]),
    );
    return listAnswer(deliveries, page, counted, idPosition);
  }

  /** @throws PlatformError NOT_FOUND */
  async get(principal: Principal, id: string): Promise<{ delivery: Delivery; attempts: Attempt[] }> {
    return this.database.transaction(principal.tenantId, async (tx) => {
      const [delivery, attempts] = await Promise.all([
        this.deliveries.find(tx, id),
        this.deliveries.listAttempts(tx, id),
      ]);
      if (delivery === null) refuseUnknown();
      return { delivery, attempts };
    });
  }

  /**
   * Attempts a delivery now, with the same id and body: one that has ended, is held, or waits for its next attempt. It gets
   * this attempt, and whatever is left of the schedule. One that stands in line because of its record is attempted when its
   * turn comes.
   * @throws PlatformError NOT_FOUND, or CONFLICT when what it would send is no longer kept, its subscription is paused or
   *   disabled, or it waits for earlier deliveries
   */
  async redeliver(principal: Principal, id: string): Promise<Delivery> {
    return this.database.transaction(principal.tenantId, async (tx) => {
      const before = await this.deliveries.find(tx, id);
      if (before === null) refuseUnknown();
      const subscription = await this.subscriptions.find(tx, before.subscriptionId);
      if (subscription?.enabled === false) {
        throw new PlatformError('CONFLICT', `The subscription is ${statusOf(subscription)}; resume it first`);
      }
      const isDue = await this.deliveries.redeliver(tx, before);
      const delivery = await this.deliveries.find(tx, id);
      if (delivery === null) refuseUnknown();
      if (!isDue) {
        const isWaiting = before.status === 'pending' || before.status === 'retrying';
        throw new PlatformError('CONFLICT', isWaiting ? WAITS_IN_LINE : 'The event of the delivery is no longer kept');
      }
      tx.afterCommit(() => {
        this.signal.signal();
        this.lineSignal.signal();
      });
      return delivery;
    });
  }
}

const WAITS_IN_LINE = 'The delivery waits for an earlier one of the same record';

function refuseUnknown(): never {
  throw new PlatformError('NOT_FOUND', 'There is no such delivery');
}
