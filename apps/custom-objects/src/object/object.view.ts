import { normaliseOptions } from '@crm/fields';
import type { FieldView, ObjectView } from './object.dto.js';
import type { AppObject, StoredField } from './object-definition.js';
import { ObjectModel } from './object-model.js';

/**
 * An object definition as a caller with these roles sees it: fields that they cannot read are left out.
 * @param apiNames the tenant's names of the objects that references point to, by id
 */
export function objectView(
  object: AppObject,
  roles: readonly string[],
  apiNames: ReadonlyMap<string, string>,
): ObjectView {
  const plan = new ObjectModel(object).planFor(roles);
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
          ...referenceTarget(field, apiNames),
        }),
      ),
  };
}

/**
 * The target of a reference by its name in this tenant, which can differ from its name in the package. Absent when the
 * target has been removed.
 */
function referenceTarget(field: StoredField, apiNames: ReadonlyMap<string, string>): { referenceTarget?: string } {
  const [targetId] = field.referenceObjectIds;
  if (targetId === undefined || (field.referenceTarget !== undefined && !field.referenceTarget.startsWith('custom:')))
    return field.referenceTarget ? { referenceTarget: field.referenceTarget } : {};
  const apiName = apiNames.get(targetId);
  return apiName === undefined ? {} : { referenceTarget: `custom:${apiName}` };
}
