import type { StandardObjectName } from '@crm/api-client';
import type { Catalogue } from '@crm/ui';

interface StandardTexts {
  readonly objects: Readonly<Record<StandardObjectName, readonly [one: string, many: string]>>;
  readonly fields: Readonly<Record<StandardFieldLabel, string>>;
  readonly options: Readonly<Record<'open' | 'won' | 'lost' | 'completed', string>>;
}

export type StandardFieldLabel =
  | 'firstName'
  | 'lastName'
  | 'email'
  | 'phone'
  | 'companyName'
  | 'status'
  | 'source'
  | 'company'
  | 'name'
  | 'website'
  | 'amount'
  | 'currency'
  | 'stage'
  | 'closeDate'
  | 'contact'
  | 'title'
  | 'description'
  | 'dueAt';

export const STANDARD_TEXTS: Catalogue<StandardTexts> = {
  en: {
    objects: {
      leads: ['Lead', 'Leads'],
      contacts: ['Contact', 'Contacts'],
      companies: ['Company', 'Companies'],
      opportunities: ['Opportunity', 'Opportunities'],
      tasks: ['Task', 'Tasks'],
    },
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
};
