import type { AccessPlan } from '@crm/fields';
import type { EvaluationContext } from '@crm/formula';
import type { ObjectModel } from '../object/object-model.js';
import type { RecordView, StoredRecord } from './record.js';
import { presentationOf } from './record-presentation.js';

/** A record as events carry it: fields that the plan does not show are absent, unset fields are null. */
export function recordView(
  model: ObjectModel,
  { id, version, createdAt, updatedAt, data }: StoredRecord,
  plan: AccessPlan,
  clock: EvaluationContext,
): RecordView {
  const { members, compute } = presentationOf(model, plan);
  const computed = compute?.(data, clock);
  const view: RecordView = { id, version, createdAt, updatedAt };
  for (const { apiName, key } of members) view[apiName] = (key === null ? computed?.[apiName] : data[key]) ?? null;
  return view;
}
