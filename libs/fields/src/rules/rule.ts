import type { RuleTypeName } from '../field-definition.js';
import type { ProblemParams } from '../problem.js';
import type { DefinitionProblemCode, ValueProblemCode } from '../problem-codes.js';

/** Everything the platform knows about a validation rule. A new rule is one file with one such definition. */
export interface Rule {
  readonly type: RuleTypeName;
  /** The problem of the rule's own value, or null. */
  checkValue(value: unknown): { code: DefinitionProblemCode; detail: string } | null;
  /** Whether a canonical value satisfies the rule. When `checkValue` finds a problem in the rule, no value does. */
  passes(value: unknown, ruleValue: unknown): boolean;
  /** The message for a value that does not satisfy the rule, when the rule declares none. */
  readonly code: ValueProblemCode;
  detail(ruleValue: unknown): string;
  params(value: unknown, ruleValue: unknown): ProblemParams;
}

export function checkFiniteNumber(value: unknown): { code: DefinitionProblemCode; detail: string } | null {
  if (typeof value === 'number' && Number.isFinite(value)) return null;
  return { code: 'RULE_VALUE_INVALID', detail: 'The value of the rule must be a number' };
}

export function checkLength(value: unknown): { code: DefinitionProblemCode; detail: string } | null {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return null;
  return { code: 'RULE_VALUE_INVALID', detail: 'The value of the rule must be a whole number of at least 0' };
}
