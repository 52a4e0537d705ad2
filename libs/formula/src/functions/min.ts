import { type FunctionDefinition, ORDERED } from './definition.js';
import { emitExtreme, extreme } from './extreme.js';

export const MIN: FunctionDefinition = {
  name: 'MIN',
  parameters: [{ name: 'value', accepts: ORDERED, shared: true, repeats: true }],
  result: 'shared',
  nullable: (args) => args.every(Boolean),
  compile: (args, type) => extreme(args, type, 1),
  emit: (args) => emitExtreme(args, 'least'),
  doc: {
    summary: 'The smallest of numbers, texts, dates or datetimes. Nulls are skipped; null when all are null.',
    examples: ['MIN(amount, budget)', 'MIN(startDate, endDate)'],
  },
};
