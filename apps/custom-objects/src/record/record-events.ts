import { isDeepStrictEqual } from 'node:util';
import { EVENTS } from '@crm/contracts';
import { appendEvent, type TenantTransaction } from '@crm/database';
import type { EvaluationContext } from '@crm/formula';
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
  await appendEvent(tx, EVENTS['record.created'], {
    subject: record.id,
    recordVersion: record.version,
    data: { object: model.object.apiName, record: publicView(model, record, clock) },
  });
}

export async function recordUpdated(
  tx: TenantTransaction,
  model: ObjectModel,
  before: StoredRecord,
  after: StoredRecord,
  clock: EvaluationContext,
): Promise<void> {
  const old = publicView(model, before, clock);
  const record = publicView(model, after, clock);
  const changed = [...model.fieldsByName.keys()].filter((name) => !isDeepStrictEqual(old[name], record[name]));
  await appendEvent(tx, EVENTS['record.updated'], {
    subject: after.id,
    recordVersion: after.version,
    data: {
      object: model.object.apiName,
      record,
      changed,
      previous: Object.fromEntries(changed.map((name) => [name, old[name]])),
    },
  });
}

export async function recordDeleted(
  tx: TenantTransaction,
  model: ObjectModel,
  record: StoredRecord,
  clock: EvaluationContext,
): Promise<void> {
  await appendEvent(tx, EVENTS['record.deleted'], {
    subject: record.id,
    recordVersion: record.version + 1,
    data: { object: model.object.apiName, record: publicView(model, record, clock) },
  });
}

const publicView = (model: ObjectModel, record: StoredRecord, clock: EvaluationContext): RecordView =>
  recordView(model, record, model.publicPlan, clock);
