import { codePointLength } from '@crm/formula';
import { checkLength, type Rule } from './rule.js';

export const maxLength: Rule = {
  type: 'maxLength',
  checkValue: checkLength,
  passes: (value, limit) => typeof limit === 'number' && codePointLength(value as string) <= limit,
  code: 'TOO_LONG',
  detail: (limit) => `Must have at most ${String(limit)} characters`,
  params: (value, limit) => ({ limit: limit as number, length: codePointLength(value as string) }),
};
