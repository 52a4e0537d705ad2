import { type Texts, textsOf } from './languages.js';
import { OBJECT_PATHS } from './object-paths.js';
import type { ScopeName } from './rights.js';
import type { CatalogueTexts } from './texts/en.js';

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

// One small story, so that the ids of the examples agree with each other.
const USER_ID = '019ca8c2-1f5a-7c3e-9d41-2b6f0a8e5c17';
const CONTACT_ID = '019ca8d1-7d3e-7a06-b5c4-8e2f1a9d6c43';
const COMPANY_ID = '019ca8d1-0c11-7e52-a3b9-4f7d2c6e8b10';
const OPPORTUNITY_ID = '019ca8d2-3b9c-7f48-96e1-0d5a7c2b8e64';

type Slot = string | null;
/** What every field begins with. */
type Row<S extends Slot> = readonly [key: number, slot: S];

/** Adds the label that the field of this name has in the catalogue of texts. */
const labelled = <const F extends Partial<Record<keyof CatalogueTexts['fields'], object>>>(fields: F) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      { ...field, label: textsOf((texts) => texts.fields[name as keyof F & keyof CatalogueTexts['fields']]) },
    ]),
  ) as { readonly [Name in keyof F]: F[Name] & { readonly label: Texts } };
/** The options of a picklist, in order. */
const options = <const F extends keyof CatalogueTexts['options'], const O extends keyof CatalogueTexts['options'][F]>(
  field: F,
  values: readonly O[],
) =>
  Object.fromEntries(
    values.map((value) => [value, textsOf((texts) => texts.options[field][value] as string)]),
  ) as Readonly<Record<O, Texts>>;
/** Both labels of an object. */
const named = (name: keyof CatalogueTexts['objects']) => ({
  label: textsOf(({ objects }) => objects[name].label),
  pluralLabel: textsOf(({ objects }) => objects[name].pluralLabel),
});

const field = <const S extends Slot>([key, slot]: Row<S>) => ({ key, slot });
const text = <const S extends Slot>(row: Row<S>, maxLength: number, example: string | null = null) =>
  ({ ...field(row), type: 'text', maxLength, example }) as const;
const reference = <const S extends Slot>(row: Row<S>, targets: string[], example: string | null = null) =>
  ({ ...field(row), type: 'reference', targets, example }) as const;
const picklist = <const S extends Slot>(row: Row<S>, example: string, offered: Readonly<Record<string, Texts>>) =>
  ({ ...field(row), type: 'picklist', options: offered, isOfWorkspace: true, example }) as const;

const phone = <const S extends Slot>(key: number, slot: S, example?: string) =>
  ({ ...text([key, slot], 40, example), type: 'phone' }) as const;
const website = (key: number) => ({ ...text([key, null], 2048), type: 'url' }) as const;
const description = (key: number, example?: string) =>
  ({ ...text([key, null], 4000, example), type: 'textarea' }) as const;
const jobTitle = (key: number) => text([key, null], 120, 'Head of purchasing');
const owner = <const S extends Slot>(key: number, slot: S) => reference([key, slot], [], USER_ID);
const company = <const S extends Slot>(key: number, slot: S) => reference([key, slot], ['company'], COMPANY_ID);
const name = (example: string) => ({ ...text([1, 's1'], 200, example), required: true }) as const;
/** What a lead has become, written by its conversion. @param key of the field, apart from those that people write */
const convertedTo = (key: number, target: string) => ({ ...reference([key, null], [target]), readOnly: true }) as const;

/** Five fields whose keys follow each other. @param first key @param city column of the town, the one that lists are filtered by */
const addressOf = <const City extends Slot>(first: number, city: City) => ({
  street: text([first, null], 200, '12 Saint James Square'),
  postalCode: text([first + 1, null], 20, 'SW1Y 4JH'),
  city: text([first + 2, city], 120, 'London'),
  region: text([first + 3, null], 120),
  country: text([first + 4, null], 80, 'United Kingdom'),
});

/** Fields common to leads and contacts, with the same keys and slots. */
const PERSON = {
  firstName: text([1, null], 120, 'Ada'),
  lastName: { ...text([2, 's1'], 120, 'Lovelace'), required: true },
  email: { ...text([3, 's2'], 254, 'ada@example.com'), type: 'email' },
} as const;

/** What tasks relate to. */
const RELATED = ['lead', 'contact', 'company', 'opportunity'];
/** The status of what is open at first. */
const openOr = <const S extends Slot, const O extends keyof CatalogueTexts['options']['status']>(
  key: number,
  slot: S,
  others: readonly O[],
) =>
  ({
    ...field([key, slot]),
    type: 'picklist',
    options: options('status', ['open', ...others]),
    required: true,
    default: 'open',
    example: 'open',
  }) as const;

export const STAGE_MEANINGS = ['open', 'won', 'lost'] as const;
/** What a stage says about a deal: the status of those that are in it. */
export type StageMeaning = (typeof STAGE_MEANINGS)[number];

interface DefaultStage {
  readonly label: Texts;
  /** Per cent. */
  readonly probability: number;
  readonly meaning: StageMeaning;
}

const STAGES = options('stage', ['qualification', 'discovery', 'proposal', 'negotiation', 'won', 'lost']);

/** The pipeline of a new workspace; its stages by value, in order. */
export const DEFAULT_PIPELINE = {
  id: '00000000-0000-7000-8000-000000000101',
  name: textsOf(({ pipeline }) => pipeline),
  stages: {
    qualification: { label: STAGES.qualification, probability: 10, meaning: 'open' },
    discovery: { label: STAGES.discovery, probability: 25, meaning: 'open' },
    proposal: { label: STAGES.proposal, probability: 50, meaning: 'open' },
    negotiation: { label: STAGES.negotiation, probability: 75, meaning: 'open' },
    won: { label: STAGES.won, probability: 100, meaning: 'won' },
    lost: { label: STAGES.lost, probability: 0, meaning: 'lost' },
  },
} as const satisfies {
  readonly id: string;
  readonly name: Texts;
  readonly stages: Readonly<Record<string, DefaultStage>>;
};

/**
 * The catalogue of standard objects. Types, schemas, events, forms and the SDK follow from it; a field is added here alone.
 * Fields that a tenant adds get keys from 1000 and the remaining slots.
 */
export const CORE_OBJECTS = {
  /** Someone who may become a customer. */
  lead: {
    id: '00000000-0000-7000-8000-000000000001',
    path: OBJECT_PATHS.lead,
    domain: 'lead',
    scope: 'leads',
    ...named('lead'),
    nameField: 'lastName',
    titleFields: ['firstName', 'lastName'],
    fields: labelled({
      ...PERSON,
      phone: phone(4, 's3', '+44 20 7946 0018'),
      companyName: text([5, 's4'], 200, 'Analytical Engines'),
      status: picklist(
        [6, 's5'],
        'new',
        options('status', ['new', 'contacted', 'qualified', 'unqualified', 'converted']),
      ),
      source: picklist(
        [7, 's6'],
        'fair',
        options('source', ['web', 'referral', 'fair', 'partner', 'advertising', 'phone', 'other']),
      ),
      ownerId: owner(8, 's7'),
      jobTitle: jobTitle(9),
      website: website(10),
      ...addressOf(11, null),
      description: description(16),
      convertedContactId: convertedTo(30, 'contact'),
      convertedCompanyId: convertedTo(31, 'company'),
      convertedOpportunityId: convertedTo(32, 'opportunity'),
    }),
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
    ...named('contact'),
    nameField: 'lastName',
    titleFields: ['firstName', 'lastName'],
    fields: labelled({
      ...PERSON,
      phone: phone(4, 's3'),
      companyId: company(5, 's4'),
      ownerId: owner(6, 's5'),
      jobTitle: jobTitle(7),
      ...addressOf(8, null),
      description: description(13),
    }),
    milestones: {},
    exampleId: CONTACT_ID,
    exampleChange: { phone: '+44 20 7946 0018' },
  },
  /** An organisation. */
  company: {
    id: '00000000-0000-7000-8000-000000000003',
    path: OBJECT_PATHS.company,
    domain: 'company',
    scope: 'companies',
    ...named('company'),
    nameField: 'name',
    titleFields: ['name'],
    fields: labelled({
      name: name('Analytical Engines'),
      website: website(2),
      phone: phone(3, 's2', '+44 20 7946 0000'),
      ownerId: owner(4, 's3'),
      industry: text([5, 's4'], 120, 'Engineering'),
      employees: { ...field([6, null]), type: 'number', example: 250 },
      ...addressOf(7, 's5'),
      description: description(12),
    }),
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
    ...named('opportunity'),
    nameField: 'name',
    titleFields: ['name'],
    fields: labelled({
      name: name('Analytical Engines: 50 seats'),
      amount: { ...field([2, 'n1']), type: 'number', example: 42_000 },
      currency: { ...text([3, 's2'], 3, 'EUR'), format: 'currency' },
      stage: picklist([4, 's3'], 'proposal', STAGES),
      status: openOr(5, 's4', ['won', 'lost']),
      closeDate: { ...field([6, 't1']), type: 'date', example: '2026-04-30' },
      companyId: company(7, 's5'),
      contactId: reference([8, 's6'], ['contact'], CONTACT_ID),
      ownerId: owner(9, 's7'),
      description: description(10),
    }),
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
    ...named('task'),
    nameField: 'title',
    titleFields: ['title'],
    fields: labelled({
      title: { ...text([1, 's1'], 200, 'Call Ada Lovelace'), required: true },
      description: description(2, 'About the offer of 1 March'),
      dueAt: { ...field([3, 't1']), type: 'datetime', example: '2026-03-04T09:00:00.000Z' },
      status: openOr(4, 's2', ['completed']),
      assigneeId: reference([5, 's3'], [], USER_ID),
      relatedTo: reference([6, 's4'], RELATED, OPPORTUNITY_ID),
      priority: picklist([7, 's5'], 'normal', options('priority', ['low', 'normal', 'high'])),
    }),
    milestones: { 'task.completed': { field: 'status', value: 'completed', example: { version: 2 } } },
    exampleId: '019ca8d2-e7f5-7d29-8a6b-5c3e9f1d0b72',
    exampleChange: { dueAt: '2026-03-06T09:00:00.000Z' },
  },
} as const satisfies Readonly<Record<string, StandardObject>>;

export type CoreObject = keyof typeof CORE_OBJECTS;
