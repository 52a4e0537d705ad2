import Type from 'typebox';
import { APP_STATUSES } from '../app-notices.js';
import { CUSTOM_RECORD_EXAMPLE } from '../records.js';
import {
  changedCustomRecordData,
  changedRecordExample,
  customRecordData,
  defineEvent,
  deletedCustomRecordData,
  type EventDefinition,
  eventsBy,
} from './define.js';
import { STANDARD_RECORD_EVENTS } from './record-events.js';

const Id = Type.String({ format: 'uuid' });
const USER_ID = '019ca8c2-1f5a-7c3e-9d41-2b6f0a8e5c17';

const Installation = {
  installationId: Id,
  appKey: Type.String(),
  version: Type.String(),
  sandbox: Type.Boolean(),
  requestedBy: Type.Optional(Type.String({ format: 'uuid', description: 'The user who asked for it' })),
};
const INSTALLATION = {
  installationId: '019ca8c4-8d20-7b95-a1e6-3f7c5d9b2e08',
  appKey: 'acme-visits',
  version: '1.2.0',
  sandbox: false,
  requestedBy: USER_ID,
};

const User = Type.Object({
  userId: Id,
  email: Type.Union([Type.String(), Type.Null()], {
    description: 'Null for a host user whose address belongs to another user of the workspace',
  }),
  name: Type.String(),
});
const USER = { userId: USER_ID, email: 'grace@globex.example.com', name: 'Grace Hopper' };

const Subscription = Type.Object({
  id: Id,
  url: Type.String(),
  description: Type.Union([Type.String(), Type.Null()]),
  events: Type.Array(Type.String(), {
    description: 'The event names and domains (`lead.*`) it subscribes to',
  }),
  createdBy: Type.String({
    format: 'uuid',
    description: "The user who created it; for an app's subscription, the user who installed the app",
  }),
  appKey: Type.Optional(
    Type.String({ description: "Key of the app it belongs to; absent for the workspace's own subscription" }),
  ),
});

/** What operators decide about a submission; the last four also about the app of a version that was published. */
export const SUBMISSION_OUTCOMES = [
  'changes_requested',
  'rejected',
  'approved',
  'published',
  'suspended',
  'reinstated',
  'revoked',
  'unlisted',
] as const;
export type SubmissionOutcome = (typeof SUBMISSION_OUTCOMES)[number];

const ofRecords = eventsBy('custom-objects');
const ofInstallations = eventsBy('marketplace-certification');
const ofUsers = eventsBy('identity');

const CUSTOM = { object: 'visit', record: CUSTOM_RECORD_EXAMPLE };
const CUSTOM_CHANGED = { object: 'visit', ...changedRecordExample(CUSTOM_RECORD_EXAMPLE, { hours: 5 }) };

/**
 * The catalogue: every event in its current version, by name; shared by webhooks and workflows. Rights at the broker, types of the
 * SDK, documentation and what can be subscribed to follow from it.
 */
export const EVENTS = {
  ...STANDARD_RECORD_EVENTS,
  'record.created': ofRecords('record.created', 'A record of a custom object was created', customRecordData, CUSTOM),
  'record.updated': ofRecords(
    'record.updated',
    'A record of a custom object was changed',
    changedCustomRecordData,
    CUSTOM_CHANGED,
  ),
  'record.deleted': ofRecords(
    'record.deleted',
    'A record of a custom object was deleted. The data is its last state, or only its ID if it was permanently deleted',
    deletedCustomRecordData,
    CUSTOM,
  ),
  'record.restored': ofRecords(
    'record.restored',
    'A deleted custom object record was restored',
    customRecordData,
    CUSTOM,
  ),
  'app.installed': ofInstallations(
    'app.installed',
    'An app was installed and is ready to use',
    Type.Object(Installation),
    INSTALLATION,
  ),
  'app.upgraded': ofInstallations(
    'app.upgraded',
    'An installation changed to another version',
    Type.Object({ ...Installation, previousVersion: Type.String() }),
    { ...INSTALLATION, previousVersion: '1.1.0' },
  ),
  'app.uninstalled': ofInstallations(
    'app.uninstalled',
    'An app was uninstalled. This is the last event the app receives from that installation',
    Type.Object(Installation),
    INSTALLATION,
  ),
  'app.status_changed': ofInstallations(
    'app.status_changed',
    "The platform's operators suspended, reinstated, or revoked an app that the workspace has installed",
    Type.Object({
      appKey: Type.String(),
      appName: Type.String(),
      publisher: Type.String({ description: 'Name of the workspace that publishes the app' }),
      appStatus: Type.Enum(APP_STATUSES),
    }),
    { appKey: 'acme-visits', appName: 'Acme Visits', publisher: 'Acme', appStatus: 'suspended' },
  ),
  'user.created': ofUsers('user.created', 'A user joined the workspace', User, USER),
  'user.disabled': ofUsers('user.disabled', 'A user can no longer sign in', User, USER),
  'user.erased': ofUsers(
    'user.erased',
    'A user was erased. Delete any personal data you hold about them',
    Type.Object({ userId: Id }),
    { userId: USER_ID },
  ),
  'webhook.endpoint_disabled': defineEvent('webhook.endpoint_disabled', {
    version: 1,
    producer: 'webhook-dispatcher',
    description: 'A subscription was disabled; its events are being held',
    data: Type.Object({
      subscription: Subscription,
      reason: Type.String({ description: 'The reason; `disabledReason` of the subscription' }),
      disabledAt: Type.String({ format: 'date-time' }),
      heldDeliveries: Type.Optional(
        Type.Integer({
          minimum: 0,
          description: 'Number of deliveries held at that moment, if known',
        }),
      ),
    }),
    example: {
      subscription: {
        id: '019ca8e0-4b7a-7d13-9c58-1e6f2a8d0b94',
        url: 'https://hooks.example.com/crm',
        description: 'Leads for the mailing list',
        events: ['lead.*'],
        createdBy: '019ca8e0-4b7a-7d13-9c58-1e6f2a8d0b95',
      },
      reason: 'the endpoint returned 410 Gone',
      disabledAt: '2026-03-01T09:30:00.000Z',
      heldDeliveries: 3,
    },
  }),
  // It does not say which operator decided: the publisher is told nowhere.
  'submission.decided': defineEvent('submission.decided', {
    version: 1,
    producer: 'marketplace-certification',
    description:
      "An operator decided on a version that the workspace submitted, or on an app that it publishes. Apps don't receive this event",
    data: Type.Object({
      submissionId: Id,
      appKey: Type.String(),
      appName: Type.String({ description: 'As in the submitted version' }),
      version: Type.String({
        description: 'The version decided on; for a decision on the app, the published or suspended version',
      }),
      decision: Type.Enum(SUBMISSION_OUTCOMES),
      reason: Type.Optional(
        Type.String({ description: 'The operator’s reason. Required for every decision except approve and publish' }),
      ),
      submittedBy: Type.String({
        format: 'uuid',
        description: 'The user or service account that submitted the version',
      }),
    }),
    example: {
      submissionId: '019ca8c6-3d0e-7a44-8b2f-5e9d1c7a6b03',
      appKey: 'acme-visits',
      appName: 'Acme Visits',
      version: '1.2.0',
      decision: 'rejected',
      reason: 'The demo account of the review packet cannot sign in.',
      submittedBy: USER_ID,
    },
  }),
} as const satisfies Readonly<Record<string, EventDefinition>>;

export type EventName = keyof typeof EVENTS;

export const EVENT_NAMES = Object.keys(EVENTS) as EventName[];

export function isEventName(value: string): value is EventName {
  return Object.hasOwn(EVENTS, value);
}
