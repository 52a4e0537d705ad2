import { lowestIdOf, type NarrowTransaction, type TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import type { HourStats } from './delivery-stats.js';
import type { StatsHours } from './stats-hours.js';

const countedByHour = (matches: string, hours: string, limit: string): string => `
  SELECT hour, count(*)::int AS deliveries,
         (count(*) FILTER (WHERE status = 'delivered'))::int AS delivered,
         (count(*) FILTER (WHERE status IN ('failed', 'blocked')))::int AS failed,
         sum(attempts)::int AS attempts,
         percentile_disc(ARRAY[0.5, 0.95, 0.99]) WITHIN GROUP (ORDER BY latency_ms) AS percentiles
    FROM (SELECT width_bucket(id, ${hours}::uuid[]) AS hour, status, attempts, latency_ms FROM delivery
           WHERE ${matches}
           ORDER BY id LIMIT ${limit}) AS counted
   GROUP BY hour`;

/**
 * What became of the deliveries of each hour, by the time of their events, which their ids have; hours without any are left
 * out. Reads so many rows at most, in the order of an index, so that those of others are not read on the way: when it has
 * counted all of them, the result is not complete.
 * $1: tenant, $2: subscription; null for any, $3: lowest id, $4: id that is too high, $5: lowest ids of the hours, ascending,
 * $6: rows. `hour` is the place of the hour in $5, from 1; `percentiles` is null when nothing was attempted.
 */
export const COUNT_BY_HOUR = countedByHour(
  'tenant_id = $1 AND ($2::uuid IS NULL OR subscription_id = $2) AND id >= $3 AND id < $4',
  '$5',
  '$6',
);

/** The same of an app in every tenant. $1: key of the app, $2 to $5: as $3 to $6 above. */
export const COUNT_OF_APP_BY_HOUR = countedByHour('app_key = $1 AND id >= $2 AND id < $3', '$4', '$5');

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
