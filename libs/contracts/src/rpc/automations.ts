import Type, { type Static } from 'typebox';
import { defineRpc } from './define.js';

const Id = Type.String({ format: 'uuid' });

export const ProvisionedHook = Type.Object({
  /** `key` of the automation in the manifest. */
  key: Type.String(),
  workflowId: Id,
  /** Contains the secret, so it is shown to administrators only and never logged. */
  url: Type.String(),
});
export type ProvisionedHook = Static<typeof ProvisionedHook>;

/**
 * Creates the workflows of a package, all or none, idempotent by installation: WORKFLOW_LIMIT_EXCEEDED leaves nothing
 * behind. `objectNames` maps the api names declared in the package to those of the tenant.
 */
export const provisionWorkflows = defineRpc({
  subject: 'rpc.automation-hooks.workflows.provision',
  callers: ['marketplace-certification'],
  principal: 'user',
  request: Type.Object({
    installationId: Id,
    appKey: Type.String(),
    sandbox: Type.Optional(Type.Boolean()),
    grantedScopes: Type.Array(Type.String()),
    objectNames: Type.Record(Type.String(), Type.String()),
    /** `automations` of a certified manifest. */
    automations: Type.Array(Type.Record(Type.String(), Type.Unknown())),
  }),
  response: Type.Object({ hooks: Type.Array(ProvisionedHook) }),
  timeoutMs: 10_000,
});

/**
 * Removes the workflows of an installation; a repetition answers `removed: 0`. The marketplace calls on its own behalf, so
 * that a removal is completed whatever happens to the administrator who requested it.
 */
export const removeWorkflows = defineRpc({
  subject: 'rpc.automation-hooks.workflows.remove',
  callers: ['marketplace-certification'],
  principal: 'service',
  request: Type.Object({ tenantId: Id, installationId: Id }),
  response: Type.Object({ removed: Type.Integer() }),
  timeoutMs: 10_000,
});

/** Hook addresses of an installation, for administrators. */
export const listHooks = defineRpc({
  subject: 'rpc.automation-hooks.hooks.list',
  callers: ['marketplace-certification'],
  principal: 'user',
  request: Type.Object({ installationId: Id }),
  response: Type.Object({ hooks: Type.Array(ProvisionedHook) }),
  timeoutMs: 5000,
});
