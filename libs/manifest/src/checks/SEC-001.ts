import type { Check } from '../check.js';
import { secretsIn } from '../secrets.js';

export const SEC_001: Check = {
  id: 'SEC-001',
  title: 'The package contains no secret',
  severity: 'blocker',
  doc: {
    why: 'A package is stored, reviewed and shown. Everyone who sees it knows the keys and tokens in it, even after they are removed.',
    fix: 'Revoke the secret, remove it from the package, and keep the new one on the app’s own server.',
  },
  run: ({ document }) => secretsIn(document),
};
