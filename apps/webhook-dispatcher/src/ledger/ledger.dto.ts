import {
  type AppDelivery,
  ATTEMPT_PHASES,
  type AttemptPhase,
  DELIVERY_STATUSES,
  DELIVERY_WAITS,
  type DeliveryStatus,
  type DeliveryWait,
  EVENT_NAMES,
  type EventName,
} from '@crm/contracts';
import {
  BooleanField,
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
import type { Attempt, Delivery, HourStats } from './ledger.repository.js';
import { MOST_DAYS } from './time-range.js';

export class ListDeliveriesQuery extends ListQuery {
  @EnumField(DELIVERY_STATUSES, { optional: true }) status?: DeliveryStatus;
  @IdField({ optional: true }) subscriptionId?: string;
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

export class DeliveryErrorView {
  @TextField({ maxLength: 40, description: 'dns, blocked, connect, tls, timeout_…, http_4xx, http_5xx, redirect …' })
  code: string;

  @TextField({ maxLength: 500 }) message: string;
  @IntegerField({ optional: true }) httpStatus?: number;
}

export class DeliveryView {
  @IdField() id: string;
  @TextField({ maxLength: 80, example: 'lead.created' }) event: string;
  @IdField({ description: 'Also the `webhook-id` of every attempt' }) eventId: string;
  @IdField() subscriptionId: string;
  @TextField({ maxLength: 2048 }) url: string;
  @EnumField(DELIVERY_STATUSES) status: DeliveryStatus;
  @IntegerField({ minimum: 0, description: 'Number of attempts' }) attempts: number;

  @ObjectField(() => DeliveryErrorView, { optional: true, description: 'Why the last attempt failed' })
  lastError?: DeliveryErrorView;

  @DateTimeField() createdAt: string;

  @DateTimeField({
    optional: true,
    description:
      'When the next attempt can be made. Absent if it has ended, during an attempt, and while it waits for an earlier delivery of its record',
  })
  nextAttemptAt?: string;

  @EnumField(DELIVERY_WAITS, {
    optional: true,
    description:
      "Why it hasn't ended. `retry`: the next attempt is scheduled; `receiver`: the endpoint asked to wait or keeps failing; `rate_limit`: the subscription's rate limit; `record`: an earlier delivery of its record; `slot`: it is due, after others. Absent during an attempt",
  })
  waitingFor?: DeliveryWait;

  @BooleanField({
    description:
      "It failed 3 times and wasn't tried again because later deliveries of its record were waiting (`onStall: skip`)",
  })
  setAside: boolean;
}

export class AttemptView {
  @DateTimeField() at: string;
  @IntegerField({ optional: true }) httpStatus?: number;
  @TextField({ maxLength: 40, optional: true }) errorCode?: string;

  @EnumField(ATTEMPT_PHASES, {
    optional: true,
    description:
      'Where an attempt without a response failed: `policy` is the check of the URL, `dns` the lookup of its host and the check of its addresses, `headers` and `body` are those of the response',
  })
  phase?: AttemptPhase;

  @IntegerField({ minimum: 0, description: 'Duration until the response was complete or the attempt failed' })
  latencyMs: number;

  @TextField({ maxLength: 4096, optional: true, description: 'The beginning of the response' })
  responseExcerpt?: string;
}

export class DeliveryDetailView extends DeliveryView {
  @ListField(() => AttemptView) attemptLog: AttemptView[];
}

const commonView = (delivery: Delivery) => ({
  id: delivery.id,
  event: delivery.event,
  eventId: delivery.eventId,
  url: delivery.url,
  status: delivery.status,
  attempts: delivery.attempts,
  ...(delivery.lastError && { lastError: delivery.lastError }),
  createdAt: delivery.createdAt.toISOString(),
  ...(delivery.nextAttemptAt && { nextAttemptAt: delivery.nextAttemptAt.toISOString() }),
  ...(delivery.waitingFor && { waitingFor: delivery.waitingFor }),
});

export const deliveryView = (delivery: Delivery): DeliveryView => ({
  ...commonView(delivery),
  subscriptionId: delivery.subscriptionId,
  setAside: delivery.isSetAside,
});

/** The view of an app's developer, which names the installation but not the tenant. */
export const appDeliveryView = (delivery: Delivery): AppDelivery => ({
  ...commonView(delivery),
  // Every delivery of an app has one.
  installationId: delivery.installationId as string,
  ...(delivery.latencyMs === null ? {} : { latencyMs: delivery.latencyMs }),
});

export const attemptView = ({
  at,
  httpStatus,
  errorCode,
  phase,
  latencyMs,
  responseExcerpt,
}: Omit<Attempt, 'number'>): AttemptView => ({
  at: at.toISOString(),
  ...(httpStatus === null ? {} : { httpStatus }),
  ...(errorCode === null ? {} : { errorCode }),
  ...(phase === null ? {} : { phase }),
  latencyMs,
  ...(responseExcerpt === null ? {} : { responseExcerpt }),
});

export class DeliveryStatsQuery {
  @DateTimeField({
    optional: true,
    description: `Events at or after this time; 24 hours before the end by default, up to ${MOST_DAYS} days`,
  })
  from?: string;

  @DateTimeField({ optional: true, description: 'Events before this time; now by default' }) to?: string;
}

export class LatencyView {
  @IntegerField({ minimum: 0, example: 38 }) p50: number;
  @IntegerField({ minimum: 0, example: 120 }) p95: number;
  @IntegerField({ minimum: 0, example: 410 }) p99: number;
}

export class HourStatsView {
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

  @ObjectField(() => LatencyView, {
    optional: true,
    description: "Percentiles of the last attempts' duration in milliseconds; absent without attempts",
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
