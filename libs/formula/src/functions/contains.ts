import type { FunctionDefinition } from './definition.js';

export const CONTAINS: FunctionDefinition = {
  name: 'CONTAINS',
  parameters: [
    { name: 'text', accepts: ['text', 'multi_select'] },
    { name: 'part', accepts: ['text'] },
  ],
  result: 'boolean',
  nullable: () => false,
  compile([text, part]) {
    const whole = text!.evaluate;
    const sought = part!.evaluate;
    if (text!.type === 'multi_select') {
      return (row) => {
        const option = sought(row);
        if (option === null || option === '') return true;
        const selected = whole(row) as readonly string[] | null;
        return selected?.includes(option as string) ?? false;
      };
    }
    return (row) => {
      const value = whole(row);
      // A number or a boolean of an undeclared name has the wrong type and counts as null.
      return (typeof value === 'string' ? value : '').includes((sought(row) as string | null) ?? '');
    };
  },
  emit: ([text, part], _type, target) => target.call('contains', text!.sql, part!.sql),
  doc: {
    summary:
      'Whether a text contains another (case-sensitive, null counts as an empty text), or whether a multi-select has ' +
      'an option selected (the whole option).',
    examples: ['CONTAINS(email, "@example.com")', 'CONTAINS(interests, "Golf")'],
  },
};
