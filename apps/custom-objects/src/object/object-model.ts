import { type AccessPlan, accessPlan, compileFieldFormulas, formulaFieldTypes, formulaSources } from '@crm/fields';
import { type CheckedFormulaSet, type CompiledFormulaSet, checkFormulaSet, type ValueType } from '@crm/formula';
import type { CustomObject, StoredField } from './custom-object.js';

/** Role combinations whose plan is kept for one object; past it the plans are made again. */
const PLANS_KEPT = 200;

/**
 * An object definition made ready for work: formulas compiled, fields by name, and the access plan of every combination
 * of roles that came by, each decided once. Immutable but for that memory; a new revision is a new model.
 */
export class ObjectModel {
  readonly formulas: CompiledFormulaSet;
  /** Types of the fields that are stored, as formulas see them. */
  readonly plainFieldTypes: ReadonlyMap<string, ValueType>;
  readonly fieldsByName: ReadonlyMap<string, StoredField>;
  /** What everybody may read, whatever their roles: all that leaves through events and text search. */
  readonly publicPlan: AccessPlan;
  private readonly plans = new Map<string, AccessPlan>();
  private checked: CheckedFormulaSet | undefined;

  constructor(readonly object: CustomObject) {
    this.formulas = compileFieldFormulas(object.fields);
    this.plainFieldTypes = formulaFieldTypes(object.fields);
    this.fieldsByName = new Map(object.fields.map((field) => [field.apiName, field]));
    this.publicPlan = accessPlan(object.fields, []);
  }

  /** The formulas as trees, from which queries are written; made when a query first asks. */
  get checkedFormulas(): CheckedFormulaSet {
    this.checked ??= checkFormulaSet(formulaSources(this.object.fields), this.plainFieldTypes);
    return this.checked;
  }

  /** The fields a caller with these roles may read and write. */
  planFor(roles: readonly string[]): AccessPlan {
    // Role names cannot contain a line break, so the joined text names one combination.
    const key = [...roles].sort().join('\n');
    const known = this.plans.get(key);
    if (known) return known;
    if (this.plans.size >= PLANS_KEPT) this.plans.clear();
    const plan = accessPlan(this.object.fields, roles);
    this.plans.set(key, plan);
    return plan;
  }
}
