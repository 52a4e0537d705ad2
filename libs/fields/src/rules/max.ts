import { compareNumbers } from '@crm/formula';
import { checkFiniteNumber, type Rule } from './rule.js';

export const max: Rule = {
  type: 'max',
  checkValue: checkFiniteNumber,
  // Compares as formulas do: 0.1 + 0.2 is not above 0.3.
  passes: (value, limit) => typeof limit === 'number' && compareNumbers(value as number, limit) <= 0,
  code: 'ABOVE_MAX',
  detail: (limit) => `Must be at most ${String(limit)}`,
  params: (_value, limit) => ({ max: limit as number }),
};
