import { type FieldProblem, PlatformError } from '@crm/contracts';
import { type AccessPlan, type FieldProblem as ValueProblem, withoutLimits } from '@crm/fields';
import type { ObjectModel } from '../object/object-model.js';

/**
 * Refuses a body with a declared field that the role cannot write, before any of its values is validated. Formulas are
 * left to validation: nobody can write them. On `create` the default of a unique field counts as written, because it can
 * conflict.
 * @throws FIELD_ACCESS_DENIED naming the fields that the body has
 */
export function requireWritable(
  model: ObjectModel,
  plan: AccessPlan,
  body: Readonly<Record<string, unknown>>,
  mode: 'create' | 'update',
): void {
  const denied = Object.keys(body).filter((name) => {
    const field = model.fieldsByName.get(name);
    return field !== undefined && field.type !== 'formula' && !plan.writable.has(name);
  });
  if (denied.length > 0) {
    throw new PlatformError('FIELD_ACCESS_DENIED', `The role cannot write ${denied.join(', ')}`, {
      errors: denied.map(
        (name): FieldProblem => ({
          pointer: `/${name}`,
          code: 'FIELD_ACCESS_DENIED',
          detail: 'The role cannot write this field',
        }),
      ),
    });
  }
  if (mode === 'create' && setsHiddenUnique(model, plan)) {
    throw new PlatformError('FIELD_ACCESS_DENIED', 'The role cannot read a unique field that a new record sets');
  }
}

/** Whether a new record has a value in a unique field that the role cannot read: a conflict would reveal it. */
function setsHiddenUnique({ object }: ObjectModel, plan: AccessPlan): boolean {
  return object.fields.some(
    (field) => field.is_unique && (field.default ?? null) !== null && !plan.readable.has(field.apiName),
  );
}

/** Problems as a caller with this plan sees them: of a field that they cannot read, neither options nor limits. */
export function shownProblems(model: ObjectModel, plan: AccessPlan, problems: readonly ValueProblem[]): ValueProblem[] {
  return problems.map((problem) => {
    const name = problem.pointer.split('/', 2)[1] ?? '';
    return !model.fieldsByName.has(name) || plan.readable.has(name) ? problem : withoutLimits(problem);
  });
}
