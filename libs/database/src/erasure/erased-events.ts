import { type EventEnvelope, type EventName, eventSubject } from '@crm/contracts';
import { lowestIdOf, millisecondsOfId } from '../ids.js';
import type { TenantTransaction } from '../transaction.js';

const DAY_MS = 86_400_000;

/** The event that says that a record was erased: `<domain>.deleted` with its id alone. */
export type Erasure = EventEnvelope & { readonly subject: string };

export const isErasure = (event: Pick<EventEnvelope, 'data' | 'subject'>): event is Erasure =>
  event.data.erased === true && event.subject !== undefined;

/** No row that tells of a record has a lower id: ids have the time. A day for clocks that differ. */
export const lowestIdSince = (recordId: string): string =>
  lowestIdOf(Math.max(0, Math.min(millisecondsOfId(recordId), Date.now()) - DAY_MS));

// By the text of the envelopes, as the platform writes them, then by their subject, as a field may be called so: reading each as JSON takes four times as long. What is written is made
// here, because a cluster changes rows by immutable functions alone.

/** $1: tenant, $2: lowest id, $3: text. */
export const LIST_EVENTS_OF_RECORD = `
  SELECT id, subject, envelope FROM outbox WHERE tenant_id = $1 AND id >= $2 AND strpos(envelope::text, $3) > 0`;

/** $1: tenant, $2: lowest id, $3: name, $4: subject, $5: ids, $6: envelopes. */
export const REDUCE_EVENTS = `
  UPDATE outbox SET name = $3, subject = $4, envelope = reduced.envelope
    FROM unnest($5::uuid[], $6::json[]) AS reduced (id, envelope)
   WHERE outbox.tenant_id = $1 AND outbox.id >= $2 AND outbox.id = reduced.id`;

/** Those that are events. $1: tenant, $2: lowest id, $3: text. */
export const LIST_DEAD_LETTERS_OF_RECORD = `
  SELECT id, payload FROM dead_letter
   WHERE tenant_id = $1 AND id >= $2 AND event_id IS NOT NULL AND position(convert_to($3, 'UTF8') IN payload) > 0`;

/** $1: tenant, $2: lowest id, $3: subject, $4: ids, $5: payloads. */
export const REDUCE_DEAD_LETTERS = `
  UPDATE dead_letter SET subject = $3, error = 'The record was erased', payload = reduced.payload
    FROM unnest($4::uuid[], $5::bytea[]) AS reduced (id, payload)
   WHERE dead_letter.tenant_id = $1 AND dead_letter.id >= $2 AND dead_letter.id = reduced.id`;

const subjectText = (recordId: string): string => `"subject":"${recordId}"`;

/** Who did something when, and no longer what; it tells of the erasure. */
const reduced = (envelope: EventEnvelope, { type, dataschema, data }: Erasure): string =>
  JSON.stringify({ ...envelope, type, dataschema, data } satisfies EventEnvelope);

interface PublishedEvent {
  readonly id: string;
  readonly subject: string;
}

/**
 * Takes the content from what the outbox has of a record; whatever of it is published from now on says that it was erased. The
 * record is locked, so that there are no other events of it.
 * @returns the events under the subjects that they had
 */
export async function eraseEvents(tx: TenantTransaction, erasure: Erasure): Promise<PublishedEvent[]> {
  const lowest = lowestIdSince(erasure.subject);
  type Row = PublishedEvent & { readonly envelope: EventEnvelope };
  const found = await tx.query<Row>(LIST_EVENTS_OF_RECORD, [tx.tenantId, lowest, subjectText(erasure.subject)]);
  const rows = found.filter(({ envelope }) => envelope.subject === erasure.subject);
  const envelopes = rows.map(({ envelope }) => reduced(envelope, erasure));
  const ids = rows.map(({ id }) => id);
  await tx.query(REDUCE_EVENTS, [tx.tenantId, lowest, erasure.type, subjectOf(erasure), ids, envelopes]);
  await eraseDeadLetters(tx, erasure);
  return rows.map(({ id, subject }) => ({ id, subject }));
}

/** Takes the content from the dead letters of a record; replayed, they say that it was erased. */
export async function eraseDeadLetters(tx: TenantTransaction, erasure: Erasure): Promise<void> {
  const lowest = lowestIdSince(erasure.subject);
  type Row = { readonly id: string; readonly payload: Buffer };
  const found = await tx.query<Row>(LIST_DEAD_LETTERS_OF_RECORD, [tx.tenantId, lowest, subjectText(erasure.subject)]);
  const rows = found
    .map(({ id, payload }) => ({ id, envelope: JSON.parse(payload.toString()) as EventEnvelope }))
    .filter(({ envelope }) => envelope.subject === erasure.subject);
  const payloads = rows.map(({ envelope }) => Buffer.from(reduced(envelope, erasure)));
  const ids = rows.map(({ id }) => id);
  await tx.query(REDUCE_DEAD_LETTERS, [tx.tenantId, lowest, subjectOf(erasure), ids, payloads]);
}

const subjectOf = ({ type, tenantid }: Erasure): string => eventSubject(type as EventName, tenantid);
