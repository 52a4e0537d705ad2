export { type AccessPlan, accessPlan } from './access-plan.js';
export { checkDefinition, compileFieldFormulas, formulaFieldTypes, formulaSources } from './check-definition.js';
export * from './field-definition.js';
export { compilePattern, LONGEST_PATTERN, PatternBudget } from './pattern.js';
export * from './problem.js';
export { type FieldProblem, type ProblemParams, withoutLimits } from './problem.js';
export { type Rule, rules } from './rules.js';
export {
  SLOT_TEXT_LENGTH,
  type SlotValue,
  searchText,
  slotValue,
  UNIQUE_KEY_BYTES,
  uniqueKey,
} from './stored-forms.js';
export { normaliseOptions } from './types/choices.js';
export { type FieldType, type ParseOptions, type ParseResult, SLOT_COUNTS, type SlotKind } from './types/field-type.js';
export { fieldTypes } from './types/index.js';
export { foldForSearch, foldForSearchUpTo, foldForUniqueness } from './types/texts.js';
export { type ValidatedRecord, validateRecord } from './validate-record.js';
