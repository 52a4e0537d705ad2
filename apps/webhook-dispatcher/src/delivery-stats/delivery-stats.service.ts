import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { parseTimeRange, type TimeRangeQuery } from '../delivery/time-range.js';
import { SubscriptionRepository } from '../subscription/subscription.repository.js';
import type { HourStats } from './delivery-stats.js';
import { DeliveryStatsRepository } from './delivery-stats.repository.js';
import { statsHours } from './stats-hours.js';

/** Rows of the ledger that one request reads: some 0.4 s on two cores, measured with all of them in memory. */
export const MOST_DELIVERIES = 200_000;

/** How deliveries went, hour by hour, counted from the ledger when it is asked for. */
@Injectable()
export class DeliveryStatsService {
  constructor(
    private readonly database: Database,
    private readonly stats: DeliveryStatsRepository,
    private readonly subscriptions: SubscriptionRepository,
  ) {}

  /**
   * Of all subscriptions of the tenant, also of those that no longer exist; oldest hour first.
   * @throws PlatformError INVALID_QUERY for a range that ends before it begins or is too long, QUERY_TOO_EXPENSIVE when it
   *   has too many deliveries
   */
  async ofTenant({ tenantId }: Principal, query: TimeRangeQuery): Promise<HourStats[]> {
    const hours = statsHours(parseTimeRange(query), Date.now());
    const stats = await this.database.transaction(tenantId, (tx) =>
      this.stats.countByHour(tx, hours, null, MOST_DELIVERIES),
    );
    return stats ?? refuseMany();
  }

  /** @throws PlatformError NOT_FOUND, and as {@link ofTenant} */
  async ofSubscription({ tenantId }: Principal, id: string, query: TimeRangeQuery): Promise<HourStats[]> {
    const hours = statsHours(parseTimeRange(query), Date.now());
    const [subscription, stats] = await this.database.transaction(tenantId, (tx) =>
      Promise.all([this.subscriptions.find(tx, id), this.stats.countByHour(tx, hours, id, MOST_DELIVERIES)]),
    );
    if (subscription === null) throw new PlatformError('NOT_FOUND', 'There is no such subscription');
    return stats ?? refuseMany();
  }
}

/** @throws PlatformError QUERY_TOO_EXPENSIVE */
export function refuseMany(): never {
  const most = MOST_DELIVERIES.toLocaleString('en-US');
  throw new PlatformError(
    'QUERY_TOO_EXPENSIVE',
    `from: more than ${most} deliveries since then; ask for a shorter time`,
  );
}
