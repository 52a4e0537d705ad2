import type { StandardObjectName } from '@crm/api-client';
import { catalogue, type Language } from '@crm/ui';
import type { FieldModel, FieldType, ObjectModel } from './object-model.js';

export const STANDARD_TEXTS = catalogue({
  en: {
    objects: {
      leads: ['Lead', 'Leads'],
      contacts: ['Contact', 'Contacts'],
      companies: ['Company', 'Companies'],
      opportunities: ['Opportunity', 'Opportunities'],
      tasks: ['Task', 'Tasks'],
    } as Readonly<Record<StandardObjectName, readonly [one: string, many: string]>>,
    fields: {
      firstName: 'First name',
      lastName: 'Last name',
      email: 'E-mail',
      phone: 'Phone',
      companyName: 'Company',
      status: 'Status',
      source: 'Source',
      company: 'Company',
      name: 'Name',
      website: 'Website',
      amount: 'Amount',
      currency: 'Currency',
      stage: 'Stage',
      closeDate: 'Close date',
      contact: 'Contact',
      title: 'Title',
      description: 'Description',
      dueAt: 'Due',
    },
    options: { open: 'Open', won: 'Won', lost: 'Lost', completed: 'Completed' },
  },
  de: {
    objects: {
      leads: ['Lead', 'Leads'],
      contacts: ['Kontakt', 'Kontakte'],
      companies: ['Firma', 'Firmen'],
      opportunities: ['Verkaufschance', 'Verkaufschancen'],
      tasks: ['Aufgabe', 'Aufgaben'],
    },
    fields: {
      firstName: 'Vorname',
      lastName: 'Nachname',
      email: 'E-Mail',
      phone: 'Telefon',
      companyName: 'Firma',
      status: 'Status',
      source: 'Quelle',
      company: 'Firma',
      name: 'Name',
      website: 'Website',
      amount: 'Betrag',
      currency: 'Währung',
      stage: 'Phase',
      closeDate: 'Abschlussdatum',
      contact: 'Kontakt',
      title: 'Titel',
      description: 'Beschreibung',
      dueAt: 'Fällig',
    },
    options: { open: 'Offen', won: 'Gewonnen', lost: 'Verloren', completed: 'Erledigt' },
  },
});

export type StandardFieldLabel = keyof (typeof STANDARD_TEXTS)['en']['fields'];

interface FieldDeclaration {
  readonly apiName: string;
  readonly label: StandardFieldLabel;
  readonly type: FieldType;
  readonly required?: true;
  readonly options?: readonly ('open' | 'won' | 'lost' | 'completed')[];
  readonly target?: StandardObjectName;
  readonly maxLength?: number;
}

interface Declaration {
  readonly titleFields: readonly string[];
  readonly fields: readonly FieldDeclaration[];
}

const PERSON: readonly FieldDeclaration[] = [
  { apiName: 'firstName', label: 'firstName', type: 'text', maxLength: 120 },
  { apiName: 'lastName', label: 'lastName', type: 'text', required: true, maxLength: 120 },
  { apiName: 'email', label: 'email', type: 'email', maxLength: 254 },
  { apiName: 'phone', label: 'phone', type: 'phone', maxLength: 40 },
];

/**
 * The standard objects as custom-objects defines them (e2e/embed/standard-objects.spec.ts compares the two). References to users
 * are left out: an embed token can list no users.
 */
export const DECLARATIONS: Readonly<Record<StandardObjectName, Declaration>> = {
  leads: {
    titleFields: ['firstName', 'lastName'],
    fields: [
      ...PERSON,
      { apiName: 'companyName', label: 'companyName', type: 'text', maxLength: 200 },
      { apiName: 'status', label: 'status', type: 'text', maxLength: 40 },
      { apiName: 'source', label: 'source', type: 'text', maxLength: 80 },
    ],
  },
  contacts: {
    titleFields: ['firstName', 'lastName'],
    fields: [...PERSON, { apiName: 'companyId', label: 'company', type: 'reference', target: 'companies' }],
  },
  companies: {
    titleFields: ['name'],
    fields: [
      { apiName: 'name', label: 'name', type: 'text', required: true, maxLength: 200 },
      { apiName: 'website', label: 'website', type: 'url', maxLength: 2048 },
      { apiName: 'phone', label: 'phone', type: 'phone', maxLength: 40 },
    ],
  },
  opportunities: {
    titleFields: ['name'],
    fields: [
      { apiName: 'name', label: 'name', type: 'text', required: true, maxLength: 200 },
      { apiName: 'amount', label: 'amount', type: 'number' },
      { apiName: 'currency', label: 'currency', type: 'text', maxLength: 3 },
      { apiName: 'stage', label: 'stage', type: 'text', maxLength: 80 },
      { apiName: 'status', label: 'status', type: 'picklist', options: ['open', 'won', 'lost'] },
      { apiName: 'closeDate', label: 'closeDate', type: 'date' },
      { apiName: 'companyId', label: 'company', type: 'reference', target: 'companies' },
      { apiName: 'contactId', label: 'contact', type: 'reference', target: 'contacts' },
    ],
  },
  tasks: {
    titleFields: ['title'],
    fields: [
      { apiName: 'title', label: 'title', type: 'text', required: true, maxLength: 200 },
      { apiName: 'description', label: 'description', type: 'textarea', maxLength: 4000 },
      { apiName: 'dueAt', label: 'dueAt', type: 'datetime' },
      { apiName: 'status', label: 'status', type: 'picklist', options: ['open', 'completed'] },
    ],
  },
};

export function standardObject(name: StandardObjectName, language: Language, canWrite: boolean): ObjectModel {
  const texts = STANDARD_TEXTS[language];
  const [label, pluralLabel] = texts.objects[name];
  const { titleFields, fields } = DECLARATIONS[name];
  return {
    name,
    label,
    pluralLabel,
    titleFields,
    canWrite,
    fields: fields.map(
      ({ label: key, options = [], required = false, ...field }): FieldModel => ({
        ...field,
        required,
        label: texts.fields[key],
        writable: canWrite,
        options: options.map((value) => ({ value, label: texts.options[value] })),
      }),
    ),
  };
}
