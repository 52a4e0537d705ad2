import { EVENT_NAMES, EVENT_PATTERNS, type EventPattern } from '@crm/contracts';
import { field, IdField, IntegerField, JsonField, ListField, TextField } from '@crm/http';

/** Seconds that a call waits at most: the gateway waits for 30 seconds for the beginning of an answer. */
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
  @IdField()
  id: string;

  @TextField({ maxLength: 80, example: EVENT_NAMES[0] })
  event: string;

  @IdField({ description: 'Also `webhook-id` of the headers' })
  eventId: string;

  @IdField()
  subscriptionId: string;

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

  @TextField({ maxLength: 500, description: 'For the next call, whether there were deliveries or not' })
  cursor: string;
}
