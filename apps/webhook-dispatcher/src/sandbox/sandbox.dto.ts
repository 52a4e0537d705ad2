import {
  DELIVERY_STATUSES,
  type DeliveryStatus,
  EVENT_NAMES,
  EVENT_PATTERNS,
  type EventName,
  type EventPattern,
} from '@crm/contracts';
import {
  BooleanField,
  EnumField,
  field,
  IdField,
  IntegerField,
  JsonField,
  ListField,
  ObjectField,
  TextField,
} from '@crm/http';
import { AttemptView, attemptView, DeliveryErrorView } from '../ledger/ledger.dto.js';
import type { AttemptOutcome } from '../receivers/receiver.js';

/** The gateway waits for 30 seconds for the beginning of an answer. */
export const MOST_WAIT_SECONDS = 20;

export class ListenQuery {
  @TextField({
    optional: true,
    minLength: 1,
    maxLength: 500,
    description: '`cursor` of the previous response; without it, a session starts with what is recorded from now on',
  })
  cursor?: string;

  @ListField(field.enum(EVENT_PATTERNS), {
    optional: true,
    maxItems: EVENT_PATTERNS.length,
    description:
      'Only these events, or `<domain>.*`. Repeat the parameter for more; send the same ones in every call of a session',
  })
  events?: EventPattern[];

  @IntegerField({
    optional: true,
    minimum: 0,
    maximum: MOST_WAIT_SECONDS,
    description: `Seconds to wait for a delivery; ${MOST_WAIT_SECONDS} by default`,
  })
  wait?: number;
}

export class ListenedDeliveryView {
  @IdField() id: string;
  @TextField({ maxLength: 80, example: EVENT_NAMES[0] }) event: string;
  @IdField({ description: 'Also the header `webhook-id`' }) eventId: string;
  @IdField() subscriptionId: string;

  @TextField({ maxLength: 2048, description: 'Where the delivery is sent', example: 'https://hooks.example.com/crm' })
  url: string;

  @JsonField({
    description: "The headers of an attempt made now, signed with the app's secret",
    example: {
      'content-type': 'application/json',
      'webhook-id': '019ca8f0-2c64-7e1b-9a37-5d8b0f4c6e21',
      'webhook-timestamp': '1772357400',
      'webhook-signature': 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
    },
  })
  headers: Record<string, string>;

  @TextField({
    maxLength: 2_000_000,
    description: 'The exact text that is sent and signed',
    example: '{"id":"019ca8f0-2c64-7e1b-9a37-5d8b0f4c6e21","type":"lead.created"}',
  })
  body: string;
}

export class ListenedDeliveriesView {
  @ListField(() => ListenedDeliveryView, { description: 'In the order they were recorded' })
  data: ListenedDeliveryView[];

  @TextField({ maxLength: 500, description: 'For the next call, even if there were no deliveries' }) cursor: string;
}

export class TriggerInput {
  @EnumField(EVENT_NAMES, { description: 'An event type from `GET /api/webhooks/event-types`' }) event: EventName;
}

export class TriggeredDeliveryView {
  @IdField({ description: 'ID of the delivery: `GET /api/webhooks/deliveries/{id}`' }) id: string;
  @IdField() subscriptionId: string;
  @TextField({ maxLength: 2048, example: 'https://hooks.example.com/crm' }) url: string;

  @EnumField(DELIVERY_STATUSES, {
    description: '`pending` if the platform was about to restart; the attempt is made later',
  })
  status: DeliveryStatus;

  @IntegerField({ optional: true, description: 'Status of the response, even if it failed' })
  httpStatus?: number;

  @IntegerField({
    optional: true,
    minimum: 0,
    description: 'Duration until the response was complete or the attempt failed',
  })
  latencyMs?: number;

  @ObjectField(() => DeliveryErrorView, { optional: true, description: 'Why the attempt failed' })
  error?: DeliveryErrorView;
}

export class TriggeredEventView {
  @IdField({ description: '`webhook-id` of the deliveries' }) eventId: string;
  @TextField({ maxLength: 80, example: EVENT_NAMES[0] }) event: string;
  @ListField(() => TriggeredDeliveryView) deliveries: TriggeredDeliveryView[];
}

export class TestOutcomeView extends AttemptView {
  @IdField({ description: 'The `webhook-id` of the test event' }) eventId: string;
  @BooleanField({ description: 'Whether the endpoint accepted it with a 2xx status' }) accepted: boolean;

  @TextField({ maxLength: 500, optional: true, description: 'Why it failed', example: 'The endpoint returned 500' })
  errorMessage?: string;
}

export const testOutcomeView = ({
  eventId,
  error,
  ...outcome
}: AttemptOutcome & { readonly eventId: string }): TestOutcomeView => ({
  eventId,
  accepted: error === null,
  ...attemptView({ ...outcome, errorCode: error?.code ?? null, phase: error?.phase ?? null }),
  ...(error === null ? {} : { errorMessage: error.message }),
});
