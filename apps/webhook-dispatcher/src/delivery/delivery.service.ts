import type { Principal } from '@crm/context';
import { type EventEnvelope, isVisibleToApp, PlatformError } from '@crm/contracts';
import { Database, newId, type TenantTransaction } from '@crm/database';
import { idPosition, type ListAnswer, type ListQuery, listAnswer, parsePage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { passesFilter } from '../subscription/event-filter.js';
import { SubscriptionRepository } from '../subscription/subscription.repository.js';
import { SubscriptionQueueSignal } from '../subscription-queue/subscription-queue.signal.js';
import type { Attempt, Delivery } from './delivery.js';
import { type DeliveryFilter, DeliveryRepository } from './delivery.repository.js';
import { deliveryBody } from './delivery-body.js';

/** The ledger: deliveries of events to subscriptions, and what tenants see of them. */
@Injectable()
export class DeliveryService {
  constructor(
    private readonly database: Database,
    private readonly subscriptions: SubscriptionRepository,
    private readonly deliveries: DeliveryRepository,
    private readonly signal: SubscriptionQueueSignal,
  ) {}

  /**
   * Writes a delivery for every subscription that wants the event, in the transaction that marks the event as handled. An
   * app's subscription does not get events of objects that the app does not see.
   * The body is fixed here: every attempt sends the same bytes.
   */
  async fanOut(tx: TenantTransaction, event: EventEnvelope): Promise<void> {
    const subscriptions = await this.subscriptions.listForEvent(tx, event.type);
    if (subscriptions.length === 0) return;
    const body = deliveryBody(event);
    const now = new Date();
    const wanted = subscriptions.filter(
      ({ appKey, filter }) =>
        (appKey === null || isVisibleToApp(event, appKey)) &&
        (filter === null || passesFilter(filter, event.type, body.data, now)),
    );
    if (wanted.length === 0) return;
    await this.deliveries.insert(
      tx,
      { eventId: event.id, event: event.type, body: JSON.stringify(body) },
      wanted.map((subscription) => ({ id: newId(), subscriptionId: subscription.id, url: subscription.url })),
    );
    tx.afterCommit(() => this.signal.signal());
  }

  /**
   * Newest first.
   * @throws PlatformError INVALID_QUERY for a cursor of another tenant or list
   */
  async list({ tenantId }: Principal, query: ListQuery & DeliveryFilter): Promise<ListAnswer<Delivery>> {
    const { status = null, subscriptionId = null } = query;
    const page = parsePage(query, { tenantId, list: 'deliveries', filter: [status, subscriptionId] });
    const [deliveries, counted] = await this.database.transaction(tenantId, (tx) =>
      Promise.all([this.deliveries.page(tx, query, page), this.deliveries.count(tx, query, page.countLimit)]),
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
   * Sends a delivery that has ended again, with the same id and body. It gets one more attempt, and whatever is left of the
   * schedule.
   * @throws PlatformError NOT_FOUND, or CONFLICT while it is under way
   */
  async redeliver(principal: Principal, id: string): Promise<Delivery> {
    return this.database.transaction(principal.tenantId, async (tx) => {
      const isDue = await this.deliveries.redeliver(tx, id);
      const delivery = await this.deliveries.find(tx, id);
      if (delivery === null) refuseUnknown();
      if (!isDue) throw new PlatformError('CONFLICT', 'The delivery is still under way');
      tx.afterCommit(() => this.signal.signal());
      return delivery;
    });
  }
}

function refuseUnknown(): never {
  throw new PlatformError('NOT_FOUND', 'There is no such delivery');
}
