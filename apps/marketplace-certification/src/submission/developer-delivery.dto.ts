import {
  ATTEMPT_PHASES,
  type AttemptPhase,
  DELIVERY_STATUSES,
  DELIVERY_WAITS,
  type DeliveryHour,
  type DeliveryStatus,
  type DeliveryWait,
  EVENT_NAMES,
  type EventName,
} from '@crm/contracts';
import {
  DateTimeField,
  EnumField,
  IdField,
  IntegerField,
  ListField,
  ListQuery,
  NumberField,
  ObjectField,
  TextField,
} from '@crm/http';

export class ListAppDeliveriesQuery extends ListQuery {
  @EnumField(DELIVERY_STATUSES, { optional: true }) status?: DeliveryStatus;
  @EnumField(EVENT_NAMES, { optional: true }) event?: EventName;

  @TextField({
    optional: true,
    minLength: 1,
    maxLength: 40,
    description: '`code` of `lastError`: why the last attempt failed',
    example: 'timeout_headers',
  })
  errorCode?: string;

  @DateTimeField({ optional: true, description: 'Events at or after this time' }) from?: string;
  @DateTimeField({ optional: true, description: 'Events before this time' }) to?: string;
}

export class AppDeliveryErrorView {
  @TextField({ maxLength: 40, description: 'dns, blocked, connect, tls, timeout_…, http_4xx, http_5xx, redirect …' })
  code: string;

  @TextField({ maxLength: 500 }) message: string;
  @IntegerField({ optional: true }) httpStatus?: number;
}

export class AppDeliveryView {
  @IdField() id: string;
  @TextField({ maxLength: 80, example: 'lead.created' }) event: string;
  @IdField({ description: 'Also the `webhook-id` of every attempt' }) eventId: string;

  @IdField({ description: "The app's installation, as in `app.installed`; the workspace isn't shown" })
  installationId: string;

  @TextField({ maxLength: 2048 }) url: string;
  @EnumField(DELIVERY_STATUSES) status: DeliveryStatus;
  @IntegerField({ minimum: 0, description: 'Number of attempts' }) attempts: number;

  @ObjectField(() => AppDeliveryErrorView, { optional: true, description: 'Why the last attempt failed' })
  lastError?: AppDeliveryErrorView;

  @IntegerField({
    optional: true,
    minimum: 0,
    description: 'Duration of the last attempt in milliseconds',
    example: 38,
  })
  latencyMs?: number;

  @DateTimeField() createdAt: string;
  @DateTimeField({ optional: true }) nextAttemptAt?: string;

  @EnumField(DELIVERY_WAITS, {
    optional: true,
    description:
      "Why it hasn't ended. `retry`: the next attempt is scheduled; `receiver`: the endpoint asked to wait or keeps failing; `slot`: it is due, after others. Absent during an attempt",
  })
  waitingFor?: DeliveryWait;
}

export class AppAttemptView {
  @DateTimeField() at: string;
  @IntegerField({ optional: true }) httpStatus?: number;
  @TextField({ maxLength: 40, optional: true }) errorCode?: string;

  @EnumField(ATTEMPT_PHASES, { optional: true, description: 'Where an attempt without a response failed' })
  phase?: AttemptPhase;

  @IntegerField({ minimum: 0, description: 'Duration until the response was complete or the attempt failed' })
  latencyMs: number;

  @TextField({ maxLength: 4096, optional: true, description: "The beginning of the app's response" })
  responseExcerpt?: string;
}

export class AppDeliveryDetailView extends AppDeliveryView {
  @ListField(() => AppAttemptView) attemptLog: AppAttemptView[];
}

/** Hours of seven days that do not begin with one: the longest range that the dispatcher counts. */
const MOST_HOURS = 169;

export class AppStatsQuery {
  @DateTimeField({
    optional: true,
    description: 'Events at or after this time; 24 hours before the end by default, up to 7 days',
  })
  from?: string;

  @DateTimeField({ optional: true, description: 'Events before this time; now by default' }) to?: string;
}

export class AppLatencyView {
  @IntegerField({ minimum: 0, example: 38 }) p50: number;
  @IntegerField({ minimum: 0, example: 120 }) p95: number;
  @IntegerField({ minimum: 0, example: 410 }) p99: number;
}

export class AppHourView {
  @DateTimeField({
    description: 'The beginning of the hour (UTC) of the events',
    example: '2026-11-22T09:00:00.000Z',
  })
  hour: string;

  @IntegerField({ minimum: 0, description: 'Including those waiting for an attempt', example: 1003 })
  deliveries: number;
  @IntegerField({ minimum: 0, example: 998 }) delivered: number;

  @IntegerField({ minimum: 0, description: 'Ended without success: `failed` and `blocked`', example: 2 })
  failed: number;

  @IntegerField({ minimum: 0, description: 'All attempts of these deliveries', example: 1010 })
  attempts: number;

  @NumberField({
    optional: true,
    minimum: 0,
    maximum: 1,
    description: 'Share of `delivered` among those that ended; absent if none has ended',
    example: 0.998,
  })
  successRate?: number;

  @ObjectField(() => AppLatencyView, {
    optional: true,
    description: "Percentiles of the last attempts' duration in milliseconds; absent without attempts",
  })
  latencyMs?: AppLatencyView;
}

export class AppStatsView {
  @ListField(() => AppHourView, { maxItems: MOST_HOURS, description: 'Every hour, oldest first' }) data: AppHourView[];
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
