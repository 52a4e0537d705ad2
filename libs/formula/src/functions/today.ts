import type { FunctionDefinition } from './definition.js';

export const TODAY: FunctionDefinition = {
  name: 'TODAY',
  parameters: [],
  result: 'date',
  nullable: () => false,
  readsClock: () => true,
  compile: () => (row) => row.today,
  emit: (_args, _type, target) => target.today(),
  doc: {
    summary: "The date in the workspace's time zone, the same for everything one request computes.",
    examples: ['TODAY()', 'DAYS_BETWEEN(TODAY(), closeDate)'],
  },
};
