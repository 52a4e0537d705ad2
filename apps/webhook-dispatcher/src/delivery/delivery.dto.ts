import {
  DateTimeField,
  EnumField,
  IdField,
  IntegerField,
  ListField,
  ListQuery,
  ObjectField,
  TextField,
} from '@crm/http';
import type { Attempt, Delivery } from './delivery.js';
import { DELIVERY_STATUSES, type DeliveryStatus } from './delivery-state.js';

export class ListDeliveriesQuery extends ListQuery {
  @EnumField(DELIVERY_STATUSES, { optional: true })
  status?: DeliveryStatus;

  @IdField({ optional: true })
  subscriptionId?: string;
}

export class DeliveryErrorView {
  @TextField({ maxLength: 40, description: 'dns, blocked, connect, tls, timeout_…, http_4xx, http_5xx, redirect …' })
  code: string;

  @TextField({ maxLength: 500 })
  message: string;

  @IntegerField({ optional: true })
  httpStatus?: number;
}

export class DeliveryView {
  @IdField()
  id: string;

  @TextField({ maxLength: 80, example: 'lead.created' })
  event: string;

  @IdField({ description: 'Also the `webhook-id` of every attempt' })
  eventId: string;

  @IdField()
  subscriptionId: string;

  @TextField({ maxLength: 2048 })
  url: string;

  @EnumField(DELIVERY_STATUSES)
  status: DeliveryStatus;

  @IntegerField({ minimum: 0, description: 'How many attempts were made' })
  attempts: number;

  @ObjectField(() => DeliveryErrorView, { optional: true, description: 'Why the last attempt failed' })
  lastError?: DeliveryErrorView;

  @DateTimeField()
  createdAt: string;

  @DateTimeField({ optional: true })
  nextAttemptAt?: string;
}

export class AttemptView {
  @DateTimeField()
  at: string;

  @IntegerField({ optional: true })
  httpStatus?: number;

  @TextField({ maxLength: 40, optional: true })
  errorCode?: string;

  @IntegerField({ minimum: 0 })
  latencyMs: number;

  @TextField({ maxLength: 4096, optional: true, description: 'The beginning of the response' })
  responseExcerpt?: string;
}

export class DeliveryDetailView extends DeliveryView {
  @ListField(() => AttemptView)
  attemptLog: AttemptView[];
}

export const deliveryView = (delivery: Delivery): DeliveryView => ({
  id: delivery.id,
  event: delivery.event,
  eventId: delivery.eventId,
  subscriptionId: delivery.subscriptionId,
  url: delivery.url,
  status: delivery.status,
  attempts: delivery.attempts,
  ...(delivery.lastError === null ? {} : { lastError: delivery.lastError }),
  createdAt: delivery.createdAt.toISOString(),
  ...(delivery.nextAttemptAt === null ? {} : { nextAttemptAt: delivery.nextAttemptAt.toISOString() }),
});

export const attemptView = (attempt: Attempt): AttemptView => ({
  at: attempt.at.toISOString(),
  ...(attempt.httpStatus === null ? {} : { httpStatus: attempt.httpStatus }),
  ...(attempt.errorCode === null ? {} : { errorCode: attempt.errorCode }),
  latencyMs: attempt.latencyMs,
  ...(attempt.responseExcerpt === null ? {} : { responseExcerpt: attempt.responseExcerpt }),
});
