import { lowestIdOf, type TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import type { HourStats } from './delivery-stats.js';
import { COUNT_BY_HOUR } from './delivery-stats.sql.js';
import type { StatsHours } from './stats-hours.js';

interface HourRow extends Omit<HourStats, 'at' | 'latencyMs'> {
  readonly hour: number;
  readonly percentiles: readonly [number | null, number | null, number | null];
}

@Injectable()
export class DeliveryStatsRepository {
  /**
   * One entry for each hour, oldest first.
   * @param subscriptionId null for those of all subscriptions
   * @returns null when there are more than so many deliveries
   */
  async countByHour(
    tx: TenantTransaction,
    { fromMs, toMs, hoursMs }: StatsHours,
    subscriptionId: string | null,
    mostDeliveries: number,
  ): Promise<HourStats[] | null> {
    const range = [lowestIdOf(fromMs), lowestIdOf(toMs), hoursMs.map(lowestIdOf)];
    const parameters = [tx.tenantId, subscriptionId, ...range, mostDeliveries + 1];
    const rows = await tx.query<HourRow>(COUNT_BY_HOUR, parameters);
    if (rows.reduce((sum, { deliveries }) => sum + deliveries, 0) > mostDeliveries) return null;
    const byHour = new Map(rows.map((row) => [row.hour, row]));
    return hoursMs.map((ms, index) => toStats(new Date(ms), byHour.get(index + 1)));
  }
}

function toStats(at: Date, row: HourRow | undefined): HourStats {
  if (row === undefined) return { at, deliveries: 0, delivered: 0, failed: 0, attempts: 0, latencyMs: null };
  const { hour: _, percentiles, ...counts } = row;
  const [p50, p95, p99] = percentiles;
  return { at, ...counts, latencyMs: p50 === null || p95 === null || p99 === null ? null : { p50, p95, p99 } };
}
