import Type, { type Static } from 'typebox';
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
  server: 'webhook-dispatcher',
  callers: ['marketplace-certification'],
  principal: 'user',
  request: Type.Object({
    installationId: Id,
    appKey: Type.String(),
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
  server: 'webhook-dispatcher',
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
  server: 'webhook-dispatcher',
  callers: ['marketplace-certification'],
  principal: 'service',
  request: Type.Object({ appKey: Type.String(), secret: Type.String() }),
  response: Type.Object({ updated: Type.Integer() }),
  timeoutMs: 10_000,
});
