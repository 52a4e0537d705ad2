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

  @DateTimeField({ optional: true, description: 'The event happened then or later' }) from?: string;
  @DateTimeField({ optional: true, description: 'The event happened before' }) to?: string;
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
  @IntegerField({ minimum: 0, description: 'How many attempts were made' }) attempts: number;

  @ObjectField(() => DeliveryErrorView, { optional: true, description: 'Why the last attempt failed' })
  lastError?: DeliveryErrorView;

  @DateTimeField() createdAt: string;

  @DateTimeField({
    optional: true,
    description:
      'When it may be attempted, now at the earliest. Absent when it has ended, during an attempt, and while it waits for an earlier delivery of its record',
  })
  nextAttemptAt?: string;

  @EnumField(DELIVERY_WAITS, {
    optional: true,
    description:
      'Why it has not ended: `retry` its next attempt has a time, `receiver` the receiver asked to wait or keeps failing, `rate_limit` the rate of the subscription, `record` an earlier delivery of its record, `slot` it is due and others are before it. Absent during an attempt',
  })
  waitingFor?: DeliveryWait;

  @BooleanField({
    description:
      'It failed three times and was not attempted again, because later deliveries of its record waited (`onStall: skip`)',
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
      'Where an attempt without an answer failed: `policy` is the check of the URL, `dns` the lookup of its host and the check of the addresses found, `headers` and `body` are those of the answer',
  })
  phase?: AttemptPhase;

  @IntegerField({ minimum: 0, description: 'Until the answer was complete, or the attempt had failed' })
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
    description: `The events happened then or later; by default 24 hours before the end, at most ${MOST_DAYS} days`,
  })
  from?: string;

  @DateTimeField({ optional: true, description: 'The events happened before; by default now' }) to?: string;
}

export class LatencyView {
  @IntegerField({ minimum: 0, example: 38 }) p50: number;
  @IntegerField({ minimum: 0, example: 120 }) p95: number;
  @IntegerField({ minimum: 0, example: 410 }) p99: number;
}

export class HourStatsView {
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
