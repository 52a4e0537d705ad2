import { continueTrace } from '@crm/access';
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
import type { NarrowTransaction, OutboxRow, TenantTransaction, TransactionOrigin } from '../transaction.js';

/** Tells the relay of this process that an event was committed. It also polls, so a lost signal only causes a delay. */
export class OutboxSignal {
  private listener: (() => void) | undefined;
  private pending = false;

  /** A process has one relay; a later listener replaces the earlier one. */
  onSignal(listener: (() => void) | undefined): void {
    this.listener = listener;
  }

  notify(): void {
    if (this.pending || !this.listener) return;
    this.pending = true;
    setImmediate(() => {
      this.pending = false;
      this.listener?.();
    });
  }
}

/** Bytes of JSON. The broker takes messages up to 1 MiB with headers, and one that it rejects would block all later ones. */
export const MAX_EVENT_BYTES = 900_000;

export interface EventInput<Data> {
  /** Only in a narrow transaction, which has no tenant context. */
  tenantId?: string;
  subject: string;
  data: Data;
  /** The record's version after the change; lets consumers recognise older events. */
  recordVersion?: number;
  /** For an event of a custom object: keys of the apps that may see the object. */
  appKeys?: readonly string[];
  /** The installation that the object belongs to, of the app that comes first in `appKeys`. */
  installationId?: string;
  time?: Date;
}

/**
 * Adds an event to the transaction of its change. Append after the statements, so that events are in the order of row
 * locks.
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
    throw new Error('A tenant transaction appends only events of its own tenant');
  }
  const row = eventRow(definition, event, { ...tx.origin, tenantId });
  tx.appendToOutbox(row);
  return row.id;
}

/** For `tx.appendToOutbox`, where several are made before the change. @throws PlatformError PAYLOAD_TOO_LARGE */
export function eventRow<E extends EventDefinition>(
  definition: E,
  event: Omit<EventInput<EventData<E>>, 'tenantId'>,
  origin: TransactionOrigin,
): OutboxRow {
  const { tenantId } = origin;
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
    traceparent: origin.traceparent ?? continueTrace(undefined),
    actorkind: origin.kind,
    // What works on behalf of someone later, such as a run, gives its own id as that of the request.
    causeid: origin.kind === 'internal' ? origin.requestId : undefined,
    appkeys: event.appKeys?.join(' '),
    installationid: event.installationId,
    recordversion: event.recordVersion,
    data: event.data as Record<string, unknown>,
  };
  const json = JSON.stringify(envelope);
  if (Buffer.byteLength(json) > MAX_EVENT_BYTES) {
    throw new PlatformError(
      'PAYLOAD_TOO_LARGE',
      `The event for this change would exceed ${MAX_EVENT_BYTES} bytes. Change less at once`,
    );
  }
  const { name } = definition;
  return { tenantId, id: envelope.id, name, subject: eventSubject(name as EventName, tenantId), envelope: json };
}
