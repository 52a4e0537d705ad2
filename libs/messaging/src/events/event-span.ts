import type { ConsumerDefinition, EventEnvelope } from '@crm/contracts';
import { arrive, isTracing, type Span, type SpanDescription } from '@crm/telemetry';
import type { JsMsg } from '@nats-io/jetstream';
import { destinationOf } from '../outbox/publish-span.js';
import { TRACEPARENT_HEADER } from '../rpc/wire.js';

/** An event that a consumer has received. */
interface Received {
  readonly message: JsMsg;
  readonly envelope: EventEnvelope;
  readonly consumer: ConsumerDefinition;
}

/**
 * Receives an event in its trace, below its way through the stream if that is recorded, otherwise below what has caused it.
 * From here on its traceparent is that of its handling.
 */
export function receiveEvent(received: Received): Span | undefined {
  const { message, envelope } = received;
  const sent = (isTracing() && message.headers?.get(TRACEPARENT_HEADER)) || envelope.traceparent;
  const { traceparent, span } = arrive(sent, describeProcessing, received);
  envelope.traceparent = traceparent;
  return span;
}

const describeProcessing = ({ message, envelope, consumer }: Received): SpanDescription => ({
  name: `process ${destinationOf(message.subject)}`,
  kind: 'consumer',
  attributes: {
    'messaging.system': 'nats',
    'messaging.operation.name': 'process',
    'messaging.operation.type': 'process',
    'messaging.destination.name': destinationOf(message.subject),
    'messaging.consumer.group.name': consumer.durable,
    'messaging.message.id': envelope.id,
    'messaging.nats.delivery_count': message.info.deliveryCount,
  },
});
