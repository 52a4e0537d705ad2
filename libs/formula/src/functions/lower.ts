import { bounded } from '../text.js';
import { type FunctionDefinition, strict } from './definition.js';

export const LOWER: FunctionDefinition = {
  name: 'LOWER',
  parameters: [{ name: 'text', accepts: ['text'] }],
  result: 'text',
  // The lower case can be longer than the limit (İ becomes i and a combining dot).
  nullable: () => true,
  compile: ([text]) => strict<string, string | null>(text!, (value) => bounded(value.toLowerCase())),
  emit: ([text], _type, target) => target.call('bounded', target.call('lower', text!.sql)),
  doc: {
    summary: 'The text in lower case by the full Unicode mapping, independent of the language. Null for null.',
    examples: ['LOWER(email)', 'LOWER("ΟΔΟΣ")'],
  },
};
