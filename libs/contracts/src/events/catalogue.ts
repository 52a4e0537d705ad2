import { appInstalledV1 } from './app-installed/v1.js';
import { appUninstalledV1 } from './app-uninstalled/v1.js';
import { appUpgradedV1 } from './app-upgraded/v1.js';
import { companyCreatedV1 } from './company-created/v1.js';
import { companyDeletedV1 } from './company-deleted/v1.js';
import { companyUpdatedV1 } from './company-updated/v1.js';
import { contactCreatedV1 } from './contact-created/v1.js';
import { contactDeletedV1 } from './contact-deleted/v1.js';
import { contactUpdatedV1 } from './contact-updated/v1.js';
import { dealCreatedV1 } from './deal-created/v1.js';
import { dealDeletedV1 } from './deal-deleted/v1.js';
import { dealLostV1 } from './deal-lost/v1.js';
import { dealUpdatedV1 } from './deal-updated/v1.js';
import { dealWonV1 } from './deal-won/v1.js';
import { leadCreatedV1 } from './lead-created/v1.js';
import { leadDeletedV1 } from './lead-deleted/v1.js';
import { leadUpdatedV1 } from './lead-updated/v1.js';
import { recordCreatedV1 } from './record-created/v1.js';
import { recordDeletedV1 } from './record-deleted/v1.js';
import { recordUpdatedV1 } from './record-updated/v1.js';
import { submissionDecidedV1 } from './submission-decided/v1.js';
import { taskCompletedV1 } from './task-completed/v1.js';
import { taskCreatedV1 } from './task-created/v1.js';
import { taskDeletedV1 } from './task-deleted/v1.js';
import { taskUpdatedV1 } from './task-updated/v1.js';
import { userCreatedV1 } from './user-created/v1.js';
import { userDisabledV1 } from './user-disabled/v1.js';
import { userErasedV1 } from './user-erased/v1.js';
import { webhookEndpointDisabledV1 } from './webhook-endpoint-disabled/v1.js';

/** Every event in its current version, by name; shared by webhooks and workflows. */
export const EVENTS = {
  'lead.created': leadCreatedV1,
  'lead.updated': leadUpdatedV1,
  'lead.deleted': leadDeletedV1,
  'contact.created': contactCreatedV1,
  'contact.updated': contactUpdatedV1,
  'contact.deleted': contactDeletedV1,
  'company.created': companyCreatedV1,
  'company.updated': companyUpdatedV1,
  'company.deleted': companyDeletedV1,
  'deal.created': dealCreatedV1,
  'deal.updated': dealUpdatedV1,
  'deal.deleted': dealDeletedV1,
  'deal.won': dealWonV1,
  'deal.lost': dealLostV1,
  'task.created': taskCreatedV1,
  'task.updated': taskUpdatedV1,
  'task.deleted': taskDeletedV1,
  'task.completed': taskCompletedV1,
  'record.created': recordCreatedV1,
  'record.updated': recordUpdatedV1,
  'record.deleted': recordDeletedV1,
  'app.installed': appInstalledV1,
  'app.upgraded': appUpgradedV1,
  'app.uninstalled': appUninstalledV1,
  'user.created': userCreatedV1,
  'user.disabled': userDisabledV1,
  'user.erased': userErasedV1,
  'webhook.endpoint_disabled': webhookEndpointDisabledV1,
  'submission.decided': submissionDecidedV1,
} as const;

export type EventName = keyof typeof EVENTS;

export const EVENT_NAMES = Object.keys(EVENTS) as EventName[];

export function isEventName(value: string): value is EventName {
  return Object.hasOwn(EVENTS, value);
}
