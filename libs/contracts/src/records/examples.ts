import type { CompanyRecord, ContactRecord, LeadRecord, OpportunityRecord, TaskRecord } from './core.js';

// One small story, so that the ids of the examples agree with each other.

const CREATED = { version: 1, createdAt: '2026-03-01T09:30:00.000Z', updatedAt: '2026-03-01T09:30:00.000Z' };
const USER_ID = '019ca8c2-1f5a-7c3e-9d41-2b6f0a8e5c17';

export const LEAD_EXAMPLE: LeadRecord = {
  id: '019ca8d0-5a40-7b1d-8f02-6c1e9b7d4a35',
  ...CREATED,
  firstName: 'Ada',
  lastName: 'Lovelace',
  email: 'ada@example.com',
  phone: '+44 20 7946 0018',
  companyName: 'Analytical Engines',
  status: 'new',
  source: 'fair',
  ownerId: USER_ID,
};

export const COMPANY_EXAMPLE: CompanyRecord = {
  id: '019ca8d1-0c11-7e52-a3b9-4f7d2c6e8b10',
  ...CREATED,
  name: 'Analytical Engines',
  website: null,
  phone: '+44 20 7946 0000',
};

export const CONTACT_EXAMPLE: ContactRecord = {
  id: '019ca8d1-7d3e-7a06-b5c4-8e2f1a9d6c43',
  ...CREATED,
  firstName: 'Ada',
  lastName: 'Lovelace',
  email: 'ada@example.com',
  phone: null,
  companyId: COMPANY_EXAMPLE.id,
};

export const OPPORTUNITY_EXAMPLE: OpportunityRecord = {
  id: '019ca8d2-3b9c-7f48-96e1-0d5a7c2b8e64',
  ...CREATED,
  name: 'Analytical Engines: 50 seats',
  amount: 42_000,
  currency: 'EUR',
  stage: 'proposal',
  status: 'open',
  closeDate: '2026-04-30',
  companyId: COMPANY_EXAMPLE.id,
  contactId: CONTACT_EXAMPLE.id,
};

export const TASK_EXAMPLE: TaskRecord = {
  id: '019ca8d2-e7f5-7d29-8a6b-5c3e9f1d0b72',
  ...CREATED,
  title: 'Call Ada Lovelace',
  description: 'About the offer of 1 March',
  dueAt: '2026-03-04T09:00:00.000Z',
  status: 'open',
  assigneeId: USER_ID,
  relatedTo: OPPORTUNITY_EXAMPLE.id,
};

/** A record of a custom object: the fields of every record, and those that the object defines. */
export const CUSTOM_RECORD_EXAMPLE = {
  id: '019ca8d3-5e08-7c71-b2d4-9a6f3c1e7b85',
  ...CREATED,
  place: 'Hall 4',
  hours: 3,
};
