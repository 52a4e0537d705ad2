import type { StandardObjectName } from '@crm/api-client';
import { CORE_OBJECTS, type CoreObject, type StandardField, type StandardObject } from '@crm/contracts/objects';
import type { Language } from '@crm/ui';
import type { FieldModel, ObjectModel } from './object-model.js';

const OBJECTS: readonly StandardObject[] = Object.values(CORE_OBJECTS);

/** References to users and to several objects are left out: an embed token can list no users. */
const isShown = (field: StandardField): boolean => field.type !== 'reference' || field.targets.length === 1;

function fieldModel(apiName: string, field: StandardField, language: Language, canWrite: boolean): FieldModel {
  const options = field.type === 'picklist' ? Object.entries(field.options) : [];
  const target = field.type === 'reference' ? CORE_OBJECTS[field.targets[0] as CoreObject].path : undefined;
  return {
    apiName,
    label: field.label[language],
    type: field.type,
    // Where the API has a default, the form may leave the field empty.
    required: field.required === true && field.type !== 'picklist',
    writable: canWrite,
    options: options.map(([value, label]) => ({ value, label: label[language] })),
    ...(target && { target }),
    ...('maxLength' in field && { maxLength: field.maxLength }),
  };
}

export function standardObject(name: StandardObjectName, language: Language, canWrite: boolean): ObjectModel {
  const object = OBJECTS.find(({ path }) => path === name);
  if (!object) throw new Error(`There is no standard object ${name}`);
  return {
    name,
    label: object.label[language],
    pluralLabel: object.pluralLabel[language],
    titleFields: object.titleFields,
    canWrite,
    fields: Object.entries(object.fields)
      .filter(([, field]) => isShown(field))
      .map(([apiName, field]) => fieldModel(apiName, field, language, canWrite)),
  };
}
