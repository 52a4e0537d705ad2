import { compilePattern, LONGEST_PATTERN } from '../pattern.js';
import type { Rule } from './rule.js';

export const regex: Rule = {
  type: 'regex',
  checkValue(pattern) {
    if (typeof pattern !== 'string') {
      return { code: 'RULE_VALUE_INVALID', detail: 'The value of the rule must be a pattern, written as a text' };
    }
    if (pattern.length > LONGEST_PATTERN) {
      return { code: 'RULE_PATTERN_INVALID', detail: `The pattern must have at most ${LONGEST_PATTERN} characters` };
    }
    if (compilePattern(pattern)) return null;
    return {
      code: 'RULE_PATTERN_INVALID',
      detail:
        'The pattern is not valid for RE2: use no look-around, no back references and at most 1,000 repetitions, and no more than about 2,500 instructions in total',
    };
  },
  /** A search: the pattern may match anywhere unless it contains ^ and $. */
  passes: (value, pattern) => typeof pattern === 'string' && (compilePattern(pattern)?.test(value as string) ?? false),
  code: 'PATTERN_MISMATCH',
  detail: () => 'Must match the pattern of the field',
  params: (_value, pattern) => ({ pattern: pattern as string }),
};
