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

  @DateTimeField({ optional: true, description: 'The event happened then or later' }) from?: string;
  @DateTimeField({ optional: true, description: 'The event happened before' }) to?: string;
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

  @IdField({ description: 'The installation of the app, as in `app.installed`; the workspace is not shown' })
  installationId: string;

  @TextField({ maxLength: 2048 }) url: string;
  @EnumField(DELIVERY_STATUSES) status: DeliveryStatus;
  @IntegerField({ minimum: 0, description: 'How many attempts were made' }) attempts: number;

  @ObjectField(() => AppDeliveryErrorView, { optional: true, description: 'Why the last attempt failed' })
  lastError?: AppDeliveryErrorView;

  @IntegerField({ optional: true, minimum: 0, description: 'Milliseconds that the last attempt took', example: 38 })
  latencyMs?: number;

  @DateTimeField() createdAt: string;
  @DateTimeField({ optional: true }) nextAttemptAt?: string;

  @EnumField(DELIVERY_WAITS, {
    optional: true,
    description:
      'Why it has not ended: `retry` its next attempt has a time, `receiver` the receiver asked to wait or keeps failing, `slot` it is due and others are before it. Absent during an attempt',
  })
  waitingFor?: DeliveryWait;
}

export class AppAttemptView {
  @DateTimeField() at: string;
  @IntegerField({ optional: true }) httpStatus?: number;
  @TextField({ maxLength: 40, optional: true }) errorCode?: string;

  @EnumField(ATTEMPT_PHASES, { optional: true, description: 'Where an attempt without an answer failed' })
  phase?: AttemptPhase;

  @IntegerField({ minimum: 0, description: 'Until the answer was complete, or the attempt had failed' })
  latencyMs: number;

  @TextField({ maxLength: 4096, optional: true, description: 'The beginning of what the app answered' })
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
    description: 'The events happened then or later; by default 24 hours before the end, at most 7 days',
  })
  from?: string;

  @DateTimeField({ optional: true, description: 'The events happened before; by default now' }) to?: string;
}

export class AppLatencyView {
  @IntegerField({ minimum: 0, example: 38 }) p50: number;
  @IntegerField({ minimum: 0, example: 120 }) p95: number;
  @IntegerField({ minimum: 0, example: 410 }) p99: number;
}

export class AppHourView {
  @DateTimeField({
    description: 'The beginning of the hour (UTC) in which the events happened',
    example: '2026-11-22T09:00:00.000Z',
  })
  hour: string;

  @IntegerField({ minimum: 0, description: 'Also those that wait for an attempt', example: 1003 }) deliveries: number;
  @IntegerField({ minimum: 0, example: 998 }) delivered: number;

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
