import { normaliseOptions } from '@crm/fields';
import type { FieldView, ObjectView } from './object.dto.js';
import type { ObjectModel } from './object-model.js';

/** An object definition as a caller with these roles may see it: a field they may not read is left out. */
export function presentObject(model: ObjectModel, roles: readonly string[]): ObjectView {
  const { object } = model;
  const plan = model.planFor(roles);
  return {
    apiName: object.apiName,
    label: object.label,
    pluralLabel: object.pluralLabel,
    description: object.description,
    appKey: object.appKey,
    sandbox: object.sandbox,
    nameField: object.nameField !== null && plan.readable.has(object.nameField) ? object.nameField : null,
    fields: object.fields
      .filter((field) => plan.readable.has(field.apiName))
      .map(
        (field): FieldView => ({
          apiName: field.apiName,
          label: field.label,
          type: field.type,
          required: field.required ?? false,
          isUnique: field.is_unique ?? false,
          readable: true,
          writable: plan.writable.has(field.apiName),
          ...(field.options ? { options: normaliseOptions(field.options) } : {}),
          ...(field.referenceTarget ? { referenceTarget: field.referenceTarget } : {}),
        }),
      ),
  };
}
