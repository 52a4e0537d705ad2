import type {
  CompanyRecord,
  ContactRecord,
  CustomRecord,
  LeadRecord,
  OpportunityRecord,
  TaskRecord,
} from './records.js';

/** What an update adds to the record. */
export interface Change {
  /** Names of the fields that changed. */
  changed: string[];
  /** Their values before. */
  previous: Record<string, unknown>;
  /** Set when both states together are too long: `previous` is then empty. */
  previousOmitted?: true;
}

export interface InstallationData {
  installationId: string;
  appKey: string;
  version: string;
  sandbox: boolean;
  /** The user who asked for it; missing in events of earlier releases. */
  requestedBy?: string;
}

export interface UserData {
  userId: string;
  email: string;
  name: string;
}

/** A subscription that the platform has disabled, and holds the events of. */
export interface EndpointDisabledData {
  subscription: {
    id: string;
    url: string;
    description: string | null;
    /** Names of events and of domains (`lead.*`). */
    events: string[];
    /** The user who created it; of a subscription of an app, the user who installed the app. */
    createdBy: string;
    /** Key of the app it belongs to; missing for a subscription of the workspace. */
    appKey?: string;
  };
  reason: string;
  disabledAt: string;
  heldDeliveries?: number;
}

/** What an operator of the platform decided about a version that the workspace submitted, or about the app that it publishes. */
export interface SubmissionDecidedData {
  submissionId: string;
  appKey: string;
  appName: string;
  version: string;
  decision:
    | 'changes_requested'
    | 'rejected'
    | 'approved'
    | 'published'
    | 'suspended'
    | 'reinstated'
    | 'revoked'
    | 'unlisted';
  reason?: string;
  /** The user or service account that submitted the version. */
  submittedBy: string;
}

/** `data` of each type of event. */
export interface EventDataByType {
  'lead.created': LeadRecord;
  'lead.updated': LeadRecord & Change;
  'lead.deleted': LeadRecord;
  'contact.created': ContactRecord;
  'contact.updated': ContactRecord & Change;
  'contact.deleted': ContactRecord;
  'company.created': CompanyRecord;
  'company.updated': CompanyRecord & Change;
  'company.deleted': CompanyRecord;
  'deal.created': OpportunityRecord;
  'deal.updated': OpportunityRecord & Change;
  'deal.deleted': OpportunityRecord;
  'deal.won': OpportunityRecord;
  'deal.lost': OpportunityRecord;
  'task.created': TaskRecord;
  'task.updated': TaskRecord & Change;
  'task.deleted': TaskRecord;
  'task.completed': TaskRecord;
  'record.created': CustomRecord;
  'record.updated': CustomRecord & Change;
  'record.deleted': CustomRecord;
  'app.installed': InstallationData;
  'app.upgraded': InstallationData & { previousVersion: string };
  'app.uninstalled': InstallationData;
  'user.created': UserData;
  'user.disabled': UserData;
  'user.erased': { userId: string };
  'webhook.endpoint_disabled': EndpointDisabledData;
  'submission.decided': SubmissionDecidedData;
}

export type EventType = keyof EventDataByType;

interface EventHead {
  /** Of the event, and the header `webhook-id`: the same in each delivery and attempt. */
  id: string;
  /** When it happened, ISO 8601, UTC; not when it was sent. */
  timestamp: string;
  tenantId: string;
}

/**
 * The body of a delivery. `event.type` narrows `event.data`. A receiver gets the types it subscribes to, and ignores those
 * it does not know.
 */
export type WebhookEvent<Type extends EventType = EventType> = {
  [T in Type]: EventHead & { type: T; data: EventDataByType[T] } & (T extends `record.${string}`
      ? {
          /** API name of the custom object. */
          object: string;
        }
      : unknown);
}[Type];
