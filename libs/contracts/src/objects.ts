import { OBJECT_PATHS } from './object-paths.js';
import type { ScopeName, Texts } from './rights.js';

interface FieldBase {
  /** Key of the value in stored records: never changed, and never given to another field of the object. */
  readonly key: number;
  /** Column that carries the value for filters; null for none. Stored too, so it never changes. */
  readonly slot: string | null;
  readonly label: Texts;
  /** A value that is required is never null. */
  readonly required?: true;
  /** The platform writes it, and nobody else. */
  readonly readOnly?: true;
  /** Value in the documentation's example. */
  readonly example: string | number | null;
}

/** A field of a standard object. */
export type StandardField = FieldBase &
  (
    | {
        readonly type: 'text' | 'textarea' | 'email' | 'phone' | 'url';
        readonly maxLength: number;
        /** What else a text has to be. */
        readonly format?: 'currency';
      }
    | { readonly type: 'number' | 'date' | 'datetime' }
    | { readonly type: 'picklist'; readonly options: Readonly<Record<string, Texts>>; readonly default: string }
    /** The options of a new workspace, which changes them. */
    | { readonly type: 'picklist'; readonly options: Readonly<Record<string, Texts>>; readonly isOfWorkspace: true }
    /** The objects whose records it may name; a user when there is none. */
    | { readonly type: 'reference'; readonly targets: readonly string[] }
  );

/** A further event when a field takes a value, besides `created` or `updated`. */
interface Milestone {
  readonly field: string;
  readonly value: string;
  /** What the example of the event differs in from the example of the object. */
  readonly example: Readonly<Record<string, string | number>>;
}

export interface StandardObject {
  /** Stands in stored records, so it never changes. The same in every tenant. */
  readonly id: string;
  /** Path below `/api/crm/`. */
  readonly path: string;
  /** First part of the names of its events. */
  readonly domain: string;
  readonly scope: ScopeName;
  readonly label: Texts;
  readonly pluralLabel: Texts;
  /** The field by which other records show it. */
  readonly nameField: string;
  /** The fields that head a page of the record. */
  readonly titleFields: readonly string[];
  readonly fields: Readonly<Record<string, StandardField>>;
  readonly milestones: Readonly<Record<string, Milestone>>;
  readonly exampleId: string;
  /** The change in the example of its `updated` event. */
  readonly exampleChange: Readonly<Record<string, string | number>>;
}

const text = <const F extends Omit<FieldBase, 'type'>>(maxLength: number, field: F) =>
  ({ type: 'text', maxLength, ...field }) as const;

// One small story, so that the ids of the examples agree with each other.
const USER_ID = '019ca8c2-1f5a-7c3e-9d41-2b6f0a8e5c17';
const COMPANY_ID = '019ca8d1-0c11-7e52-a3b9-4f7d2c6e8b10';
const OPPORTUNITY_ID = '019ca8d2-3b9c-7f48-96e1-0d5a7c2b8e64';

/** Fields common to leads and contacts, with the same keys and slots. */
const PERSON = {
  firstName: text(120, { key: 1, slot: null, label: { en: 'First name', de: 'Vorname' }, example: 'Ada' }),
  lastName: text(120, {
    key: 2,
    slot: 's1',
    label: { en: 'Last name', de: 'Nachname' },
    required: true,
    example: 'Lovelace',
  }),
  email: {
    key: 3,
    type: 'email',
    slot: 's2',
    label: { en: 'E-mail', de: 'E-Mail' },
    maxLength: 254,
    example: 'ada@example.com',
  },
} as const;

const WEBSITE = {
  type: 'url',
  slot: null,
  label: { en: 'Website', de: 'Website' },
  maxLength: 2048,
  example: null,
} as const;
const JOB_TITLE = { label: { en: 'Job title', de: 'Position' }, slot: null, example: 'Head of purchasing' } as const;

/** Five fields whose keys follow each other. @param first key @param city column of the town, the one that lists are filtered by */
const addressOf = <const City extends string | null>(first: number, city: City) => ({
  street: text(200, {
    key: first,
    slot: null,
    label: { en: 'Street', de: 'Straße' },
    example: '12 Saint James Square',
  }),
  postalCode: text(20, { key: first + 1, slot: null, label: { en: 'Postal code', de: 'PLZ' }, example: 'SW1Y 4JH' }),
  city: text(120, { key: first + 2, slot: city, label: { en: 'City', de: 'Ort' }, example: 'London' }),
  region: text(120, { key: first + 3, slot: null, label: { en: 'Region', de: 'Region' }, example: null }),
  country: text(80, { key: first + 4, slot: null, label: { en: 'Country', de: 'Land' }, example: 'United Kingdom' }),
});

const DESCRIPTION = {
  type: 'textarea',
  slot: null,
  label: { en: 'Description', de: 'Beschreibung' },
  maxLength: 4000,
  example: null,
} as const;

const PHONE = { type: 'phone', label: { en: 'Phone', de: 'Telefon' }, maxLength: 40 } as const;
const OWNER = { type: 'reference', label: { en: 'Owner', de: 'Zuständig' }, targets: [], example: USER_ID } as const;
const COMPANY = { type: 'reference', label: { en: 'Company', de: 'Firma' }, targets: ['company'] } as const;
/** What a lead has become, written by its conversion. @param key of the field, apart from those that people write */
const convertedTo = (key: number, target: string, label: Texts) =>
  ({ key, type: 'reference', slot: null, label, targets: [target], readOnly: true, example: null }) as const;
const NAME = text(200, {
  key: 1,
  slot: 's1',
  label: { en: 'Name', de: 'Name' },
  required: true,
  example: 'Analytical Engines',
});
const STATUS = { en: 'Status', de: 'Status' } as const;
const OPEN = { en: 'Open', de: 'Offen' } as const;

export const STAGE_MEANINGS = ['open', 'won', 'lost'] as const;
/** What a stage says about a deal: the status of those that are in it. */
export type StageMeaning = (typeof STAGE_MEANINGS)[number];

interface DefaultStage {
  readonly label: Texts;
  /** Per cent. */
  readonly probability: number;
  readonly meaning: StageMeaning;
}

/** The pipeline of a new workspace; its stages by value, in order. */
export const DEFAULT_PIPELINE = {
  id: '00000000-0000-7000-8000-000000000101',
  name: { en: 'Sales', de: 'Vertrieb' },
  stages: {
    qualification: { label: { en: 'Qualification', de: 'Qualifizierung' }, probability: 10, meaning: 'open' },
    discovery: { label: { en: 'Discovery', de: 'Bedarfsklärung' }, probability: 25, meaning: 'open' },
    proposal: { label: { en: 'Proposal', de: 'Angebot' }, probability: 50, meaning: 'open' },
    negotiation: { label: { en: 'Negotiation', de: 'Verhandlung' }, probability: 75, meaning: 'open' },
    won: { label: { en: 'Won', de: 'Gewonnen' }, probability: 100, meaning: 'won' },
    lost: { label: { en: 'Lost', de: 'Verloren' }, probability: 0, meaning: 'lost' },
  },
} as const satisfies {
  readonly id: string;
  readonly name: Texts;
  readonly stages: Readonly<Record<string, DefaultStage>>;
};

const STAGES = Object.fromEntries(
  Object.entries(DEFAULT_PIPELINE.stages).map(([value, { label }]) => [value, label]),
) as Readonly<Record<string, Texts>>;

/**
 * The catalogue of standard objects. Types, schemas, events, forms and the SDK follow from it; a field is added here alone.
 * Fields that a tenant adds get keys from 1000 and the remaining slots.
 */
export const CORE_OBJECTS = {
  /** Somebody who may become a customer. */
  lead: {
    id: '00000000-0000-7000-8000-000000000001',
    path: OBJECT_PATHS.lead,
    domain: 'lead',
    scope: 'leads',
    label: { en: 'Lead', de: 'Lead' },
    pluralLabel: { en: 'Leads', de: 'Leads' },
    nameField: 'lastName',
    titleFields: ['firstName', 'lastName'],
    fields: {
      ...PERSON,
      phone: { ...PHONE, key: 4, slot: 's3', example: '+44 20 7946 0018' },
      companyName: text(200, { key: 5, slot: 's4', label: COMPANY.label, example: 'Analytical Engines' }),
      status: {
        key: 6,
        type: 'picklist',
        slot: 's5',
        label: STATUS,
        options: {
          new: { en: 'New', de: 'Neu' },
          contacted: { en: 'Contacted', de: 'Kontaktiert' },
          qualified: { en: 'Qualified', de: 'Qualifiziert' },
          unqualified: { en: 'Unqualified', de: 'Nicht qualifiziert' },
          converted: { en: 'Converted', de: 'Umgewandelt' },
        },
        isOfWorkspace: true,
        example: 'new',
      },
      source: {
        key: 7,
        type: 'picklist',
        slot: 's6',
        label: { en: 'Source', de: 'Quelle' },
        options: {
          web: { en: 'Web', de: 'Web' },
          referral: { en: 'Referral', de: 'Empfehlung' },
          fair: { en: 'Fair', de: 'Messe' },
          partner: { en: 'Partner', de: 'Partner' },
          advertising: { en: 'Advertising', de: 'Werbung' },
          phone: { en: 'Phone', de: 'Telefon' },
          other: { en: 'Other', de: 'Sonstige' },
        },
        isOfWorkspace: true,
        example: 'fair',
      },
      ownerId: { ...OWNER, key: 8, slot: 's7' },
      jobTitle: text(120, { ...JOB_TITLE, key: 9 }),
      website: { ...WEBSITE, key: 10 },
      ...addressOf(11, null),
      description: { ...DESCRIPTION, key: 16 },
      convertedContactId: convertedTo(30, 'contact', { en: 'Converted to contact', de: 'Umgewandelt in Kontakt' }),
      convertedCompanyId: convertedTo(31, 'company', { en: 'Converted to company', de: 'Umgewandelt in Firma' }),
      convertedOpportunityId: convertedTo(32, 'opportunity', {
        en: 'Converted to opportunity',
        de: 'Umgewandelt in Verkaufschance',
      }),
    },
    milestones: {},
    exampleId: '019ca8d0-5a40-7b1d-8f02-6c1e9b7d4a35',
    exampleChange: { status: 'qualified' },
  },
  /** A person one does business with. */
  contact: {
    id: '00000000-0000-7000-8000-000000000002',
    path: OBJECT_PATHS.contact,
    domain: 'contact',
    scope: 'contacts',
    label: { en: 'Contact', de: 'Kontakt' },
    pluralLabel: { en: 'Contacts', de: 'Kontakte' },
    nameField: 'lastName',
    titleFields: ['firstName', 'lastName'],
    fields: {
      ...PERSON,
      phone: { ...PHONE, key: 4, slot: 's3', example: null },
      companyId: { ...COMPANY, key: 5, slot: 's4', example: COMPANY_ID },
      ownerId: { ...OWNER, key: 6, slot: 's5' },
      jobTitle: text(120, { ...JOB_TITLE, key: 7 }),
      ...addressOf(8, null),
      description: { ...DESCRIPTION, key: 13 },
    },
    milestones: {},
    exampleId: '019ca8d1-7d3e-7a06-b5c4-8e2f1a9d6c43',
    exampleChange: { phone: '+44 20 7946 0018' },
  },
  /** An organisation. */
  company: {
    id: '00000000-0000-7000-8000-000000000003',
    path: OBJECT_PATHS.company,
    domain: 'company',
    scope: 'companies',
    label: { en: 'Company', de: 'Firma' },
    pluralLabel: { en: 'Companies', de: 'Firmen' },
    nameField: 'name',
    titleFields: ['name'],
    fields: {
      name: NAME,
      website: { ...WEBSITE, key: 2 },
      phone: { ...PHONE, key: 3, slot: 's2', example: '+44 20 7946 0000' },
      ownerId: { ...OWNER, key: 4, slot: 's3' },
      industry: text(120, { key: 5, slot: 's4', label: { en: 'Industry', de: 'Branche' }, example: 'Engineering' }),
      employees: {
        key: 6,
        type: 'number',
        slot: null,
        label: { en: 'Employees', de: 'Beschäftigte' },
        example: 250,
      },
      ...addressOf(7, 's5'),
      description: { ...DESCRIPTION, key: 12 },
    },
    milestones: {},
    exampleId: COMPANY_ID,
    exampleChange: { website: 'https://www.example.com/' },
  },
  /** A deal in the pipeline. */
  opportunity: {
    id: '00000000-0000-7000-8000-000000000004',
    path: OBJECT_PATHS.opportunity,
    domain: 'deal',
    scope: 'pipeline',
    label: { en: 'Opportunity', de: 'Verkaufschance' },
    pluralLabel: { en: 'Opportunities', de: 'Verkaufschancen' },
    nameField: 'name',
    titleFields: ['name'],
    fields: {
      name: { ...NAME, example: 'Analytical Engines: 50 seats' },
      amount: { key: 2, type: 'number', slot: 'n1', label: { en: 'Amount', de: 'Betrag' }, example: 42_000 },
      currency: text(3, {
        key: 3,
        slot: 's2',
        label: { en: 'Currency', de: 'Währung' },
        format: 'currency',
        example: 'EUR',
      }),
      stage: {
        key: 4,
        type: 'picklist',
        slot: 's3',
        label: { en: 'Stage', de: 'Phase' },
        options: STAGES,
        isOfWorkspace: true,
        example: 'proposal',
      },
      status: {
        key: 5,
        type: 'picklist',
        slot: 's4',
        label: STATUS,
        options: { open: OPEN, won: { en: 'Won', de: 'Gewonnen' }, lost: { en: 'Lost', de: 'Verloren' } },
        required: true,
        default: 'open',
        example: 'open',
      },
      closeDate: {
        key: 6,
        type: 'date',
        slot: 't1',
        label: { en: 'Close date', de: 'Abschlussdatum' },
        example: '2026-04-30',
      },
      companyId: { ...COMPANY, key: 7, slot: 's5', example: COMPANY_ID },
      contactId: {
        key: 8,
        type: 'reference',
        slot: 's6',
        label: { en: 'Contact', de: 'Kontakt' },
        targets: ['contact'],
        example: '019ca8d1-7d3e-7a06-b5c4-8e2f1a9d6c43',
      },
      ownerId: { ...OWNER, key: 9, slot: 's7' },
      description: { ...DESCRIPTION, key: 10 },
    },
    milestones: {
      'deal.won': { field: 'status', value: 'won', example: { version: 4, stage: 'won' } },
      'deal.lost': { field: 'status', value: 'lost', example: { version: 4, stage: 'lost' } },
    },
    exampleId: OPPORTUNITY_ID,
    exampleChange: { amount: 48_000, stage: 'negotiation' },
  },
  /** Something to be done. */
  task: {
    id: '00000000-0000-7000-8000-000000000005',
    path: OBJECT_PATHS.task,
    domain: 'task',
    scope: 'tasks',
    label: { en: 'Task', de: 'Aufgabe' },
    pluralLabel: { en: 'Tasks', de: 'Aufgaben' },
    nameField: 'title',
    titleFields: ['title'],
    fields: {
      title: text(200, {
        key: 1,
        slot: 's1',
        label: { en: 'Title', de: 'Titel' },
        required: true,
        example: 'Call Ada Lovelace',
      }),
      description: { ...DESCRIPTION, key: 2, example: 'About the offer of 1 March' },
      dueAt: {
        key: 3,
        type: 'datetime',
        slot: 't1',
        label: { en: 'Due', de: 'Fällig' },
        example: '2026-03-04T09:00:00.000Z',
      },
      status: {
        key: 4,
        type: 'picklist',
        slot: 's2',
        label: STATUS,
        options: { open: OPEN, completed: { en: 'Completed', de: 'Erledigt' } },
        required: true,
        default: 'open',
        example: 'open',
      },
      assigneeId: {
        key: 5,
        type: 'reference',
        slot: 's3',
        label: { en: 'Assignee', de: 'Zugewiesen an' },
        targets: [],
        example: USER_ID,
      },
      relatedTo: {
        key: 6,
        type: 'reference',
        slot: 's4',
        label: { en: 'Related to', de: 'Bezieht sich auf' },
        targets: ['lead', 'contact', 'company', 'opportunity'],
        example: OPPORTUNITY_ID,
      },
      priority: {
        key: 7,
        type: 'picklist',
        slot: 's5',
        label: { en: 'Priority', de: 'Priorität' },
        options: {
          low: { en: 'Low', de: 'Niedrig' },
          normal: { en: 'Normal', de: 'Normal' },
          high: { en: 'High', de: 'Hoch' },
        },
        isOfWorkspace: true,
        example: 'normal',
      },
    },
    milestones: { 'task.completed': { field: 'status', value: 'completed', example: { version: 2 } } },
    exampleId: '019ca8d2-e7f5-7d29-8a6b-5c3e9f1d0b72',
    exampleChange: { dueAt: '2026-03-06T09:00:00.000Z' },
  },
} as const satisfies Readonly<Record<string, StandardObject>>;

export type CoreObject = keyof typeof CORE_OBJECTS;
