import { roundDecimal } from '../decimal.js';
import type { FunctionDefinition } from './definition.js';

export const ROUND: FunctionDefinition = {
  name: 'ROUND',
  parameters: [
    { name: 'number', accepts: ['number'] },
    { name: 'places', accepts: ['number'], optional: true },
  ],
  result: 'number',
  // Rounding up the largest float64 can leave the range.
  nullable: () => true,
  compile([number, places]) {
    const value = number!.evaluate;
    const digits = places?.evaluate ?? (() => 0);
    return (row) => {
      const x = value(row);
      if (x === null) return null;
      const n = digits(row);
      return n === null ? null : roundDecimal(x as number, n as number);
    };
  },
  emit: ([number, places], _type, target) => target.call('round', number!.sql, places?.sql ?? '0'),
  doc: {
    summary:
      'The 15-digit decimal of a number, rounded to the given places after the point (default 0; negative places are ' +
      'before the point), halves away from zero.',
    examples: ['ROUND(1.005, 2)', 'ROUND(amount / 3)', 'ROUND(amount, -3)'],
  },
};
