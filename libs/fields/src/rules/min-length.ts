import { codePointLength } from '@crm/formula';
import { checkLength, type Rule } from './rule.js';

export const minLength: Rule = {
  type: 'minLength',
  checkValue: checkLength,
  passes: (value, limit) => typeof limit === 'number' && codePointLength(value as string) >= limit,
  code: 'TOO_SHORT',
  detail: (limit) => `Must have at least ${String(limit)} characters`,
  params: (value, limit) => ({ minLength: limit as number, length: codePointLength(value as string) }),
};
