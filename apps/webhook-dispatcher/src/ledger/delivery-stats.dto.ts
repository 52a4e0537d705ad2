import { DateTimeField, IntegerField, ListField, NumberField, ObjectField } from '@crm/http';
import type { HourStats } from './delivery-stats.js';
import { MOST_DAYS } from './stats-hours.js';

export class DeliveryStatsQuery {
  @DateTimeField({
    optional: true,
    description: `The events happened then or later; by default 24 hours before the end, at most ${MOST_DAYS} days`,
  })
  from?: string;

  @DateTimeField({ optional: true, description: 'The events happened before; by default now' })
  to?: string;
}

export class LatencyView {
  @IntegerField({ minimum: 0, example: 38 })
  p50: number;

  @IntegerField({ minimum: 0, example: 120 })
  p95: number;

  @IntegerField({ minimum: 0, example: 410 })
  p99: number;
}

export class HourStatsView {
  @DateTimeField({
    description: 'The beginning of the hour (UTC) in which the events happened',
    example: '2026-11-22T09:00:00.000Z',
  })
  hour: string;

  @IntegerField({ minimum: 0, description: 'Also those that wait for an attempt', example: 1003 })
  deliveries: number;

  @IntegerField({ minimum: 0, example: 998 })
  delivered: number;

  @IntegerField({ minimum: 0, description: 'Ended without success: `failed` and `blocked`', example: 2 })
  failed: number;

  @IntegerField({ minimum: 0, description: 'Attempts of these deliveries, whenever they were made', example: 1010 })
  attempts: number;

  @NumberField({
    optional: true,
    minimum: 0,
    maximum: 1,
    description: '`delivered` of those that have ended; absent while none has',
    example: 0.998,
  })
  successRate?: number;

  @ObjectField(() => LatencyView, {
    optional: true,
    description: 'Percentiles of the milliseconds that the last attempts took; absent while none was made',
  })
  latencyMs?: LatencyView;
}

export class DeliveryStatsView {
  @ListField(() => HourStatsView, { maxItems: MOST_DAYS * 24 + 1, description: 'Every hour, oldest first' })
  data: HourStatsView[];
}

export const deliveryStatsView = (hours: readonly HourStats[]): DeliveryStatsView => ({ data: hours.map(hourView) });

function hourView({ at, deliveries, delivered, failed, attempts, latencyMs }: HourStats): HourStatsView {
  const ended = delivered + failed;
  return {
    hour: at.toISOString(),
    deliveries,
    delivered,
    failed,
    attempts,
    ...(ended === 0 ? {} : { successRate: delivered / ended }),
    ...(latencyMs === null ? {} : { latencyMs }),
  };
}
