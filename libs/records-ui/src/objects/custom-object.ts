import { type FieldView, type ObjectName, type ObjectView, STANDARD_OBJECTS } from '@crm/api-client';
import { FIELD_TYPES, type FieldModel, type FieldType, type ObjectModel } from './object-model.js';

/** Names that references use for the standard objects. */
const TARGETS: Readonly<Record<string, ObjectName>> = {
  lead: 'leads',
  contact: 'contacts',
  company: 'companies',
  opportunity: 'opportunities',
  task: 'tasks',
};

/** @param canWrite whether role and scopes of the caller allow writing at all */
export function customObject(
  { apiName, label, pluralLabel, nameField, fields }: ObjectView,
  canWrite: boolean,
): ObjectModel {
  const title = nameField ?? fields.find(({ type }) => type === 'text')?.apiName;
  return {
    name: `custom:${apiName}`,
    label,
    pluralLabel,
    titleFields: title === undefined ? [] : [title],
    canWrite: canWrite && fields.some(({ writable }) => writable),
    fields: fields.map((field) => customField(field, canWrite)),
  };
}

const customField = (
  { apiName, label, type, required, writable, options = [], referenceTarget }: FieldView,
  canWrite: boolean,
): FieldModel => ({
  apiName,
  label,
  // A type that a later version of the platform adds is shown as text, and never written.
  type: isFieldType(type) ? type : 'formula',
  required,
  writable: writable && canWrite && isFieldType(type),
  options,
  ...(referenceTarget === undefined ? {} : { target: targetOf(referenceTarget) }),
});

const isFieldType = (type: string): type is FieldType => FIELD_TYPES.includes(type as FieldType);

const targetOf = (target: string): ObjectName | undefined =>
  target.startsWith('custom:')
    ? (target as ObjectName)
    : (TARGETS[target] ?? STANDARD_OBJECTS.find((name) => name === target));
