import type { Check } from '../check.js';
import { secretsIn } from '../secrets.js';

export const SEC_001: Check = {
  id: 'SEC-001',
  title: 'The package contains no secret',
  severity: 'blocker',
  doc: {
    why: 'A package is stored, reviewed and shown. A key or token in it is known to everyone who sees it, also after it is taken out again.',
    fix: 'Revoke the secret, take it out, and let the app’s own server hold the new one.',
  },
  run: ({ document }) => secretsIn(document),
};
