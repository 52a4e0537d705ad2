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
    description: '`cursor` of the answer before; without it the session begins, with what is recorded from now on',
  })
  cursor?: string;

  @ListField(field.enum(EVENT_PATTERNS), {
    optional: true,
    maxItems: EVENT_PATTERNS.length,
    description:
      'Only these events, or `<domain>.*`; the parameter may be repeated. The same in every call of a session',
  })
  events?: EventPattern[];

  @IntegerField({
    optional: true,
    minimum: 0,
    maximum: MOST_WAIT_SECONDS,
    description: `Seconds that the answer may wait for a delivery, ${MOST_WAIT_SECONDS} by default`,
  })
  wait?: number;
}

export class ListenedDeliveryView {
  @IdField() id: string;
  @TextField({ maxLength: 80, example: EVENT_NAMES[0] }) event: string;
  @IdField({ description: 'Also `webhook-id` of the headers' }) eventId: string;
  @IdField() subscriptionId: string;

  @TextField({ maxLength: 2048, description: 'Where the delivery is sent', example: 'https://hooks.example.com/crm' })
  url: string;

  @JsonField({
    description: 'Those of an attempt that is made now, signed with the secret of the app',
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
    description: 'The exact text that is sent, which the signature is of',
    example: '{"id":"019ca8f0-2c64-7e1b-9a37-5d8b0f4c6e21","type":"lead.created"}',
  })
  body: string;
}

export class ListenedDeliveriesView {
  @ListField(() => ListenedDeliveryView, { description: 'In the order in which they were recorded' })
  data: ListenedDeliveryView[];

  @TextField({ maxLength: 500, description: 'For the next call, whether there were deliveries or not' }) cursor: string;
}

export class TriggerInput {
  @EnumField(EVENT_NAMES, { description: 'Of the catalogue: `GET /api/webhooks/event-types`' }) event: EventName;
}

export class TriggeredDeliveryView {
  @IdField({ description: 'In the ledger of the workspace: `GET /api/webhooks/deliveries/{id}`' }) id: string;
  @IdField() subscriptionId: string;
  @TextField({ maxLength: 2048, example: 'https://hooks.example.com/crm' }) url: string;

  @EnumField(DELIVERY_STATUSES, {
    description: '`pending` when the platform was about to restart; the attempt is made later',
  })
  status: DeliveryStatus;

  @IntegerField({ optional: true, description: 'Status of the answer, whether it was accepted or not' })
  httpStatus?: number;

  @IntegerField({ optional: true, minimum: 0, description: 'Until the answer was complete, or the attempt had failed' })
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
  @BooleanField({ description: 'Whether the receiver accepted it: it answered 2xx' }) accepted: boolean;

  @TextField({ maxLength: 500, optional: true, description: 'Why it failed', example: 'The receiver answered 500' })
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
