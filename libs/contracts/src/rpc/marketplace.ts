import Type from 'typebox';
import { defineRpc } from './define.js';

const Id = Type.String({ format: 'uuid' });

/**
 * The sandboxes of an app in the workspace of its publisher, which calls: active trial installations. NOT_FOUND when the
 * caller's workspace does not publish the app.
 */
export const listSandboxes = defineRpc({
  subject: 'rpc.marketplace-certification.sandboxes.list',
  callers: ['webhook-dispatcher'],
  principal: 'user',
  request: Type.Object({ appKey: Type.String() }),
  response: Type.Object({ installationIds: Type.Array(Id) }),
  timeoutMs: 5000,
});

/**
 * Tells whether there is an app that the caller's workspace may know: one that it publishes or has installed at some time, and one that
 * was published for others too. What it may not know is not told apart from what does not exist.
 */
export const isAppKnown = defineRpc({
  subject: 'rpc.marketplace-certification.apps.isKnown',
  callers: ['custom-objects'],
  principal: 'user',
  request: Type.Object({ appKey: Type.String() }),
  response: Type.Object({ known: Type.Boolean() }),
  timeoutMs: 3000,
});

/** The roles that the apps of a workspace bring: those that are installed, sandboxes too. */
export const listRoles = defineRpc({
  subject: 'rpc.marketplace-certification.roles.list',
  callers: ['identity'],
  principal: 'service',
  request: Type.Object({ tenantId: Id }),
  response: Type.Object({
    roles: Type.Array(Type.Object({ appKey: Type.String(), name: Type.String(), label: Type.String() })),
  }),
  timeoutMs: 3000,
});
