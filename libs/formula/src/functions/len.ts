import { asText } from '../sql-target.js';
import { codePointLength } from '../text.js';
import { toText } from '../values.js';
import type { FunctionDefinition } from './definition.js';

export const LEN: FunctionDefinition = {
  name: 'LEN',
  parameters: [{ name: 'text', accepts: ['text', 'multi_select'] }],
  result: 'number',
  nullable: () => false,
  compile([text]) {
    const { evaluate, type } = text!;
    const textOf = toText(type);
    return (row) => {
      const value = evaluate(row);
      // Only an undeclared name can hold a number or a boolean here; both have the wrong type.
      if (value === null || typeof value === 'number' || typeof value === 'boolean') return 0;
      return codePointLength(textOf(value)!);
    };
  },
  emit: ([text], _type, target) => `coalesce(length(${asText(text!, target)}), 0)::float8`,
  doc: {
    summary:
      'The number of characters (code points) of a text, or of the listed options of a multi-select. 0 for null.',
    examples: ['LEN(name)', 'LEN("naïve")'],
  },
};
