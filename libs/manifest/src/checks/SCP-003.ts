import { isScope } from '@crm/contracts';
import type { Check } from '../check.js';
import { requestedScopes, scopeUses } from '../scope-usage.js';

export const SCP_003: Check = {
  id: 'SCP-003',
  title: 'Every requested scope is used by the package',
  severity: 'advice',
  doc: {
    why: 'Administrators grant fewer scopes more readily. The suite sees only what the package declares, not the calls that the app’s own servers make through the API.',
    fix: 'Remove the scope, or explain in its purpose what the app’s servers do with it.',
  },
  run({ manifest }) {
    const used = new Set(scopeUses(manifest).map(({ scope }) => nameOf(scope)));
    return requestedScopes(manifest)
      .filter(({ scope }) => isScope(scope) && !used.has(nameOf(scope)))
      .map(({ scope, pointer }) => ({ pointer, message: `Nothing in the package uses the scope "${scope}".` }));
  },
};

/** The scope without `:read`. */
function nameOf(scope: string): string {
  return scope.split(':')[0]!;
}
