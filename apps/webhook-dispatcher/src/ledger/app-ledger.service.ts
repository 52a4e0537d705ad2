import type { AppDelivery, AppDeliveryAttempt } from '@crm/contracts';
import { Injectable } from '@nestjs/common';
import { BoundedReads } from './bounded-reads.js';
import { appDeliveryView, attemptView } from './ledger.dto.js';
import { type DeliveryFilter, type HourStats, type LedgerPage, LedgerRepository } from './ledger.repository.js';
import { MOST_DELIVERIES, refuseMany } from './ledger.service.js';
import { parseTimeRange, statsHours, type TimeRangeQuery } from './time-range.js';

/** The ledger of an app over all tenants. The caller knows that it asks for the developer; tenants and data are not shown. */
@Injectable()
export class AppLedgerService {
  constructor(
    private readonly reads: BoundedReads,
    private readonly ledger: LedgerRepository,
  ) {}

  /**
   * Newest first.
   * @param page.countLimit where counting ends; null for never, 0 for no count
   * @throws PlatformError INVALID_QUERY when `from` is later than `to`, and as {@link BoundedReads.run}
   */
  async list(
    appKey: string,
    { from, to, ...rest }: Pick<DeliveryFilter, 'status' | 'event' | 'errorCode'> & TimeRangeQuery,
    { countLimit, ...page }: LedgerPage & { readonly countLimit: number | null },
  ): Promise<{ deliveries: AppDelivery[]; counted: number }> {
    const filter = { ...rest, subscriptionId: null, time: parseTimeRange({ from, to }) };
    const [deliveries, counted] = await this.reads.run((tx) =>
      Promise.all([
        this.ledger.page(tx, { appKey }, filter, page),
        countLimit === 0 ? 0 : this.ledger.count(tx, { appKey }, filter, countLimit),
      ]),
    );
    return { deliveries: deliveries.map(appDeliveryView), counted };
  }

  /**
   * @returns null when the app has no such delivery
   * @throws PlatformError as {@link BoundedReads.run}
   */
  async find(appKey: string, id: string): Promise<{ delivery: AppDelivery; attempts: AppDeliveryAttempt[] } | null> {
    const [delivery, attempts] = await this.reads.run((tx) =>
      Promise.all([this.ledger.find(tx, { appKey }, id), this.ledger.listAttempts(tx, { appKey }, id)]),
    );
    return delivery && { delivery: appDeliveryView(delivery), attempts: attempts.map(attemptView) };
  }

  /**
   * Oldest hour first.
   * @throws PlatformError INVALID_QUERY for a range that ends before it begins or is too long, QUERY_TOO_EXPENSIVE also when
   *   it has too many deliveries, and as {@link BoundedReads.run}
   */
  async countByHour(appKey: string, query: TimeRangeQuery): Promise<HourStats[]> {
    const hours = statsHours(parseTimeRange(query), Date.now());
    const stats = await this.reads.run((tx) => this.ledger.countByHour(tx, { appKey }, null, hours, MOST_DELIVERIES));
    return stats ?? refuseMany();
  }
}
