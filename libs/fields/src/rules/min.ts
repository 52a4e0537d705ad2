import { compareNumbers } from '@crm/formula';
import { checkFiniteNumber, type Rule } from './rule.js';

export const min: Rule = {
  type: 'min',
  checkValue: checkFiniteNumber,
  // Compares as formulas do: 0.1 + 0.2 is not above 0.3.
  passes: (value, limit) => typeof limit === 'number' && compareNumbers(value as number, limit) >= 0,
  code: 'BELOW_MIN',
  detail: (limit) => `Must be at least ${String(limit)}`,
  params: (_value, limit) => ({ min: limit as number }),
};
