// The records of standard objects in deliveries. Fields that the platform adds later may appear as well.

/** The fields of every record. */
export interface RecordHead {
  /** UUID */
  id: string;
  /** Counts the changes of the record, from 1. */
  version: number;
  /** ISO 8601, UTC */
  createdAt: string;
  /** ISO 8601, UTC */
  updatedAt: string;
}

export interface LeadRecord extends RecordHead {
  firstName: string | null;
  lastName: string;
  email: string | null;
  phone: string | null;
  companyName: string | null;
  status: string | null;
  source: string | null;
  ownerId: string | null;
}

export interface ContactRecord extends RecordHead {
  firstName: string | null;
  lastName: string;
  email: string | null;
  phone: string | null;
  companyId: string | null;
}

export interface CompanyRecord extends RecordHead {
  name: string;
  website: string | null;
  phone: string | null;
}

/** An opportunity; its events are called `deal.…`. */
export interface OpportunityRecord extends RecordHead {
  name: string;
  amount: number | null;
  /** ISO 4217 */
  currency: string | null;
  stage: string | null;
  status: 'open' | 'won' | 'lost';
  /** `YYYY-MM-DD` */
  closeDate: string | null;
  companyId: string | null;
  contactId: string | null;
}

export interface TaskRecord extends RecordHead {
  title: string;
  description: string | null;
  /** ISO 8601, UTC */
  dueAt: string | null;
  status: 'open' | 'completed';
  assigneeId: string | null;
  relatedTo: string | null;
}

/** A record of a custom object: only fields that every role may read. */
export type CustomRecord = Record<string, unknown>;
