import { CORE_OBJECTS, type CoreObject } from '@crm/contracts';
import type { FieldDefinition, ValidationRule } from '@crm/fields';
import type { Milestone, ObjectDefinition, StoredField } from './object-definition.js';

/** Ids of the standard objects, the same in every tenant. They stand in stored records, so they never change. */
const OBJECT_IDS: Readonly<Record<CoreObject, string>> = {
  lead: '00000000-0000-7000-8000-000000000001',
  contact: '00000000-0000-7000-8000-000000000002',
  company: '00000000-0000-7000-8000-000000000003',
  opportunity: '00000000-0000-7000-8000-000000000004',
  task: '00000000-0000-7000-8000-000000000005',
};

/** A field of a standard object. Its key and slot stand in stored records, so they never change either. */
export interface StandardField extends Omit<FieldDefinition, 'id' | 'referenceTarget'> {
  readonly key: number;
  readonly label: string;
  readonly slot: string | null;
  /** The objects one of whose records a reference names. */
  readonly targets?: readonly CoreObject[];
}

interface StandardDeclaration {
  readonly label: string;
  readonly pluralLabel: string;
  readonly nameField: string;
  readonly fields: readonly StandardField[];
  readonly milestones?: readonly Milestone[];
}

/**
 * The definition of a standard object, on which the record engine works as on any other. Fields that a tenant adds get the
 * keys from 1000 and the slots that are left.
 */
export function standardObject(name: CoreObject, declaration: StandardDeclaration): ObjectDefinition {
  const { fields, milestones = [], ...labels } = declaration;
  const { path, domain, scope } = CORE_OBJECTS[name];
  return {
    ...labels,
    id: OBJECT_IDS[name],
    appKey: null,
    apiName: name,
    description: null,
    revision: 0,
    fields: fields.map(
      ({ targets = [], ...field }): StoredField => ({
        ...field,
        id: fieldId(name, field.key),
        ...(targets.length === 1 ? { referenceTarget: targets[0] as string } : {}),
        referenceObjectIds: targets.map((target) => OBJECT_IDS[target]),
      }),
    ),
    standard: { path, domain, scope, milestones },
  };
}

/** The object's id with the field's key in its first group. */
function fieldId(name: CoreObject, key: number): string {
  return `${key.toString(16).padStart(8, '0')}${OBJECT_IDS[name].slice(8)}`;
}

/** A text of at most that many characters. */
export const upTo = (maxLength: number): ValidationRule[] => [{ type: 'maxLength', value: maxLength }];

/**
 * A phone number as people write it, with an extension or without. It is kept as written: numbers of leads come from
 * forms and business cards, and one that cannot be dialled from here is still better than none.
 */
export const PHONE: readonly ValidationRule[] = [
  ...upTo(40),
  {
    type: 'regex',
    value: '^[0-9+(][0-9 ()./-]*[0-9]([ ,;]*([eE]xt[.]?|[xX]|#) ?[0-9]{1,8})?$',
    message: 'Must be a phone number, as in +49 30 123456',
  },
];
