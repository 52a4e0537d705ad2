import type { AppDelivery, AppDeliveryAttempt } from '@crm/contracts';
import { Injectable } from '@nestjs/common';
import { type AppDeliveryFilter, AppLedgerRepository } from './app-ledger.repository.js';
import { BoundedReads } from './bounded-reads.js';
import type { HourStats } from './delivery-stats.js';
import { DeliveryStatsRepository } from './delivery-stats.repository.js';
import { MOST_DELIVERIES, refuseMany } from './delivery-stats.service.js';
import { statsHours } from './stats-hours.js';
import type { TimeRangeQuery } from './time-range.js';
import { parseTimeRange } from './time-range.js';

export interface AppDeliveryPage {
  /** Id of the last delivery of the page before; null for the first page. */
  readonly after: string | null;
  readonly limit: number;
  readonly offset: number;
  /** Where counting ends; null for never, 0 for no count. */
  readonly countLimit: number | null;
}

/**
 * The ledger of an app over all tenants, for its developer: who that is, is for the caller to know. Shows no tenant but by
 * the id of the installation, and nothing that events are about.
 */
@Injectable()
export class AppLedgerService {
  constructor(
    private readonly reads: BoundedReads,
    private readonly ledger: AppLedgerRepository,
    private readonly stats: DeliveryStatsRepository,
  ) {}

  /**
   * Newest first.
   * @throws PlatformError INVALID_QUERY when `from` is later than `to`, and as {@link BoundedReads.run}
   */
  async list(
    { from, to, ...rest }: Omit<AppDeliveryFilter, 'time'> & TimeRangeQuery,
    { countLimit, ...page }: AppDeliveryPage,
  ): Promise<{ deliveries: AppDelivery[]; counted: number }> {
    const filter = { ...rest, time: parseTimeRange({ from, to }) };
    const [deliveries, counted] = await this.reads.run((tx) =>
      Promise.all([
        this.ledger.page(tx, filter, page),
        countLimit === 0 ? 0 : this.ledger.count(tx, filter, countLimit),
      ]),
    );
    return { deliveries, counted };
  }

  /**
   * @returns null when the app has no such delivery
   * @throws PlatformError as {@link BoundedReads.run}
   */
  async find(appKey: string, id: string): Promise<{ delivery: AppDelivery; attempts: AppDeliveryAttempt[] } | null> {
    const [delivery, attempts] = await this.reads.run((tx) =>
      Promise.all([this.ledger.find(tx, appKey, id), this.ledger.listAttempts(tx, appKey, id)]),
    );
    return delivery && { delivery, attempts };
  }

  /**
   * Oldest hour first.
   * @throws PlatformError INVALID_QUERY for a range that ends before it begins or is too long, QUERY_TOO_EXPENSIVE also when
   *   it has too many deliveries, and as {@link BoundedReads.run}
   */
  async countByHour(appKey: string, query: TimeRangeQuery): Promise<HourStats[]> {
    const hours = statsHours(parseTimeRange(query), Date.now());
    const stats = await this.reads.run((tx) => this.stats.countOfAppByHour(tx, hours, appKey, MOST_DELIVERIES));
    return stats ?? refuseMany();
  }
}
