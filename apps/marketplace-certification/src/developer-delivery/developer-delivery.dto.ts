import {
  ATTEMPT_PHASES,
  type AttemptPhase,
  DELIVERY_STATUSES,
  type DeliveryStatus,
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
  ObjectField,
  TextField,
} from '@crm/http';

export class ListAppDeliveriesQuery extends ListQuery {
  @EnumField(DELIVERY_STATUSES, { optional: true })
  status?: DeliveryStatus;

  @EnumField(EVENT_NAMES, { optional: true })
  event?: EventName;

  @TextField({
    optional: true,
    minLength: 1,
    maxLength: 40,
    description: '`code` of `lastError`: why the last attempt failed',
    example: 'timeout_headers',
  })
  errorCode?: string;

  @DateTimeField({ optional: true, description: 'The event happened then or later' })
  from?: string;

  @DateTimeField({ optional: true, description: 'The event happened before' })
  to?: string;
}

export class AppDeliveryErrorView {
  @TextField({ maxLength: 40, description: 'dns, blocked, connect, tls, timeout_…, http_4xx, http_5xx, redirect …' })
  code: string;

  @TextField({ maxLength: 500 })
  message: string;

  @IntegerField({ optional: true })
  httpStatus?: number;
}

export class AppDeliveryView {
  @IdField()
  id: string;

  @TextField({ maxLength: 80, example: 'lead.created' })
  event: string;

  @IdField({ description: 'Also the `webhook-id` of every attempt' })
  eventId: string;

  @IdField({ description: 'The installation of the app, as in `app.installed`; the workspace is not shown' })
  installationId: string;

  @TextField({ maxLength: 2048 })
  url: string;

  @EnumField(DELIVERY_STATUSES)
  status: DeliveryStatus;

  @IntegerField({ minimum: 0, description: 'How many attempts were made' })
  attempts: number;

  @ObjectField(() => AppDeliveryErrorView, { optional: true, description: 'Why the last attempt failed' })
  lastError?: AppDeliveryErrorView;

  @IntegerField({ optional: true, minimum: 0, description: 'Milliseconds that the last attempt took', example: 38 })
  latencyMs?: number;

  @DateTimeField()
  createdAt: string;

  @DateTimeField({ optional: true })
  nextAttemptAt?: string;
}

export class AppAttemptView {
  @DateTimeField()
  at: string;

  @IntegerField({ optional: true })
  httpStatus?: number;

  @TextField({ maxLength: 40, optional: true })
  errorCode?: string;

  @EnumField(ATTEMPT_PHASES, { optional: true, description: 'Where an attempt without an answer failed' })
  phase?: AttemptPhase;

  @IntegerField({ minimum: 0, description: 'Until the answer was complete, or the attempt had failed' })
  latencyMs: number;

  @TextField({ maxLength: 4096, optional: true, description: 'The beginning of what the app answered' })
  responseExcerpt?: string;
}

export class AppDeliveryDetailView extends AppDeliveryView {
  @ListField(() => AppAttemptView)
  attemptLog: AppAttemptView[];
}
