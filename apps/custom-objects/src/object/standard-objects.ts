import { CORE_OBJECTS, type CoreObject, OPPORTUNITY_STATUSES, TASK_STATUSES } from '@crm/contracts';
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
interface StandardField extends Omit<FieldDefinition, 'id' | 'referenceTarget'> {
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

/** Builds the definition of a standard object. Fields that a tenant adds get keys from 1000 and the remaining slots. */
function standardObject(name: CoreObject, declaration: StandardDeclaration): ObjectDefinition {
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
const upTo = (maxLength: number): ValidationRule[] => [{ type: 'maxLength', value: maxLength }];

/** Kept as written: numbers come from forms and business cards, and one that cannot be dialled is better than none. */
const PHONE: readonly ValidationRule[] = [
  ...upTo(40),
  {
    type: 'regex',
    value: '^[0-9+(][0-9 ()./-]*[0-9]([ ,;]*([eE]xt[.]?|[xX]|#) ?[0-9]{1,8})?$',
    message: 'Must be a phone number, as in +49 30 123456',
  },
];

/** Fields common to leads and contacts, with the same keys and slots. */
const PERSON_FIELDS: readonly StandardField[] = [
  { key: 1, apiName: 'firstName', label: 'First name', type: 'text', slot: null, validationRules: upTo(120) },
  {
    key: 2,
    apiName: 'lastName',
    label: 'Last name',
    type: 'text',
    slot: 's1',
    required: true,
    validationRules: upTo(120),
  },
  { key: 3, apiName: 'email', label: 'E-mail', type: 'email', slot: 's2', validationRules: upTo(254) },
  { key: 4, apiName: 'phone', label: 'Phone', type: 'text', slot: 's3', validationRules: PHONE },
];

/** Somebody who may become a customer. */
const LEAD = standardObject('lead', {
  label: 'Lead',
  pluralLabel: 'Leads',
  nameField: 'lastName',
  fields: [
    ...PERSON_FIELDS,
    { key: 5, apiName: 'companyName', label: 'Company', type: 'text', slot: 's4', validationRules: upTo(200) },
    { key: 6, apiName: 'status', label: 'Status', type: 'text', slot: 's5', validationRules: upTo(40) },
    { key: 7, apiName: 'source', label: 'Source', type: 'text', slot: 's6', validationRules: upTo(80) },
    { key: 8, apiName: 'ownerId', label: 'Owner', type: 'reference', slot: 's7' },
  ],
});

/** A person one does business with. */
const CONTACT = standardObject('contact', {
  label: 'Contact',
  pluralLabel: 'Contacts',
  nameField: 'lastName',
  fields: [
    ...PERSON_FIELDS,
    { key: 5, apiName: 'companyId', label: 'Company', type: 'reference', slot: 's4', targets: ['company'] },
  ],
});

/** An organisation. */
const COMPANY = standardObject('company', {
  label: 'Company',
  pluralLabel: 'Companies',
  nameField: 'name',
  fields: [
    { key: 1, apiName: 'name', label: 'Name', type: 'text', slot: 's1', required: true, validationRules: upTo(200) },
    { key: 2, apiName: 'website', label: 'Website', type: 'url', slot: null, validationRules: upTo(2048) },
    { key: 3, apiName: 'phone', label: 'Phone', type: 'text', slot: 's2', validationRules: PHONE },
  ],
});

/** A deal in the pipeline. Its events carry the domain `deal`. */
const OPPORTUNITY = standardObject('opportunity', {
  label: 'Opportunity',
  pluralLabel: 'Opportunities',
  nameField: 'name',
  fields: [
    { key: 1, apiName: 'name', label: 'Name', type: 'text', slot: 's1', required: true, validationRules: upTo(200) },
    { key: 2, apiName: 'amount', label: 'Amount', type: 'number', slot: 'n1' },
    { key: 3, apiName: 'currency', label: 'Currency', type: 'text', slot: 's2', validationRules: upTo(3) },
    { key: 4, apiName: 'stage', label: 'Stage', type: 'text', slot: 's3', validationRules: upTo(80) },
    {
      key: 5,
      apiName: 'status',
      label: 'Status',
      type: 'picklist',
      slot: 's4',
      options: OPPORTUNITY_STATUSES,
      required: true,
      default: 'open',
    },
    { key: 6, apiName: 'closeDate', label: 'Close date', type: 'date', slot: 't1' },
    { key: 7, apiName: 'companyId', label: 'Company', type: 'reference', slot: 's5', targets: ['company'] },
    { key: 8, apiName: 'contactId', label: 'Contact', type: 'reference', slot: 's6', targets: ['contact'] },
  ],
  milestones: [
    { field: 'status', value: 'won', event: 'deal.won' },
    { field: 'status', value: 'lost', event: 'deal.lost' },
  ],
});

/** Something to be done. */
const TASK = standardObject('task', {
  label: 'Task',
  pluralLabel: 'Tasks',
  nameField: 'title',
  fields: [
    { key: 1, apiName: 'title', label: 'Title', type: 'text', slot: 's1', required: true, validationRules: upTo(200) },
    {
      key: 2,
      apiName: 'description',
      label: 'Description',
      type: 'textarea',
      slot: null,
      validationRules: upTo(4000),
    },
    { key: 3, apiName: 'dueAt', label: 'Due', type: 'datetime', slot: 't1' },
    {
      key: 4,
      apiName: 'status',
      label: 'Status',
      type: 'picklist',
      slot: 's2',
      options: TASK_STATUSES,
      required: true,
      default: 'open',
    },
    { key: 5, apiName: 'assigneeId', label: 'Assignee', type: 'reference', slot: 's3' },
    {
      key: 6,
      apiName: 'relatedTo',
      label: 'Related to',
      type: 'reference',
      slot: 's4',
      targets: ['lead', 'contact', 'company', 'opportunity'],
    },
  ],
  milestones: [{ field: 'status', value: 'completed', event: 'task.completed' }],
});

/** The objects that every tenant has, by name. */
export const STANDARD_OBJECTS: Readonly<Record<CoreObject, ObjectDefinition>> = {
  lead: LEAD,
  contact: CONTACT,
  company: COMPANY,
  opportunity: OPPORTUNITY,
  task: TASK,
};

/** @returns undefined when no standard object has this name */
export const standardObjectNamed = (name: string): ObjectDefinition | undefined =>
  Object.hasOwn(STANDARD_OBJECTS, name) ? STANDARD_OBJECTS[name as CoreObject] : undefined;

/** @returns undefined when no standard object has this id */
export const standardObjectWithId = (id: string): ObjectDefinition | undefined =>
  Object.values(STANDARD_OBJECTS).find((object) => object.id === id);
