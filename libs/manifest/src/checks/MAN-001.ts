import type { Check } from '../check.js';
import { shapeProblems } from '../validate.js';

export const MAN_001: Check = {
  id: 'MAN-001',
  title: 'The manifest matches the package schema',
  severity: 'blocker',
  doc: {
    why: 'The schema defines which keys a package can have and the types of their values. An unknown key is rejected, because it is usually a misspelt one that would silently have no effect.',
    fix: 'Correct each reported place. An editor that supports `$schema` completes and checks the manifest while you type.',
  },
  run: ({ document }) => shapeProblems(document),
};
