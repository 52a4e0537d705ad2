import { isDeepStrictEqual } from 'node:util';
import type { Principal } from '@crm/access';
import { EVENTS, type EventDefinition, type EventName, PlatformError } from '@crm/contracts';
import { eventRow, type OutboxRow, type TenantTransaction } from '@crm/database';
import type { EvaluationContext } from '@crm/formula';
import { appsThatSee } from '../object/object-definition.js';
import type { ObjectModel } from '../object/object-model.js';
import { type StoredRecord } from '../reading/record.js';
import { type RecordView, recordView } from '../reading/record.serializer.js';

/** Who writes records of an object, and when. */
export interface Author {
  readonly model: ObjectModel;
  readonly caller: Principal;
  readonly clock: EvaluationContext;
}

/** Who writes several records in one transaction. */
export type Work = Omit<Author, 'model'> & { readonly tx: TenantTransaction };

/**
 * The events of a new record. They carry what everyone can read, because the subscribers are unknown here.
 * @throws PAYLOAD_TOO_LARGE
 */
export function recordCreated(author: Author, record: StoredRecord): OutboxRow[] {
  const view = publicView(author, record);
  return [eventOf(author, 'created', record.version, view), ...milestones(author, record.version, view, () => true)];
}

/** @param author like that of {@link recordCreated} */
export function recordUpdated(author: Author, before: StoredRecord, after: StoredRecord): OutboxRow[] {
  const { version } = after;
  const old = publicView(author, before);
  const view = publicView(author, after);
  const names = author.model.object.fields.map(({ apiName }) => apiName);
  const changed = names.filter((name) => !isSame(old[name], view[name]));
  const previous = Object.fromEntries(changed.map((name) => [name, old[name]]));
  const event = (change: Readonly<Record<string, unknown>>) =>
    eventOf(author, 'updated', version, view, { changed, ...change });
  return [
    fitting(
      () => event({ previous }),
      // Both states together can be too long for the broker although each is not: then the new one has to do.
      () => event({ previous: {}, previousOmitted: true }),
    ),
    ...milestones(author, version, view, (field) => changed.includes(field)),
  ];
}

export const recordDeleted = (author: Author, record: StoredRecord): OutboxRow =>
  eventOf(author, 'deleted', record.version + 1, publicView(author, record));

/** Nothing but the id: it is what is left. Who has the record in mind by its versions knows that this is the last one. */
export const recordErased = (author: Omit<Author, 'clock'>, { id, version }: StoredRecord): OutboxRow =>
  eventOf(author, 'deleted', version + 1, { id }, { erased: true });

/** A restored record reaches no milestone again. */
export const recordRestored = (author: Author, record: StoredRecord): OutboxRow =>
  eventOf(author, 'restored', record.version, publicView(author, record));

/** The second when the first is too large. */
function fitting(first: () => OutboxRow, second: () => OutboxRow): OutboxRow {
  try {
    return first();
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'PAYLOAD_TOO_LARGE') return second();
    throw error;
  }
}

/** The further events of a standard object whose fields have reached a value. */
function milestones(
  { model: { object }, caller }: Author,
  recordVersion: number,
  record: RecordView,
  isChanged: (field: string) => boolean,
): OutboxRow[] {
  const reached = object.standard?.milestones.filter(({ field, value }) => record[field] === value && isChanged(field));
  return (reached ?? []).map(({ event }) =>
    eventRow(definitionOf(event), { subject: record.id, recordVersion, data: { record } }, caller),
  );
}

function eventOf(
  { model: { object }, caller }: Omit<Author, 'clock'>,
  what: 'created' | 'updated' | 'deleted' | 'restored',
  recordVersion: number,
  record: RecordView | Pick<RecordView, 'id'>,
  change: Readonly<Record<string, unknown>> = {},
): OutboxRow {
  const { standard, apiName, installationId } = object;
  const definition = definitionOf(`${standard?.domain ?? 'record'}.${what}`);
  const data = standard ? { record, ...change } : { object: apiName, record, ...change };
  const recipients = installationId === null ? {} : { appKeys: appsThatSee(object), installationId };
  return eventRow(definition, { subject: record.id, recordVersion, ...recipients, data }, caller);
}

/** @param name of an event of the catalogue, as the objects of the catalogue spell it */
const definitionOf = (name: string): EventDefinition => EVENTS[name as EventName];

/** Values of records are mostly texts and numbers. */
const isSame = (one: unknown, other: unknown): boolean =>
  one === other || (typeof one === 'object' && isDeepStrictEqual(one, other));

const publicView = ({ model, clock }: Author, record: StoredRecord): RecordView =>
  recordView(model, record, model.publicPlan, clock);
