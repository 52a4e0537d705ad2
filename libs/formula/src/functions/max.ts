import { type FunctionDefinition, ORDERED } from './definition.js';
import { emitExtreme, extreme } from './extreme.js';

export const MAX: FunctionDefinition = {
  name: 'MAX',
  parameters: [{ name: 'value', accepts: ORDERED, shared: true, repeats: true }],
  result: 'shared',
  nullable: (args) => args.every(Boolean),
  compile: (args, type) => extreme(args, type, -1),
  emit: (args) => emitExtreme(args, 'greatest'),
  doc: {
    summary: 'The greatest of numbers, texts, dates or datetimes. Nulls are skipped; null when all are null.',
    examples: ['MAX(amount, 0)', 'MAX(startDate, endDate)'],
  },
};
