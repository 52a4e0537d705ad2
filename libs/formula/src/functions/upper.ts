import { bounded } from '../text.js';
import { type FunctionDefinition, strict } from './definition.js';

export const UPPER: FunctionDefinition = {
  name: 'UPPER',
  parameters: [{ name: 'text', accepts: ['text'] }],
  result: 'text',
  // The upper case can be longer than the limit (ß becomes SS).
  nullable: () => true,
  compile: ([text]) => strict<string, string | null>(text!, (value) => bounded(value.toUpperCase())),
  emit: ([text], _type, target) => target.call('bounded', target.call('upper', text!.sql)),
  doc: {
    summary: 'The text in upper case by the full Unicode mapping, independent of the language. Null for null.',
    examples: ['UPPER(code)', 'UPPER("straße")'],
  },
};
