import type { RuleTypeName } from '../field-definition.js';
import { max } from './max.js';
import { maxLength } from './max-length.js';
import { min } from './min.js';
import { minLength } from './min-length.js';
import { regex } from './regex.js';
import type { Rule } from './rule.js';

/** The validation rules by type, in the order of RULE_TYPE_NAMES. */
export const rules: ReadonlyMap<RuleTypeName, Rule> = new Map(
  [min, max, minLength, maxLength, regex].map((rule) => [rule.type, rule]),
);
