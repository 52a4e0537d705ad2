import { EVENTS, type EventDefinition, isEventName } from '@crm/contracts';
import { appendEvent, type TenantTransaction } from '@crm/database';
import type { CoreObjectDefinition, CoreRecord } from '../core-object/core-object.js';

/** Appends `<domain>.created` and the milestones that the new record already stands at. */
export async function appendCreated(
  tx: TenantTransaction,
  definition: CoreObjectDefinition,
  record: CoreRecord,
): Promise<void> {
  await append(tx, `${definition.domain}.created`, record, { record });
  await appendMilestones(
    tx,
    definition,
    record,
    definition.fields.map((field) => field.name),
  );
}

/**
 * Appends `<domain>.updated` and the milestones that were reached.
 * @param previous the record before
 * @param changed names of the fields that differ
 */
export async function appendUpdated(
  tx: TenantTransaction,
  definition: CoreObjectDefinition,
  record: CoreRecord,
  previous: CoreRecord,
  changed: readonly string[],
): Promise<void> {
  const before = Object.fromEntries(changed.map((name) => [name, previous[name]]));
  await append(tx, `${definition.domain}.updated`, record, { record, changed, previous: before });
  await appendMilestones(tx, definition, record, changed);
}

/** Appends `<domain>.deleted` with the record's last state. */
export async function appendDeleted(
  tx: TenantTransaction,
  definition: CoreObjectDefinition,
  record: CoreRecord,
): Promise<void> {
  await append(tx, `${definition.domain}.deleted`, record, { record });
}

async function appendMilestones(
  tx: TenantTransaction,
  definition: CoreObjectDefinition,
  record: CoreRecord,
  changed: readonly string[],
): Promise<void> {
  for (const { field, value, event } of definition.milestones) {
    if (changed.includes(field) && record[field] === value) await append(tx, event, record, { record });
  }
}

async function append(
  tx: TenantTransaction,
  name: string,
  record: CoreRecord,
  data: Record<string, unknown>,
): Promise<void> {
  if (!isEventName(name)) throw new Error(`The catalogue has no event ${name}`);
  const definition: EventDefinition = EVENTS[name];
  await appendEvent(tx, definition, { subject: record.id, data, recordVersion: record.version });
}
