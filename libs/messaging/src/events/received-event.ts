import { EventEnvelope, isUuid, TENANT_HEADER } from '@crm/contracts';
import { NO_TENANT } from '@crm/database';
import type { JsMsg } from '@nats-io/jetstream';
import { Compile } from 'typebox/compile';

const envelopeSchema = Compile(EventEnvelope);

/** A message as an event, or why it is none. */
export type ReceivedEvent =
  | { readonly ok: true; readonly envelope: EventEnvelope }
  | { readonly ok: false; readonly problem: string };

/** Reads the body of a message. @param headerTenant whose it is by its header or where it is stored, if that is known */
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

/** Whose dead letter it becomes when it cannot be handled. */
export function tenantOfMessage(message: JsMsg, event: ReceivedEvent): string {
  if (event.ok) return event.envelope.tenantid;
  const named = headerTenant(message);
  return isUuid(named) ? named : NO_TENANT;
}

/** The same for every delivery of a message and for no other: a stream that was lost counts from 1 again, later. */
export function messageKey(message: JsMsg): string {
  return `${message.info.streamSequence}-${message.timestampNanos}`;
}
