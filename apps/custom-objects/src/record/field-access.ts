import { type FieldProblem, PlatformError } from '@crm/contracts';
import type { AccessPlan } from '@crm/fields';
import type { ObjectModel } from '../object/object-model.js';

/**
 * Refuses a body with a declared field that the role cannot write, before any of its values is validated. Formulas are
 * left to validation: nobody can write them.
 * @throws FIELD_ACCESS_DENIED naming the fields
 */
export function requireWritable(model: ObjectModel, plan: AccessPlan, body: Readonly<Record<string, unknown>>): void {
  const denied = Object.keys(body).filter((name) => {
    const field = model.fieldsByName.get(name);
    return field !== undefined && field.type !== 'formula' && !plan.writable.has(name);
  });
  if (denied.length === 0) return;
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
