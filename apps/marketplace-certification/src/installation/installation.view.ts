import type { ShownHook } from './hook-address.service.js';
import type { InstallationView } from './installation.dto.js';
import type { Installation } from './installation.entity.js';
import type { InstallationStep } from './installation-step.entity.js';

/** An installation as the API shows it. */
export function viewOf(
  installation: Installation,
  steps: readonly InstallationStep[],
  hooks: readonly ShownHook[] = installation.hooks,
): InstallationView {
  const { id, state, appKey, version, sandbox, grantedScopes, objects, subscriptions, failure, createdAt } =
    installation;
  return {
    id,
    state,
    appKey,
    version,
    sandbox,
    grantedScopes,
    objects: state === 'active' ? objects : [],
    hooks: state === 'active' ? [...hooks] : [],
    subscriptions: state === 'active' ? subscriptions : [],
    steps: steps.map(({ name, state: stepState, error }) => ({ name, state: stepState, ...(error && { error }) })),
    ...(failure && { failure }),
    createdAt: createdAt.toISOString(),
  };
}
