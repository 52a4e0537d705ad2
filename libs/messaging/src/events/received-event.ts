import { type ConsumerDefinition, EventEnvelope, isUuid, PlatformError, TENANT_HEADER } from '@crm/contracts';
import { isExcessive, isTemporary, NO_TENANT } from '@crm/database';
import { enterTrace, isTracing, type Span, type SpanDescription } from '@crm/telemetry';
import type { JsMsg } from '@nats-io/jetstream';
import { Compile } from 'typebox/compile';
import { destinationOf } from '../outbox/event-publisher.js';
import { TRACEPARENT_HEADER } from '../rpc/wire.js';

/** Milliseconds before a failed event is delivered again, by the number of its delivery; the last one repeats. */
export const REDELIVERY_DELAYS_MS: readonly number[] = [1_000, 5_000, 30_000, 60_000, 120_000, 300_000];

export function redeliveryDelay(delays: readonly number[], delivery: number): number {
  return delays[Math.min(delivery, delays.length) - 1] ?? 0;
}

/**
 * The event waits no longer than it has waited since it was stored: short outages would otherwise add up to minutes. Whole
 * milliseconds: the broker reads no delay with a fraction of a nanosecond, and would deliver again at once.
 */
export function delayAfterOutage(delays: readonly number[], delivery: number, ageMs: number): number {
  const [shortest = 0] = delays;
  return Math.ceil(Math.max(shortest, Math.min(redeliveryDelay(delays, delivery), ageMs)));
}

/** An event beyond its limit by this factor crashes its process, never succeeds, or waited most of a day. */
const UNRECOVERABLE_FACTOR = 20;

export function isUnrecoverable(delivery: number, maxDeliveries: number): boolean {
  return delivery > maxDeliveries * UNRECOVERABLE_FACTOR;
}

/**
 * Returns whether something the event needs is unavailable, so that the failure does not count. A statement that took too long
 * or too much memory does count: it may do so every time and delay other tenants' events.
 */
export function isTransient(error: unknown): boolean {
  if (isExcessive(error)) return false;
  if (error instanceof PlatformError) return error.code === 'SERVICE_UNAVAILABLE' || error.code === 'DEADLINE_EXCEEDED';
  return isTemporary(error);
}

const envelopeSchema = Compile(EventEnvelope);

export type ReceivedEvent =
  | { readonly ok: true; readonly envelope: EventEnvelope }
  | { readonly ok: false; readonly problem: string };

/** Reads the body of a message. @param headerTenant its tenant according to its header or its stored row, if known */
export function readEvent(data: Uint8Array, headerTenant: string | undefined): ReceivedEvent {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(data));
  } catch (error) {
    return { ok: false, problem: `The body isn't JSON: ${error instanceof Error ? error.message : error}` };
  }
  if (!envelopeSchema.Check(value)) {
    const problems = envelopeSchema.Errors(value).map((problem) => `${problem.instancePath} ${problem.message}`);
    return { ok: false, problem: `The body is not an event: ${problems.slice(0, 5).join('; ')}` };
  }
  const envelope = value as EventEnvelope;
  if (headerTenant && headerTenant.toLowerCase() !== envelope.tenantid.toLowerCase()) {
    return { ok: false, problem: 'The header and the event name different tenants' };
  }
  return { ok: true, envelope };
}

export function headerTenant(message: JsMsg): string | undefined {
  return message.headers?.get(TENANT_HEADER) || undefined;
}

/** The tenant of its dead letter if it cannot be handled. */
export function tenantOfMessage(message: JsMsg, event: ReceivedEvent): string {
  if (event.ok) return event.envelope.tenantid;
  const named = headerTenant(message);
  return isUuid(named) ? named : NO_TENANT;
}

/** Identifies a message across its deliveries. Includes the time, because a stream that was lost counts from 1 again. */
export function messageKey(message: JsMsg): string {
  return `${message.info.streamSequence}-${message.timestampNanos}`;
}

interface Received {
  readonly message: JsMsg;
  readonly envelope: EventEnvelope;
  readonly consumer: ConsumerDefinition;
}

/** Below the event's way through the stream if that is recorded, otherwise below what has caused it. */
export function receiveEvent(received: Received): Span | undefined {
  const { message, envelope } = received;
  const sent = (isTracing() && message.headers?.get(TRACEPARENT_HEADER)) || envelope.traceparent;
  const { traceparent, span } = enterTrace(sent, describeProcessing, received);
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
