import Type, { type Static } from 'typebox';
import { ATTEMPT_PHASES, DELIVERY_STATUSES, DELIVERY_WAITS } from '../deliveries.js';
import { defineRpc } from './define.js';

const Id = Type.String({ format: 'uuid' });

export const ProvisionedSubscription = Type.Object({ id: Id, url: Type.String(), events: Type.Array(Type.String()) });
export type ProvisionedSubscription = Static<typeof ProvisionedSubscription>;

/**
 * Creates the webhook subscriptions of a package, all or none: SUBSCRIPTION_LIMIT_EXCEEDED leaves nothing behind. A
 * repetition for the same installation answers with the existing subscriptions.
 */
export const provisionSubscriptions = defineRpc({
  subject: 'rpc.webhook-dispatcher.subscriptions.provision',
  callers: ['marketplace-certification'],
  principal: 'user',
  request: Type.Object({
    installationId: Id,
    appKey: Type.String(),
    sandbox: Type.Optional(Type.Boolean()),
    /** The app's own signing secret, one for all its installations. */
    secret: Type.String(),
    webhooks: Type.Array(
      Type.Object({
        events: Type.Array(Type.String()),
        url: Type.String(),
        description: Type.Optional(Type.String()),
      }),
    ),
  }),
  response: Type.Object({ subscriptions: Type.Array(ProvisionedSubscription) }),
  timeoutMs: 10_000,
});

/**
 * Removes the subscriptions of an installation; a repetition answers `removed: 0`. Those that want `app.uninstalled` get
 * that event of this installation, which must be published after the answer, and no other; with `discard` (rollback of a
 * failed installation) there is none, and nothing is kept for it. The marketplace calls on its own behalf, so that a removal is completed whatever happens to the administrator who requested it.
 */
export const removeSubscriptions = defineRpc({
  subject: 'rpc.webhook-dispatcher.subscriptions.remove',
  callers: ['marketplace-certification'],
  principal: 'service',
  request: Type.Object({ tenantId: Id, installationId: Id, discard: Type.Boolean() }),
  response: Type.Object({ removed: Type.Integer() }),
  timeoutMs: 10_000,
});

/**
 * Sets a new signing secret for an app's subscriptions in every tenant. The previous secret stays valid for the rotation
 * period, during which both signatures are sent. An app without subscriptions answers `updated: 0`.
 */
export const rotateAppSecret = defineRpc({
  subject: 'rpc.webhook-dispatcher.appSecrets.rotate',
  callers: ['marketplace-certification'],
  principal: 'service',
  request: Type.Object({ appKey: Type.String(), secret: Type.String() }),
  response: Type.Object({ updated: Type.Integer() }),
  timeoutMs: 10_000,
});

const Time = Type.String({ format: 'date-time' });
const OptionalText = Type.Optional(Type.String());

/** A delivery of an app as its developer sees it: of the tenant it has the installation, of the event the name. */
export const AppDelivery = Type.Object({
  id: Id,
  event: Type.String(),
  eventId: Id,
  installationId: Id,
  url: Type.String(),
  status: Type.Enum(DELIVERY_STATUSES),
  /** How many were made. */
  attempts: Type.Integer(),
  lastError: Type.Optional(
    Type.Object({ code: Type.String(), message: Type.String(), httpStatus: Type.Optional(Type.Integer()) }),
  ),
  /** Milliseconds that the last attempt took. */
  latencyMs: Type.Optional(Type.Integer()),
  createdAt: Time,
  nextAttemptAt: Type.Optional(Time),
  waitingFor: Type.Optional(Type.Enum(DELIVERY_WAITS)),
});
export type AppDelivery = Static<typeof AppDelivery>;

/** An attempt, with the beginning of what the receiver of the app answered. */
export const AppDeliveryAttempt = Type.Object({
  at: Time,
  httpStatus: Type.Optional(Type.Integer()),
  errorCode: OptionalText,
  phase: Type.Optional(Type.Enum(ATTEMPT_PHASES)),
  latencyMs: Type.Integer(),
  responseExcerpt: OptionalText,
});
export type AppDeliveryAttempt = Static<typeof AppDeliveryAttempt>;

/** What became of the deliveries of the events of an hour. */
export const DeliveryHour = Type.Object({
  /** When it begins. */
  at: Time,
  deliveries: Type.Integer(),
  delivered: Type.Integer(),
  failed: Type.Integer(),
  attempts: Type.Integer(),
  /** Milliseconds of the last attempts; null when none was made. */
  latencyMs: Type.Union([Type.Object({ p50: Type.Integer(), p95: Type.Integer(), p99: Type.Integer() }), Type.Null()]),
});
export type DeliveryHour = Static<typeof DeliveryHour>;

/**
 * A page of the deliveries of an app in every tenant, newest first. The caller knows that the person who asks develops the app.
 * Refused with INVALID_QUERY when `from` is later than `to`, with QUERY_TOO_EXPENSIVE when reading or counting takes too
 * long, and with SERVICE_UNAVAILABLE while too many others read.
 */
export const listAppDeliveries = defineRpc({
  subject: 'rpc.webhook-dispatcher.appDeliveries.list',
  callers: ['marketplace-certification'],
  principal: 'service',
  request: Type.Object({
    appKey: Type.String(),
    filter: Type.Object({
      status: Type.Optional(Type.Enum(DELIVERY_STATUSES)),
      event: OptionalText,
      /** The code of the last attempt. */
      errorCode: OptionalText,
      /** The event happened then or later. */
      from: Type.Optional(Time),
      /** The event happened before. */
      to: Type.Optional(Time),
    }),
    /** The last delivery of the previous page. */
    after: Type.Optional(Id),
    limit: Type.Integer({ minimum: 1 }),
    offset: Type.Integer({ minimum: 0 }),
    /** Where counting ends; null for never, 0 for no count. */
    countLimit: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
  }),
  response: Type.Object({ deliveries: Type.Array(AppDelivery), counted: Type.Integer() }),
  timeoutMs: 10_000,
});

/** One of them with its attempts; null when the app has no such delivery. */
export const findAppDelivery = defineRpc({
  subject: 'rpc.webhook-dispatcher.appDeliveries.find',
  callers: ['marketplace-certification'],
  principal: 'service',
  request: Type.Object({ appKey: Type.String(), id: Id }),
  response: Type.Object({
    found: Type.Union([Type.Object({ delivery: AppDelivery, attempts: Type.Array(AppDeliveryAttempt) }), Type.Null()]),
  }),
  timeoutMs: 10_000,
});

/**
 * How the deliveries of an app went in every tenant, oldest hour first; without `from` and `to` the last 24 hours. Refused
 * as {@link listAppDeliveries}, with INVALID_QUERY also for more than seven days, and with QUERY_TOO_EXPENSIVE also for
 * more than 200,000 deliveries.
 */
export const countAppDeliveries = defineRpc({
  subject: 'rpc.webhook-dispatcher.appDeliveries.count',
  callers: ['marketplace-certification'],
  principal: 'service',
  request: Type.Object({ appKey: Type.String(), from: Type.Optional(Time), to: Type.Optional(Time) }),
  response: Type.Object({ hours: Type.Array(DeliveryHour) }),
  timeoutMs: 10_000,
});
