import Type from 'typebox';
import { CUSTOM_RECORD_EXAMPLE } from '../records.js';
import {
  changedCustomRecordData,
  changedRecordExample,
  customRecordData,
  defineEvent,
  deletedCustomRecordData,
  type EventDefinition,
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

const User = Type.Object({ userId: Id, email: Type.String(), name: Type.String() });
const USER = { userId: USER_ID, email: 'grace@globex.example.com', name: 'Grace Hopper' };

const Subscription = Type.Object({
  id: Id,
  url: Type.String(),
  description: Type.Union([Type.String(), Type.Null()]),
  events: Type.Array(Type.String(), {
    description: 'What it subscribes to: names of events and of domains (`lead.*`)',
  }),
  createdBy: Type.String({
    format: 'uuid',
    description: 'The user who created it; of a subscription of an app, the user who installed the app',
  }),
  appKey: Type.Optional(
    Type.String({ description: 'Key of the app it belongs to; missing for a subscription of the workspace' }),
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

const RECORDS = { version: 1, producer: 'custom-objects' } as const;
const INSTALLATIONS = { version: 1, producer: 'marketplace-certification' } as const;
const USERS = { version: 1, producer: 'identity' } as const;

/**
 * The catalogue: every event in its current version, by name; shared by webhooks and workflows. Rights at the broker, types of the
 * SDK, documentation and what can be subscribed to follow from it.
 */
export const EVENTS = {
  ...STANDARD_RECORD_EVENTS,
  'record.created': defineEvent('record.created', {
    ...RECORDS,
    description: 'A record of a custom object was created',
    data: customRecordData,
    example: { object: 'visit', record: CUSTOM_RECORD_EXAMPLE },
  }),
  'record.updated': defineEvent('record.updated', {
    ...RECORDS,
    description: 'A record of a custom object was changed',
    data: changedCustomRecordData,
    example: { object: 'visit', ...changedRecordExample(CUSTOM_RECORD_EXAMPLE, { hours: 5 }) },
  }),
  'record.deleted': defineEvent('record.deleted', {
    ...RECORDS,
    description:
      'A record of a custom object was deleted; the data is its last state, or its id alone when it was erased',
    data: deletedCustomRecordData,
    example: { object: 'visit', record: CUSTOM_RECORD_EXAMPLE },
  }),
  'record.restored': defineEvent('record.restored', {
    ...RECORDS,
    description: 'A record of a custom object that was deleted is back',
    data: customRecordData,
    example: { object: 'visit', record: CUSTOM_RECORD_EXAMPLE },
  }),
  'app.installed': defineEvent('app.installed', {
    ...INSTALLATIONS,
    description: 'An app was installed and all it brings is in place',
    data: Type.Object(Installation),
    example: INSTALLATION,
  }),
  'app.upgraded': defineEvent('app.upgraded', {
    ...INSTALLATIONS,
    description: 'An installation moved to another version',
    data: Type.Object({ ...Installation, previousVersion: Type.String() }),
    example: { ...INSTALLATION, previousVersion: '1.1.0' },
  }),
  'app.uninstalled': defineEvent('app.uninstalled', {
    ...INSTALLATIONS,
    description: 'An app was removed; the last event of the installation that the app itself gets',
    data: Type.Object(Installation),
    example: INSTALLATION,
  }),
  'user.created': defineEvent('user.created', {
    ...USERS,
    description: 'A user joined the workspace',
    data: User,
    example: USER,
  }),
  'user.disabled': defineEvent('user.disabled', {
    ...USERS,
    description: 'A user can no longer sign in',
    data: User,
    example: USER,
  }),
  'user.erased': defineEvent('user.erased', {
    ...USERS,
    description: 'A user was erased: whoever keeps personal data of them must delete it',
    data: Type.Object({ userId: Id }),
    example: { userId: USER_ID },
  }),
  'webhook.endpoint_disabled': defineEvent('webhook.endpoint_disabled', {
    version: 1,
    producer: 'webhook-dispatcher',
    description: 'The platform disabled a subscription, whose events it now holds',
    data: Type.Object({
      subscription: Subscription,
      reason: Type.String({ description: 'Why, in words; the `disabledReason` of the subscription' }),
      disabledAt: Type.String({ format: 'date-time' }),
      heldDeliveries: Type.Optional(
        Type.Integer({
          minimum: 0,
          description: 'How many deliveries the subscription held at that moment, when known',
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
      reason: 'the receiver answered 410 Gone',
      disabledAt: '2026-03-01T09:30:00.000Z',
      heldDeliveries: 3,
    },
  }),
  // It does not say which operator decided: the publisher is told nowhere.
  'submission.decided': defineEvent('submission.decided', {
    version: 1,
    producer: 'marketplace-certification',
    description:
      'An operator of the platform decided about a version that the workspace submitted, or about the app that it publishes; no app receives it',
    data: Type.Object({
      submissionId: Id,
      appKey: Type.String(),
      appName: Type.String({ description: 'As the submitted version says' }),
      version: Type.String({
        description: 'The version decided on; of a decision about the app, the one that was published or suspended',
      }),
      decision: Type.Enum(SUBMISSION_OUTCOMES),
      reason: Type.Optional(
        Type.String({ description: 'In the words of the operator; always given but to approve and publish' }),
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
