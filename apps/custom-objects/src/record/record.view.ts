import { type AccessPlan, fieldTypes } from '@crm/fields';
import type { EvaluationContext } from '@crm/formula';
import type { ObjectModel } from '../object/object-model.js';
import type { RecordView, StoredRecord } from './record.js';

type Presenter = (record: StoredRecord, clock: EvaluationContext) => RecordView;

/** A plan belongs to one model, so its presenter does too. */
const presenters = new WeakMap<AccessPlan, Presenter>();

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
  let presenter = presenters.get(plan);
  if (!presenter) {
    presenter = presenterOf(model, plan);
    presenters.set(plan, presenter);
  }
  return presenter(record, clock);
}

/** What does not depend on the record is decided once: which members there are, in which order, and which formulas run. */
function presenterOf(model: ObjectModel, plan: AccessPlan): Presenter {
  const { fields } = model.object;
  const stored = fields.filter(({ type }) => type !== 'formula').map(({ apiName, key }) => ({ apiName, key }));
  const wanted = new Set(model.formulas.order.filter((name) => plan.readable.has(name)));
  const evaluate = wanted.size > 0 ? model.formulas.evaluatorOf(wanted) : undefined;
  const shown = fields
    .filter(({ apiName }) => plan.readable.has(apiName))
    .map(({ apiName, key, type }) => ({
      apiName,
      key,
      isFormula: type === 'formula',
      present: fieldTypes.get(type)?.present ?? (() => null),
    }));
  return ({ id, version, createdAt, updatedAt, data }, clock) => {
    // No prototype, so that __proto__ is a name like any other.
    const values: Record<string, unknown> = Object.create(null);
    if (evaluate) {
      for (const field of stored) values[field.apiName] = data[field.key] ?? null;
      evaluate(values, clock);
    }
    const view: RecordView = { id, version, createdAt, updatedAt };
    for (const field of shown) {
      const value = field.isFormula ? values[field.apiName] : data[field.key];
      view[field.apiName] =
        value === null || value === undefined ? null : field.isFormula ? value : (field.present(value) ?? null);
    }
    return view;
  };
}
