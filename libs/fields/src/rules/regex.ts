import { compilePattern, LONGEST_PATTERN } from '../pattern.js';
import type { Rule } from './rule.js';

export const regex: Rule = {
  type: 'regex',
  checkValue(pattern) {
    if (typeof pattern !== 'string') {
      return { code: 'RULE_VALUE_INVALID', detail: 'The value of the rule must be a pattern as text' };
    }
    if (pattern.length > LONGEST_PATTERN) {
      return { code: 'RULE_PATTERN_INVALID', detail: `A pattern has at most ${LONGEST_PATTERN} characters` };
    }
    if (compilePattern(pattern)) return null;
    return {
      code: 'RULE_PATTERN_INVALID',
      detail:
        'The pattern is not one of RE2: it has no look-around, no back references and at most 1,000 repetitions, all together no more than about 2,500 steps',
    };
  },
  /** A search: the pattern may match anywhere unless it says ^ and $. */
  passes: (value, pattern) => typeof pattern === 'string' && (compilePattern(pattern)?.test(value as string) ?? false),
  code: 'PATTERN_MISMATCH',
  detail: () => 'Must match the pattern of the field',
  params: (_value, pattern) => ({ pattern: pattern as string }),
};
