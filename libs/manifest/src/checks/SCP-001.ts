import { isScope, RESERVED_SCOPES, SCOPES } from '@crm/contracts';
import type { Check } from '../check.js';
import { entriesOf } from '../draft.js';
import { pointer } from '../json-pointer.js';
import { requestedScopes } from '../scope-usage.js';
import { suggestion } from '../suggestion.js';

export const SCP_001: Check = {
  id: 'SCP-001',
  title: 'Every requested scope is known and not reserved',
  severity: 'blocker',
  doc: {
    why: 'An administrator grants scopes when installing an app. An unknown scope would be shown but mean nothing; a reserved one would let an app act as the platform.',
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
        ? `The scope "${scope}" is reserved for the platform.`
        : `The scope "${scope}" is unknown.${suggestion(scope, SCOPES)}`;
      yield { pointer: at, message };
    }
  },
};
