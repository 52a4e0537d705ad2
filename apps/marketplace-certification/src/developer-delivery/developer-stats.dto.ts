import type { DeliveryHour } from '@crm/contracts';
import { DateTimeField, IntegerField, ListField, NumberField, ObjectField } from '@crm/http';

/** Hours of seven days that do not begin with one: the longest range that the dispatcher counts. */
const MOST_HOURS = 169;

export class AppStatsQuery {
  @DateTimeField({
    optional: true,
    description: 'The events happened then or later; by default 24 hours before the end, at most 7 days',
  })
  from?: string;

  @DateTimeField({ optional: true, description: 'The events happened before; by default now' })
  to?: string;
}

export class AppLatencyView {
  @IntegerField({ minimum: 0, example: 38 })
  p50: number;

  @IntegerField({ minimum: 0, example: 120 })
  p95: number;

  @IntegerField({ minimum: 0, example: 410 })
  p99: number;
}

export class AppHourView {
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

  @ObjectField(() => AppLatencyView, {
    optional: true,
    description: 'Percentiles of the milliseconds that the last attempts took; absent while none was made',
  })
  latencyMs?: AppLatencyView;
}

export class AppStatsView {
  @ListField(() => AppHourView, { maxItems: MOST_HOURS, description: 'Every hour, oldest first' })
  data: AppHourView[];
}

/** The same as the statistics of a workspace (`/api/webhooks/stats`). */
export const appStatsView = (hours: readonly DeliveryHour[]): AppStatsView => ({
  data: hours.map(({ at, deliveries, delivered, failed, attempts, latencyMs }) => ({
    hour: at,
    deliveries,
    delivered,
    failed,
    attempts,
    ...(delivered + failed === 0 ? {} : { successRate: delivered / (delivered + failed) }),
    ...(latencyMs === null ? {} : { latencyMs }),
  })),
});
