import { lowestIdOf, type NarrowTransaction, type TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import type { HourStats } from './delivery-stats.js';
import { COUNT_BY_HOUR, COUNT_OF_APP_BY_HOUR } from './delivery-stats.sql.js';
import type { StatsHours } from './stats-hours.js';

interface HourRow extends Omit<HourStats, 'at' | 'latencyMs'> {
  readonly hour: number;
  /** Of the deliveries that were attempted; null when none was. */
  readonly percentiles: readonly [number, number, number] | null;
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
    hours: StatsHours,
    subscriptionId: string | null,
    mostDeliveries: number,
  ): Promise<HourStats[] | null> {
    const parameters = [tx.tenantId, subscriptionId, ...rangeOf(hours), mostDeliveries + 1];
    return toHours(hours, mostDeliveries, await tx.query<HourRow>(COUNT_BY_HOUR, parameters));
  }

  /**
   * Those of an app in every tenant. Needs a transaction that plans statements for their values.
   * @returns as {@link countByHour}
   */
  async countOfAppByHour(
    tx: NarrowTransaction,
    hours: StatsHours,
    appKey: string,
    mostDeliveries: number,
  ): Promise<HourStats[] | null> {
    const parameters = [appKey, ...rangeOf(hours), mostDeliveries + 1];
    return toHours(hours, mostDeliveries, await tx.query<HourRow>(COUNT_OF_APP_BY_HOUR, parameters));
  }
}

/** The lowest id, the id that is too high, and the lowest ids of the hours. */
const rangeOf = ({ fromMs, toMs, hoursMs }: StatsHours) =>
  [lowestIdOf(fromMs), lowestIdOf(toMs), hoursMs.map(lowestIdOf)] as const;

function toHours({ hoursMs }: StatsHours, mostDeliveries: number, rows: readonly HourRow[]): HourStats[] | null {
  if (rows.reduce((sum, { deliveries }) => sum + deliveries, 0) > mostDeliveries) return null;
  const byHour = new Map(rows.map((row) => [row.hour, row]));
  return hoursMs.map((ms, index) => toStats(new Date(ms), byHour.get(index + 1)));
}

function toStats(at: Date, row: HourRow | undefined): HourStats {
  if (row === undefined) return { at, deliveries: 0, delivered: 0, failed: 0, attempts: 0, latencyMs: null };
  const { hour: _, percentiles, ...counts } = row;
  if (percentiles === null) return { at, ...counts, latencyMs: null };
  const [p50, p95, p99] = percentiles;
  return { at, ...counts, latencyMs: { p50, p95, p99 } };
}
