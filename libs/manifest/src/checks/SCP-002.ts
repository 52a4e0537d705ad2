import type { Check } from '../check.js';
import { requestedScopes } from '../scope-usage.js';

export const SCP_002: Check = {
  id: 'SCP-002',
  title: 'Each scope is requested with a purpose',
  severity: 'warning',
  doc: {
    why: 'The purpose is shown to the administrator who is asked to grant the scope.',
    fix: 'Write the permission as `{ "scope": "leads:read", "purpose": "…" }` with a sentence that an administrator understands.',
  },
  run: ({ manifest }) =>
    requestedScopes(manifest)
      .filter(({ purpose }) => purpose === undefined || purpose.trim() === '')
      .map(({ scope, pointer }) => ({ pointer, message: `The scope "${scope}" is requested without a purpose.` })),
};
