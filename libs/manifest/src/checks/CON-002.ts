import type { Check } from '../check.js';

export const CON_002: Check = {
  id: 'CON-002',
  title: 'The connector keeps its contract in a live run',
  severity: 'warning',
  doc: {
    why: 'A connector must read all pages without gaps or duplicates, honour 429 answers, and produce the same set when it resumes after an interruption. Only a run against the source in a sandbox shows this.',
    fix: 'Run the connector in a sandbox installation and correct what its report names.',
  },
  run: ({ manifest }) => ({
    skip: manifest.connector ? 'This needs a live run in a sandbox.' : 'The package has no connector.',
  }),
};
