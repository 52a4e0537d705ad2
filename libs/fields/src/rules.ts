import { codePointLength, compareNumbers } from '@crm/formula';
import { compilePattern, LONGEST_PATTERN } from './pattern.js';
import type { DefinitionProblemCode, ProblemParams, ValueProblemCode } from './problem.js';
import type { RuleTypeName } from './types/field-type.js';

/** Everything the platform knows about a validation rule. A new rule is one file with one such definition. */
export interface Rule {
  readonly type: RuleTypeName;
  checkValue(value: unknown): { code: DefinitionProblemCode; detail: string } | null;
  /** Returns whether a canonical value satisfies the rule. When `checkValue` finds a problem in the rule, no value does. */
  passes(value: unknown, ruleValue: unknown): boolean;
  /** The message for a value that does not satisfy the rule, when the rule declares none. */
  readonly code: ValueProblemCode;
  detail(ruleValue: unknown): string;
  params(value: unknown, ruleValue: unknown): ProblemParams;
}

function checkFiniteNumber(value: unknown): { code: DefinitionProblemCode; detail: string } | null {
  if (typeof value === 'number' && Number.isFinite(value)) return null;
  return { code: 'RULE_VALUE_INVALID', detail: "The rule's value must be a number" };
}

function checkLength(value: unknown): { code: DefinitionProblemCode; detail: string } | null {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return null;
  return { code: 'RULE_VALUE_INVALID', detail: "The rule's value must be a whole number, 0 or more" };
}

/** A limit of the length of a text. @param allows whether a length is within it */
const lengthRule = (
  type: 'minLength' | 'maxLength',
  code: ValueProblemCode,
  words: string,
  param: string,
  allows: (length: number, limit: number) => boolean,
): Rule => ({
  type,
  checkValue: checkLength,
  passes: (value, limit) => typeof limit === 'number' && allows(codePointLength(value as string), limit),
  code,
  detail: (limit) => `Must be ${String(limit)} characters or ${words}`,
  params: (value, limit) => ({ [param]: limit as number, length: codePointLength(value as string) }),
});
const maxLength = lengthRule('maxLength', 'TOO_LONG', 'fewer', 'limit', (length, limit) => length <= limit);
const minLength = lengthRule('minLength', 'TOO_SHORT', 'more', 'minLength', (length, limit) => length >= limit);

/** A limit of a number, compared as formulas do: 0.1 + 0.2 is not above 0.3. @param sign of the differences beyond it */
const limitRule = (type: 'min' | 'max', code: ValueProblemCode, words: string, sign: 1 | -1): Rule => ({
  type,
  checkValue: checkFiniteNumber,
  passes: (value, limit) => typeof limit === 'number' && compareNumbers(value as number, limit) * sign <= 0,
  code,
  detail: (limit) => `Must be ${String(limit)} or ${words}`,
  params: (_value, limit) => ({ [type]: limit as number }),
});
const max = limitRule('max', 'ABOVE_MAX', 'less', 1);
const min = limitRule('min', 'BELOW_MIN', 'more', -1);

const regex: Rule = {
  type: 'regex',
  checkValue(pattern) {
    if (typeof pattern !== 'string') {
      return { code: 'RULE_VALUE_INVALID', detail: "The rule's value must be a pattern in a string" };
    }
    if (pattern.length > LONGEST_PATTERN) {
      return { code: 'RULE_PATTERN_INVALID', detail: `The pattern can have up to ${LONGEST_PATTERN} characters` };
    }
    if (compilePattern(pattern)) return null;
    return {
      code: 'RULE_PATTERN_INVALID',
      detail:
        "The pattern isn't valid RE2: no look-around or backreferences, up to 1,000 repetitions, and about 2,500 instructions in total",
    };
  },
  /** A search: the pattern may match anywhere unless it contains ^ and $. */
  passes: (value, pattern) => typeof pattern === 'string' && (compilePattern(pattern)?.test(value as string) ?? false),
  code: 'PATTERN_MISMATCH',
  detail: () => "Must match the field's pattern",
  params: (_value, pattern) => ({ pattern: pattern as string }),
};

/** The validation rules by type, in the order of RULE_TYPE_NAMES. */
export const rules: ReadonlyMap<RuleTypeName, Rule> = new Map(
  [min, max, minLength, maxLength, regex].map((rule) => [rule.type, rule]),
);
