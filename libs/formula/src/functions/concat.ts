import { LIMITS } from '../limits.js';
import { joined } from '../sql-target.js';
import { bounded } from '../text.js';
import { type Operand, type Row, toText } from '../values.js';
import { ANYTHING, type FunctionDefinition } from './definition.js';

/** The texts of all operands joined, null as an empty text; null when the result is too long. */
export function concatenate(operands: readonly Operand[]): (row: Row) => string | null {
  const parts = operands.map(({ evaluate, type }) => ({ evaluate, text: toText(type) }));
  return (row) => {
    let result = '';
    for (const { evaluate, text } of parts) {
      result += text(evaluate(row)) ?? '';
      // A code point has at most two units: beyond twice the limit the text is too long whatever follows.
      if (result.length > LIMITS.textCharacters * 2) return null;
    }
    return bounded(result);
  };
}

export const CONCAT: FunctionDefinition = {
  name: 'CONCAT',
  parameters: [{ name: 'value', accepts: ANYTHING, repeats: true }],
  result: 'text',
  nullable: () => true,
  compile: concatenate,
  emit: (args, _type, target) => target.call('bounded', joined(args, target)),
  doc: {
    summary: 'Joins the texts of all arguments. Null counts as an empty text; other values are converted as by TEXT.',
    examples: ['CONCAT(firstName, " ", lastName)', 'CONCAT("No. ", number)'],
  },
};
