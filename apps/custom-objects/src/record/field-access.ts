import { type FieldProblem, PlatformError } from '@crm/contracts';
import type { AccessPlan } from '@crm/fields';
import type { ObjectModel } from '../object/object-model.js';

/**
 * Refuses a body that touches a declared field the role may not write, before any of its values is judged. Formulas are
 * not meant here: nobody may write them, so they are a matter of validation.
 * @throws FIELD_ACCESS_DENIED naming the fields
 */
export function requireWritable(model: ObjectModel, plan: AccessPlan, body: Readonly<Record<string, unknown>>): void {
  const denied = Object.keys(body).filter((name) => {
    const field = model.fieldsByName.get(name);
    return field !== undefined && field.type !== 'formula' && !plan.writable.has(name);
  });
  if (denied.length === 0) return;
  throw new PlatformError('FIELD_ACCESS_DENIED', `The role may not write ${denied.join(', ')}`, {
    errors: denied.map(
      (name): FieldProblem => ({
        pointer: `/${name}`,
        code: 'FIELD_ACCESS_DENIED',
        detail: 'The role may not write this field',
      }),
    ),
  });
}
