import { EventEnvelope, isUuid, TENANT_HEADER } from '@crm/contracts';
import { NO_TENANT } from '@crm/database';
import type { JsMsg } from '@nats-io/jetstream';
import { Compile } from 'typebox/compile';

const envelopeSchema = Compile(EventEnvelope);

/** A message parsed as an event, or the reason why it is not one. */
export type ReceivedEvent =
  | { readonly ok: true; readonly envelope: EventEnvelope }
  | { readonly ok: false; readonly problem: string };

/** Reads the body of a message. @param headerTenant its tenant according to its header or its stored row, if known */
export function readEvent(data: Uint8Array, headerTenant: string | undefined): ReceivedEvent {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(data));
  } catch (error) {
    return { ok: false, problem: `The body is not JSON: ${error instanceof Error ? error.message : error}` };
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
