import { type AccessPlan, fieldTypes } from '@crm/fields';
import type { EvaluationContext } from '@crm/formula';
import type { ObjectModel } from '../object/object-model.js';
import type { RecordView, StoredRecord } from './record.js';
import { valuesOf } from './record-values.js';

/**
 * A record as a caller with this plan sees it: fields that they cannot read are absent, unset fields are null, formulas are
 * computed now. Only readable formulas are evaluated.
 */
export function recordView(
  model: ObjectModel,
  record: StoredRecord,
  plan: AccessPlan,
  clock: EvaluationContext,
): RecordView {
  const values = valuesOf(model, record.data);
  const wanted = new Set(model.formulas.order.filter((name) => plan.readable.has(name)));
  const computed = wanted.size > 0 ? model.formulas.evaluateAll(values, clock, wanted) : {};
  const view: RecordView = {
    id: record.id,
    version: record.version,
    createdAt: record.createdAt.toISOString(),
    updatedAt: record.updatedAt.toISOString(),
  };
  for (const field of model.object.fields) {
    if (!plan.readable.has(field.apiName)) continue;
    view[field.apiName] =
      field.type === 'formula' ? (computed[field.apiName] ?? null) : presentValue(field.type, values[field.apiName]);
  }
  return view;
}

function presentValue(type: Parameters<typeof fieldTypes.get>[0], value: unknown): unknown {
  return value === null || value === undefined ? null : (fieldTypes.get(type)?.present(value) ?? null);
}
