import { LIMITS } from '../limits.js';
import { joined } from '../sql-target.js';
import { bounded } from '../text.js';
import { type Operand, type Row, toText } from '../values.js';
import { ANYTHING, type FunctionDefinition } from './definition.js';

/** Texts of all operands one after the other, null as empty; null when it is too long. */
export function concatenate(operands: readonly Operand[]): (row: Row) => string | null {
  const parts = operands.map(({ evaluate, type }) => ({ evaluate, text: toText(type) }));
  return (row) => {
    let result = '';
    for (const { evaluate, text } of parts) {
      result += text(evaluate(row)) ?? '';
      // A code point has at most two units: more of them than that is too long whatever follows.
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
    summary: 'The texts of all arguments one after the other; null counts as empty, other values as TEXT gives them.',
    examples: ['CONCAT(firstName, " ", lastName)', 'CONCAT("No. ", number)'],
  },
};
