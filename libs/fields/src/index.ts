export { type AccessPlan, accessPlan } from './access-plan.js';
export {
  checkDefinition,
  compileFieldFormulas,
  compileFieldSteps,
  formulaFieldTypes,
  formulaSources,
  MAX_EXPRESSIONS,
  MAX_FIELD_OPTIONS,
  MAX_FIELDS,
} from './check-definition.js';
export * from './field-definition.js';
export { compilePattern, LONGEST_PATTERN, PatternBudget } from './pattern.js';
export * from './problem.js';
export { type Rule, rules } from './rules.js';
export { SLOT_TEXT_LENGTH, searchText, slotValue, UNSET_SLOTS, uniqueKey } from './stored-forms.js';
export { normaliseOptions, notAnOption } from './types/choices.js';
export {
  type FieldOption,
  type FieldType,
  type ParseOptions,
  type ParseResult,
  RULE_TYPE_NAMES,
  type RuleTypeName,
  SLOT_COUNTS,
  type SlotKind,
} from './types/field-type.js';
export { FIELD_TYPE_NAMES, type FieldTypeName, fieldTypes } from './types/index.js';
export { foldForSearch, foldForSearchUpTo, foldForUniqueness, phoneDigits } from './types/texts.js';
export { recordValidation, type ValidatedRecord, validateRecord, withoutLimits } from './validate-record.js';
