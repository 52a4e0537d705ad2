import Type, { type Static } from 'typebox';
import { defineRpc } from './define.js';

const Id = Type.String({ format: 'uuid' });

export const ProvisionedHook = Type.Object({
  /** `key` of the automation in the manifest. */
  key: Type.String(),
  workflowId: Id,
  /** With the secret, so it is shown to administrators only and never logged. */
  url: Type.String(),
});
export type ProvisionedHook = Static<typeof ProvisionedHook>;

/**
 * Puts a package's automations in place, all or none, idempotent by installation: WORKFLOW_LIMIT_EXCEEDED leaves nothing
 * behind.
 * `objectNames` maps the api-names declared in the package to those of the tenant.
 */
export const provisionWorkflows = defineRpc({
  subject: 'rpc.automation-hooks.workflows.provision',
  server: 'automation-hooks',
  callers: ['marketplace-certification'],
  principal: 'user',
  request: Type.Object({
    installationId: Id,
    appKey: Type.String(),
    grantedScopes: Type.Array(Type.String()),
    objectNames: Type.Record(Type.String(), Type.String()),
    /** `automations` of a certified manifest. */
    automations: Type.Array(Type.Record(Type.String(), Type.Unknown())),
  }),
  response: Type.Object({ hooks: Type.Array(ProvisionedHook) }),
  timeoutMs: 10_000,
});

/**
 * Removes what an installation brought; asking again answers `removed: 0`. The marketplace calls in its own name: what was
 * begun is taken away to the end, whatever has become of the administrator who asked.
 */
export const removeWorkflows = defineRpc({
  subject: 'rpc.automation-hooks.workflows.remove',
  server: 'automation-hooks',
  callers: ['marketplace-certification'],
  principal: 'service',
  request: Type.Object({ tenantId: Id, installationId: Id }),
  response: Type.Object({ removed: Type.Integer() }),
  timeoutMs: 10_000,
});

/** Hook addresses of an installation, for administrators. */
export const listHooks = defineRpc({
  subject: 'rpc.automation-hooks.hooks.list',
  server: 'automation-hooks',
  callers: ['marketplace-certification'],
  principal: 'user',
  request: Type.Object({ installationId: Id }),
  response: Type.Object({ hooks: Type.Array(ProvisionedHook) }),
  timeoutMs: 5000,
});
