import { isDeepStrictEqual } from 'node:util';
import { EVENTS, type EventDefinition, type EventName, PlatformError } from '@crm/contracts';
import { eventRow, type OutboxRow, type TransactionOrigin } from '@crm/database';
import type { EvaluationContext } from '@crm/formula';
import { appsThatSee } from '../object/object-definition.js';
import type { ObjectModel } from '../object/object-model.js';
import { type StoredRecord } from '../reading/record.js';
import { type RecordView, recordView } from '../reading/record.serializer.js';

/**
 * The events of a new record. They carry what everyone can read, because the subscribers are unknown here.
 * @throws PAYLOAD_TOO_LARGE
 */
export function recordCreated(
  model: ObjectModel,
  record: StoredRecord,
  origin: TransactionOrigin,
  clock: EvaluationContext,
): OutboxRow[] {
  const { version } = record;
  const view = publicView(model, record, clock);
  return [eventOf(model, 'created', version, view, origin), ...milestones(model, version, view, origin, () => true)];
}

/** As {@link recordCreated}. */
export function recordUpdated(
  model: ObjectModel,
  before: StoredRecord,
  after: StoredRecord,
  origin: TransactionOrigin,
  clock: EvaluationContext,
): OutboxRow[] {
  const { version } = after;
  const old = publicView(model, before, clock);
  const view = publicView(model, after, clock);
  const changed = model.object.fields.map(({ apiName }) => apiName).filter((name) => !isSame(old[name], view[name]));
  const previous = Object.fromEntries(changed.map((name) => [name, old[name]]));
  const event = (change: Readonly<Record<string, unknown>>) =>
    eventOf(model, 'updated', version, view, origin, { changed, ...change });
  return [
    fitting(
      () => event({ previous }),
      // Both states together can be too long for the broker although each is not: then the new one has to do.
      () => event({ previous: {}, previousOmitted: true }),
    ),
    ...milestones(model, version, view, origin, (field) => changed.includes(field)),
  ];
}

/** As {@link recordCreated}. */
export function recordDeleted(
  model: ObjectModel,
  record: StoredRecord,
  origin: TransactionOrigin,
  clock: EvaluationContext,
): OutboxRow {
  return eventOf(model, 'deleted', record.version + 1, publicView(model, record, clock), origin);
}

/** Nothing but the id: it is what is left. Who has the record in mind by its versions knows that this is the last one. */
export function recordErased(model: ObjectModel, { id, version }: StoredRecord, origin: TransactionOrigin): OutboxRow {
  return eventOf(model, 'deleted', version + 1, { id }, origin, { erased: true });
}

/** As {@link recordCreated}. A record that comes back reaches no milestone again. */
export function recordRestored(
  model: ObjectModel,
  record: StoredRecord,
  origin: TransactionOrigin,
  clock: EvaluationContext,
): OutboxRow {
  return eventOf(model, 'restored', record.version, publicView(model, record, clock), origin);
}

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
  { object }: ObjectModel,
  recordVersion: number,
  record: RecordView,
  origin: TransactionOrigin,
  isChanged: (field: string) => boolean,
): OutboxRow[] {
  const reached = object.standard?.milestones.filter(({ field, value }) => record[field] === value && isChanged(field));
  return (reached ?? []).map(({ event }) =>
    eventRow(definitionOf(event), { subject: record.id, recordVersion, data: { record } }, origin),
  );
}

function eventOf(
  { object }: ObjectModel,
  what: 'created' | 'updated' | 'deleted' | 'restored',
  recordVersion: number,
  record: RecordView | Pick<RecordView, 'id'>,
  origin: TransactionOrigin,
  change: Readonly<Record<string, unknown>> = {},
): OutboxRow {
  const { standard, apiName } = object;
  const definition = definitionOf(`${standard?.domain ?? 'record'}.${what}`);
  const data = standard ? { record, ...change } : { object: apiName, record, ...change };
  const appKeys = standard ? {} : { appKeys: appsThatSee(object) };
  return eventRow(definition, { subject: record.id, recordVersion, ...appKeys, data }, origin);
}

/** @param name of an event of the catalogue, as the objects of the catalogue spell it */
const definitionOf = (name: string): EventDefinition => EVENTS[name as EventName];

/** Values of records are mostly texts and numbers. */
const isSame = (one: unknown, other: unknown): boolean =>
  one === other || (typeof one === 'object' && isDeepStrictEqual(one, other));

const publicView = (model: ObjectModel, record: StoredRecord, clock: EvaluationContext): RecordView =>
  recordView(model, record, model.publicPlan, clock);
