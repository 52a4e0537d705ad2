import { CORE_OBJECTS, type CoreObject, type StandardField, type StandardObject } from '@crm/contracts';
import type { ValidationRule } from '@crm/fields';
import type { ObjectDefinition, StoredField } from './object-definition.js';

/** Kept as written: numbers come from forms and business cards, and one that cannot be dialled is better than none. */
const PHONE: ValidationRule = {
  type: 'regex',
  value: '^[0-9+(][0-9 ()./-]*[0-9]([ ,;]*([eE]xt[.]?|[xX]|#) ?[0-9]{1,8})?$',
  message: 'Must be a phone number, as in +49 30 123456',
};

const idOf = (name: string): string => CORE_OBJECTS[name as CoreObject].id;

function storedField(objectId: string, [apiName, field]: [string, StandardField]): StoredField {
  const { key, slot, label, type, required } = field;
  const targets = field.type === 'reference' ? field.targets : [];
  return {
    // The object's id with the field's key in its first group.
    id: `${key.toString(16).padStart(8, '0')}${objectId.slice(8)}`,
    key,
    apiName,
    label: label.en,
    type: type === 'phone' ? 'text' : type,
    slot,
    ...(required && { required }),
    ...('maxLength' in field && {
      validationRules: [{ type: 'maxLength', value: field.maxLength }, ...(type === 'phone' ? [PHONE] : [])],
    }),
    ...(field.type === 'picklist' && { options: Object.keys(field.options), default: field.default }),
    ...(targets.length === 1 && { referenceTarget: targets[0] as string }),
    referenceObjectIds: targets.map(idOf),
  };
}

function definitionOf(apiName: CoreObject): ObjectDefinition {
  const { id, path, domain, scope, label, pluralLabel, nameField, fields, milestones }: StandardObject =
    CORE_OBJECTS[apiName];
  return {
    id,
    appKey: null,
    apiName,
    label: label.en,
    pluralLabel: pluralLabel.en,
    description: null,
    nameField,
    revision: 0,
    fields: Object.entries(fields).map((field) => storedField(id, field)),
    standard: {
      path,
      domain,
      scope,
      milestones: Object.entries(milestones).map(([event, { field, value }]) => ({ field, value, event })),
    },
  };
}

/** The objects that every tenant has, by name. */
export const STANDARD_OBJECTS = Object.fromEntries(
  (Object.keys(CORE_OBJECTS) as CoreObject[]).map((name) => [name, definitionOf(name)]),
) as Readonly<Record<CoreObject, ObjectDefinition>>;

/** @returns undefined when no standard object has this name */
export const standardObjectNamed = (name: string): ObjectDefinition | undefined =>
  Object.hasOwn(STANDARD_OBJECTS, name) ? STANDARD_OBJECTS[name as CoreObject] : undefined;

/** @returns undefined when no standard object has this id */
export const standardObjectWithId = (id: string): ObjectDefinition | undefined =>
  Object.values(STANDARD_OBJECTS).find((object) => object.id === id);
