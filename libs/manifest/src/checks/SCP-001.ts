import { isScope, RESERVED_SCOPES, SCOPES } from '@crm/contracts';
import type { Check } from '../check.js';
import { entriesOf } from '../draft.js';
import { pointer } from '../json-pointer.js';
import { requestedScopes } from '../scope-usage.js';
import { suggestion } from '../suggestion.js';

export const SCP_001: Check = {
  id: 'SCP-001',
  title: 'Every requested scope is known and none is reserved',
  severity: 'blocker',
  doc: {
    why: 'A scope is what an admin grants at install. An unknown one would be shown and mean nothing; a reserved one would let an app act as the platform.',
    fix: `Use the scopes of the platform: ${SCOPES.map((scope) => `\`${scope}\``).join(', ')}.`,
  },
  *run({ manifest }) {
    const embed = [...entriesOf(manifest.embed?.scopes)].map(([i, scope]) => ({
      scope,
      pointer: pointer('embed', 'scopes', i),
    }));
    for (const { scope, pointer: at } of [...requestedScopes(manifest), ...embed]) {
      if (isScope(scope)) continue;
      const message = RESERVED_SCOPES.includes(scope.split(':')[0]!)
        ? `The scope "${scope}" is reserved to the platform.`
        : `The scope "${scope}" is not known.${suggestion(scope, SCOPES)}`;
      yield { pointer: at, message };
    }
  },
};
