import { coversScope, isScope } from '@crm/contracts';
import type { Check } from '../check.js';
import { requestedScopes, scopeUses } from '../scope-usage.js';

export const SCP_005: Check = {
  id: 'SCP-005',
  title: 'Every scope that the package uses is requested',
  severity: 'blocker',
  doc: {
    why: 'An app can do only what its granted scopes allow. A package that needs a scope it does not request would be installed and then fail.',
    fix: 'Add the scope to `permissions`. The full scope covers its `:read`. Objects and actions on them need `custom_objects`, `create_task` needs `tasks`, actions on core objects need their scope (`opportunity` needs `pipeline`), automations need `automations`, webhooks and triggers need the `:read` scope of the event’s domain, whether a webhook names one event or the whole domain (`lead.*`). Events of the domains `app`, `user` and `webhook` need no scope.',
  },
  run({ manifest }) {
    const requested = [...new Set(requestedScopes(manifest).map(({ scope }) => scope))].filter(isScope);
    const reported = new Set<string>();
    return scopeUses(manifest).flatMap(({ scope, pointer, what, needed }) => {
      if (!needed || coversScope(requested, scope) || reported.has(scope)) return [];
      reported.add(scope);
      return [{ pointer, message: `${what} needs the scope "${scope}", which is not requested.` }];
    });
  },
};
