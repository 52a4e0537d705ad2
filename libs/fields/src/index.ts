export { type AccessPlan, accessPlan } from './access-plan.js';
export { checkDefinition } from './check-definition.js';
export * from './field-definition.js';
export { foldForSearch, foldForSearchUpTo, foldForUniqueness } from './folding.js';
export { compileFieldFormulas, formulaFieldTypes, formulaSources } from './formulas.js';
export { normaliseOptions } from './options.js';
export { compilePattern, LONGEST_PATTERN } from './pattern.js';
export { PatternBudget } from './pattern-budget.js';
export { type FieldProblem, type ProblemParams, withoutLimits } from './problem.js';
export * from './problem-codes.js';
export { rules } from './rules/index.js';
export type { Rule } from './rules/rule.js';
export {
  SLOT_TEXT_LENGTH,
  type SlotValue,
  searchText,
  slotValue,
  UNIQUE_KEY_BYTES,
  uniqueKey,
} from './stored-forms.js';
export { type FieldType, type ParseOptions, type ParseResult, SLOT_COUNTS, type SlotKind } from './types/field-type.js';
export { fieldTypes } from './types/index.js';
export { type ValidatedRecord, validateRecord } from './validate-record.js';
