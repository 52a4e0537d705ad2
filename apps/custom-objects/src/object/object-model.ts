import { type AccessPlan, accessPlan, compileFieldFormulas, formulaFieldTypes, formulaSources } from '@crm/fields';
import { type CheckedFormulaSet, type CompiledFormulaSet, checkFormulaSet, type ValueType } from '@crm/formula';
import type { ObjectDefinition, StoredField } from './object-definition.js';

/** Access plans kept for one object, one per combination of roles; when there are more, all are made again. */
const PLANS_KEPT = 200;

/**
 * An object definition ready for work: formulas compiled, fields by name, and the access plan of every combination of
 * roles that has called, each computed once. Apart from these plans it is immutable; a new revision is a new model.
 */
export class ObjectModel {
  readonly formulas: CompiledFormulaSet;
  /** Types of the stored fields, as formulas see them. */
  readonly plainFieldTypes: ReadonlyMap<string, ValueType>;
  readonly fieldsByName: ReadonlyMap<string, StoredField>;
  /** The fields whose values no two records share, in the order of their ids, in which values are claimed. */
  readonly uniqueFields: readonly StoredField[];
  /** The fields that refer to records; a user's id is none. */
  readonly referenceFields: readonly StoredField[];
  /** What everyone can read, whatever their roles: nothing else reaches events. */
  readonly publicPlan: AccessPlan;
  private readonly plans = new Map<string, AccessPlan>();
  private checked: CheckedFormulaSet | undefined;

  constructor(readonly object: ObjectDefinition) {
    this.formulas = compileFieldFormulas(object.fields);
    this.plainFieldTypes = formulaFieldTypes(object.fields);
    this.fieldsByName = new Map(object.fields.map((field) => [field.apiName, field]));
    this.uniqueFields = object.fields.filter((field) => field.is_unique).sort((a, b) => (a.id < b.id ? -1 : 1));
    this.referenceFields = object.fields.filter(({ referenceObjectIds }) => referenceObjectIds.length > 0);
    this.publicPlan = accessPlan(object.fields, []);
  }

  /** The formulas as trees, from which SQL is generated; parsed when a query first needs them. */
  get checkedFormulas(): CheckedFormulaSet {
    this.checked ??= checkFormulaSet(formulaSources(this.object.fields), this.plainFieldTypes);
    return this.checked;
  }

  /** The fields that a caller with these roles can read and write. */
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
