import type { Check } from '../check.js';
import { shapeProblems } from '../validate.js';

export const MAN_001: Check = {
  id: 'MAN-001',
  title: 'The manifest matches the package schema',
  severity: 'blocker',
  doc: {
    why: 'The schema says which keys a package may have and of which type their values are. A key that the platform does not know is refused, because it is most often a misspelt one whose effect would be missing.',
    fix: 'Correct each place that is named. An editor that reads the `$schema` of the manifest completes and checks it while you type.',
  },
  run: ({ document }) => shapeProblems(document),
};
