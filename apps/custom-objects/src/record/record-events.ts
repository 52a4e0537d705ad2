import { isDeepStrictEqual } from 'node:util';
import { EVENTS, type EventDefinition, PlatformError } from '@crm/contracts';
import { appendEvent, type TenantTransaction } from '@crm/database';
import type { EvaluationContext } from '@crm/formula';
import { appsThatSee } from '../object/object-access.js';
import type { ObjectModel } from '../object/object-model.js';
import type { RecordView, StoredRecord } from './record.js';
import { recordView } from './record.view.js';

/**
 * The events of a record, written in the transaction that changes it. They carry only what everyone can read, because the
 * subscribers are not known here.
 */
export async function recordCreated(
  tx: TenantTransaction,
  model: ObjectModel,
  record: StoredRecord,
  clock: EvaluationContext,
): Promise<void> {
  const view = publicView(model, record, clock);
  await Promise.all([
    append(tx, model, 'created', record.version, view),
    ...milestones(tx, model, record.version, view, () => true),
  ]);
}

export async function recordUpdated(
  tx: TenantTransaction,
  model: ObjectModel,
  before: StoredRecord,
  after: StoredRecord,
  clock: EvaluationContext,
): Promise<void> {
  const old = publicView(model, before, clock);
  const view = publicView(model, after, clock);
  const changed = model.object.fields.map(({ apiName }) => apiName).filter((name) => !isSame(old[name], view[name]));
  const previous = Object.fromEntries(changed.map((name) => [name, old[name]]));
  await Promise.all([
    append(tx, model, 'updated', after.version, view, { changed, previous }).catch((error: unknown) => {
      // Both states together can be too long for the broker although each is not: then the new one has to do.
      if (!(error instanceof PlatformError) || error.code !== 'PAYLOAD_TOO_LARGE') throw error;
      return append(tx, model, 'updated', after.version, view, { changed, previous: {}, previousOmitted: true });
    }),
    ...milestones(tx, model, after.version, view, (field) => changed.includes(field)),
  ]);
}

export async function recordDeleted(
  tx: TenantTransaction,
  model: ObjectModel,
  record: StoredRecord,
  clock: EvaluationContext,
): Promise<void> {
  await append(tx, model, 'deleted', record.version + 1, publicView(model, record, clock));
}

/** The further events of a standard object whose fields have reached a value. */
function milestones(
  tx: TenantTransaction,
  { object }: ObjectModel,
  recordVersion: number,
  record: RecordView,
  isChanged: (field: string) => boolean,
): Promise<unknown>[] {
  const reached = object.standard?.milestones.filter(({ field, value }) => record[field] === value && isChanged(field));
  return (reached ?? []).map(({ event }) =>
    appendEvent(tx, EVENTS[event] as EventDefinition, { subject: record.id, recordVersion, data: { record } }),
  );
}

async function append(
  tx: TenantTransaction,
  { object }: ObjectModel,
  what: 'created' | 'updated' | 'deleted',
  recordVersion: number,
  record: RecordView,
  change: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const { standard, apiName } = object;
  const definition: EventDefinition = EVENTS[`${standard?.domain ?? 'record'}.${what}`];
  const data = standard ? { record, ...change } : { object: apiName, record, ...change };
  const appKeys = standard ? {} : { appKeys: appsThatSee(object) };
  await appendEvent(tx, definition, { subject: record.id, recordVersion, ...appKeys, data });
}

/** Values of records are mostly texts and numbers. */
const isSame = (one: unknown, other: unknown): boolean =>
  one === other || (typeof one === 'object' && isDeepStrictEqual(one, other));

const publicView = (model: ObjectModel, record: StoredRecord, clock: EvaluationContext): RecordView =>
  recordView(model, record, model.publicPlan, clock);
