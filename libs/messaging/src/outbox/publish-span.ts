import type { OutboxEvent } from '@crm/database';
import { type Span, type SpanDescription, startSpan } from '@crm/telemetry';
import type { EventOutcome } from './acknowledgements.js';

type PublishedEvent = Pick<OutboxEvent, 'id' | 'subject' | 'envelope'>;

/**
 * The traceparent in the JSON of an envelope; its members stand before the data. A quotation mark within a text of the data
 * is escaped, so what is found is a member, and the envelope's own comes first.
 */
const TRACEPARENT = /"traceparent"\s*:\s*"([^"\\]{1,128})"/;

/** The name of the event, without the bucket, which says something about the tenant. */
export const destinationOf = (subject: string): string => subject.split('.').slice(0, 3).join('.');

const describePublishing = ({ id, subject }: PublishedEvent): SpanDescription => ({
  name: `send ${destinationOf(subject)}`,
  kind: 'producer',
  attributes: {
    'messaging.system': 'nats',
    'messaging.operation.name': 'send',
    'messaging.operation.type': 'send',
    'messaging.destination.name': destinationOf(subject),
    'messaging.message.id': id,
  },
});

/** Begins the span of an event's way to the stream, below what has caused the event. */
export const startPublishing = (event: PublishedEvent): Span | undefined =>
  startSpan(TRACEPARENT.exec(event.envelope)?.[1], describePublishing, event);

export function endPublishing(span: Span | undefined, outcome: EventOutcome | undefined): void {
  if (!span) return;
  if (outcome instanceof Error) span.fail(outcome);
  span.end();
}
