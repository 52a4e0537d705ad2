import { asText } from '../sql-target.js';
import { bounded } from '../text.js';
import { toText } from '../values.js';
import { ANYTHING, type FunctionDefinition } from './definition.js';

export const TEXT: FunctionDefinition = {
  name: 'TEXT',
  parameters: [{ name: 'value', accepts: ANYTHING }],
  result: 'text',
  nullable: () => true,
  compile([value]) {
    const { evaluate, type } = value!;
    const textOf = toText(type);
    return (row) => {
      const text = textOf(evaluate(row));
      return text === null ? null : bounded(text);
    };
  },
  emit: ([value], _type, target) => target.call('bounded', asText(value!, target)),
  doc: {
    summary:
      'The text of a value: a number in at most 15 digits without exponent or grouping, a date as YYYY-MM-DD, a ' +
      'datetime in UTC, true or false, the options of a multi-select joined by ", ". Null for null.',
    examples: ['TEXT(amount)', 'TEXT(closeDate)'],
  },
};
