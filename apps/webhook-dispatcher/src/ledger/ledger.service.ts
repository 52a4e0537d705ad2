import type { Principal } from '@crm/access';
import { type DeliveryStatus, PlatformError } from '@crm/contracts';
import { Database, type Transaction } from '@crm/database';
import { idPosition, type ListAnswer, listAnswer, parsePage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { DeliveryOrderSignal, SubscriptionQueueSignal } from '../queue/queue-signals.js';
import { refuseUnknownSubscription, statusOf } from '../subscriptions/subscription.js';
import { SubscriptionRepository } from '../subscriptions/subscription.repository.js';
import { BoundedReads } from './bounded-reads.js';
import type { ListDeliveriesQuery } from './ledger.dto.js';
import {
  type Attempt,
  type Delivery,
  type DeliveryFilter,
  type HourStats,
  type LedgerOwner,
  type LedgerPage,
  LedgerRepository,
} from './ledger.repository.js';
import { parseTimeRange, statsHours, type TimeRangeQuery } from './time-range.js';

/** Rows of the ledger that one request for statistics reads: some 0.4 s on two cores, measured with all of them in memory. */
export const MOST_DELIVERIES = 200_000;

export interface DeliveryQuery extends TimeRangeQuery {
  readonly status?: DeliveryStatus;
  readonly subscriptionId?: string;
  readonly event?: string;
  readonly errorCode?: string;
}

/** The ledger that tenants see, and the developer of an app. Reads of an app also throw what {@link BoundedReads.run} throws. */
@Injectable()
export class LedgerService {
  constructor(
    private readonly database: Database,
    private readonly reads: BoundedReads,
    private readonly ledger: LedgerRepository,
    private readonly subscriptions: SubscriptionRepository,
    private readonly queueSignal: SubscriptionQueueSignal,
    private readonly orderSignal: DeliveryOrderSignal,
  ) {}

  /** @throws PlatformError INVALID_QUERY for a cursor of another tenant, list or filter, and when `from` is later than `to` */
  async list({ tenantId }: Principal, query: ListDeliveriesQuery): Promise<ListAnswer<Delivery>> {
    const page = parsePage(query, { tenantId, list: 'deliveries', filter: filterOf(query) });
    const [deliveries, counted] = await this.page({ tenantId }, query, { ...page, after: page.after?.id });
    return listAnswer(deliveries, page, counted, idPosition);
  }

  /** Newest first, and how many there are. @throws PlatformError INVALID_QUERY when `from` is later than `to` */
  async page(owner: LedgerOwner, query: DeliveryQuery, page: LedgerPage): Promise<[Delivery[], number]> {
    const filter = filterOf(query);
    return this.read(owner, (tx) => this.ledger.page(tx, owner, filter, page));
  }

  /** @throws PlatformError NOT_FOUND */
  async get({ tenantId }: Principal, id: string): Promise<{ delivery: Delivery; attempts: Attempt[] }> {
    return (await this.find({ tenantId }, id)) ?? refuseUnknown();
  }

  async find(owner: LedgerOwner, id: string): Promise<{ delivery: Delivery; attempts: Attempt[] } | null> {
    const [delivery, attempts] = await this.read(owner, (tx) =>
      Promise.all([this.ledger.find(tx, owner, id), this.ledger.listAttempts(tx, owner, id)]),
    );
    return delivery && { delivery, attempts };
  }

  /** @throws PlatformError NOT_FOUND, or CONFLICT when its event is gone, its subscription inactive, or it waits for earlier ones */
  async redeliver({ tenantId }: Principal, id: string): Promise<Delivery> {
    return this.database.transaction(tenantId, async (tx) => {
      const before = (await this.ledger.find(tx, { tenantId }, id)) ?? refuseUnknown();
      const subscription = await this.subscriptions.find(tx, before.subscriptionId);
      if (subscription?.enabled === false) {
        throw new PlatformError('CONFLICT', `The subscription is ${statusOf(subscription)}. Resume it first`);
      }
      const isDue = await this.ledger.redeliver(tx, before);
      const delivery = (await this.ledger.find(tx, { tenantId }, id)) ?? refuseUnknown();
      if (!isDue) {
        const isWaiting = before.status === 'pending' || before.status === 'retrying';
        throw new PlatformError('CONFLICT', isWaiting ? WAITS_FOR_EARLIER : NOT_KEPT);
      }
      tx.afterCommit(() => {
        this.queueSignal.signal();
        this.orderSignal.signal();
      });
      return delivery;
    });
  }

  /** @throws PlatformError INVALID_QUERY for a range that is backwards or too long, QUERY_TOO_EXPENSIVE for too many deliveries */
  async countByHour(owner: LedgerOwner, query: TimeRangeQuery): Promise<HourStats[]> {
    const hours = statsHours(parseTimeRange(query), Date.now());
    const stats = await this.read(owner, (tx) => this.ledger.countByHour(tx, owner, null, hours, MOST_DELIVERIES));
    return stats ?? refuseMany();
  }

  /** @throws PlatformError NOT_FOUND, and as {@link countByHour} */
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

  private read<T>(owner: LedgerOwner, work: (tx: Transaction) => Promise<T>): Promise<T> {
    return 'appKey' in owner ? this.reads.run(work) : this.database.transaction(owner.tenantId, work);
  }
}

const WAITS_FOR_EARLIER = 'This delivery waits for an earlier one of the same record';
const NOT_KEPT = 'The event of the delivery is no longer kept';

function filterOf(query: DeliveryQuery): DeliveryFilter {
  const { status = null, subscriptionId = null, event = null, errorCode = null } = query;
  return { status, subscriptionId, event, errorCode, time: parseTimeRange(query) };
}

function refuseUnknown(): never {
  throw new PlatformError('NOT_FOUND', 'Delivery not found');
}

function refuseMany(): never {
  const most = MOST_DELIVERIES.toLocaleString('en-US');
  const detail = `from: more than ${most} deliveries since then. Use a shorter time range`;
  throw new PlatformError('QUERY_TOO_EXPENSIVE', detail);
}
