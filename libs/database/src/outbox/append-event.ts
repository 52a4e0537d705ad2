import { currentRequestContext, currentTraceparent } from '@crm/context';
import {
  type EventData,
  type EventDefinition,
  type EventEnvelope,
  type EventName,
  eventSubject,
  isUuid,
  PlatformError,
} from '@crm/contracts';
import { newId } from '../ids.js';
import type { NarrowTransaction, TenantTransaction } from '../transaction.js';
import { APPEND_EVENT } from './outbox.sql.js';

/**
 * Largest event in bytes of JSON. The broker takes messages up to 1 MiB with their headers (its default max_payload),
 * and one that it refuses would hold up all that come after it.
 */
export const MAX_EVENT_BYTES = 900_000;

export interface EventInput<Data> {
  /** Only in a narrow transaction, where no context says it. */
  tenantId?: string;
  /** What the event is about, e.g. the record's id. */
  subject: string;
  data: Data;
  /** The record's version after the change; lets consumers recognise what is older. */
  recordVersion?: number;
  /** When it happened; now when left out. */
  time?: Date;
}

/**
 * Adds an event to the outbox in the transaction of the change that it tells of: both commit, or neither. Append after
 * the change's own statements, so that events of one record are in the order of its row locks.
 * @returns id of the event
 * @throws PlatformError PAYLOAD_TOO_LARGE when the event is larger than MAX_EVENT_BYTES
 */
export async function appendEvent<E extends EventDefinition>(
  tx: TenantTransaction | NarrowTransaction,
  definition: E,
  event: EventInput<EventData<E>>,
): Promise<string> {
  const tenantId = tx.tenantId ?? event.tenantId;
  if (!isUuid(tenantId)) throw new Error('An event needs the id of its tenant');
  if (event.tenantId !== undefined && event.tenantId !== tenantId) {
    throw new Error('A tenant transaction appends events of its own tenant only');
  }
  const envelope: EventEnvelope = {
    specversion: '1.0',
    id: newId(),
    source: `urn:crm:service:${definition.producer}`,
    type: definition.name,
    subject: event.subject,
    time: (event.time ?? new Date()).toISOString(),
    datacontenttype: 'application/json',
    dataschema: definition.dataschema,
    tenantid: tenantId,
    traceparent: currentTraceparent(),
    actorkind: currentRequestContext()?.principal?.kind,
    recordversion: event.recordVersion,
    data: event.data as Record<string, unknown>,
  };
  const json = JSON.stringify(envelope);
  if (Buffer.byteLength(json) > MAX_EVENT_BYTES) {
    throw new PlatformError('PAYLOAD_TOO_LARGE', `The change makes an event of more than ${MAX_EVENT_BYTES} bytes`);
  }
  await tx.query(APPEND_EVENT, [
    tenantId,
    envelope.id,
    definition.name,
    eventSubject(definition.name as EventName, tenantId),
    json,
  ]);
  tx.eventAppended();
  return envelope.id;
}
