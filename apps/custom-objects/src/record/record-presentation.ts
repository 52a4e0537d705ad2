import type { AccessPlan } from '@crm/fields';
import { type EvaluationContext, formulaDependencies } from '@crm/formula';
import type { ObjectModel } from '../object/object-model.js';

/** What a record shows to callers with one access plan, decided once: which members, in which order, and what is computed. */
export interface Presentation {
  readonly members: readonly Member[];
  /**
   * The values of the readable formulas by API name, with those that they read; undefined when there is no formula.
   * @param data of the record
   */
  readonly compute: ((data: RecordData, clock: EvaluationContext) => Readonly<Record<string, unknown>>) | undefined;
}

export interface Member {
  readonly apiName: string;
  /** Key of a stored value; null for a formula. */
  readonly key: number | null;
}

type RecordData = Readonly<Record<string, unknown>>;

/** A plan belongs to one model, so its presentation does too. */
const presentations = new WeakMap<AccessPlan, Presentation>();

/** Fields that the caller cannot read are absent; of formulas only the readable ones and what they read are evaluated. */
export function presentationOf(model: ObjectModel, plan: AccessPlan): Presentation {
  let presentation = presentations.get(plan);
  if (!presentation) {
    presentation = prepare(model, plan);
    presentations.set(plan, presentation);
  }
  return presentation;
}

function prepare(model: ObjectModel, plan: AccessPlan): Presentation {
  const readable = model.object.fields.filter(({ apiName }) => plan.readable.has(apiName));
  const members = readable.map(({ apiName, key, type }) => ({ apiName, key: type === 'formula' ? null : key }));
  const wanted = new Set(model.formulas.order.filter((name) => plan.readable.has(name)));
  if (wanted.size === 0) return { members, compute: undefined };

  const evaluate = model.formulas.evaluatorOf(wanted);
  const inputs = inputsOf(model, wanted).map((name) => ({ name, key: model.fieldsByName.get(name)?.key }));
  return {
    members,
    compute: (data, clock) => {
      // No prototype, so that __proto__ is a name like any other.
      const values: Record<string, unknown> = Object.create(null);
      for (const { name, key } of inputs) values[name] = data[key as number] ?? null;
      evaluate(values, clock);
      return values;
    },
  };
}

/** The stored fields that the formulas read, directly or through others. */
function inputsOf({ fieldsByName }: ObjectModel, formulas: ReadonlySet<string>): string[] {
  const inputs = new Set<string>();
  const pending = [...formulas];
  const seen = new Set(pending);
  for (const formula of pending) {
    for (const name of formulaDependencies(fieldsByName.get(formula)?.expression ?? '')) {
      if (fieldsByName.get(name)?.type !== 'formula') inputs.add(name);
      else if (!seen.has(name)) {
        seen.add(name);
        pending.push(name);
      }
    }
  }
  return [...inputs];
}
