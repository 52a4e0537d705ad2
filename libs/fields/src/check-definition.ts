import { atOnce, type CompiledFormulaSet, compileFormulaSteps, type Steps, type ValueType } from '@crm/formula';
import { analyseFormula } from './access-plan.js';
import type { FieldDefinition, ValidationRule } from './field-definition.js';
import { PatternBudget } from './pattern.js';
import { DEFINITION_PROBLEMS, type DefinitionProblemCode, type FieldProblem, pointerTo } from './problem.js';
import { rules } from './rules.js';
import { normaliseOptions } from './types/choices.js';
import { type FieldType, SLOT_COUNTS, type SlotKind } from './types/field-type.js';
import { fieldTypes } from './types/index.js';
import { TEXTAREA_LIMIT } from './types/texts.js';
import { validateValue } from './validate-record.js';

/** Types of the fields as formulas see them, without formula fields, whose types depend on each other. */
export function formulaFieldTypes(fields: readonly FieldDefinition[]): Map<string, ValueType> {
  const types = new Map<string, ValueType>();
  for (const field of fields) {
    const type = fieldTypes.get(field.type)?.formulaType;
    if (type) types.set(field.apiName, type);
  }
  return types;
}

export function formulaSources(fields: readonly FieldDefinition[]): Map<string, string> {
  return new Map(
    fields.filter((field) => field.type === 'formula').map((field) => [field.apiName, field.expression ?? '']),
  );
}

/** All formula fields compiled together. Throws FormulaCompileError when one has errors. */
export function compileFieldFormulas(fields: readonly FieldDefinition[]): CompiledFormulaSet {
  return atOnce(compileFieldSteps(fields));
}

/** Like {@link compileFieldFormulas}, a formula at a time; then access plans of the fields parse none of them either. */
export function* compileFieldSteps(fields: readonly FieldDefinition[]): Steps<CompiledFormulaSet> {
  for (const field of fields) {
    if (field.type !== 'formula') continue;
    analyseFormula(field);
    yield;
  }
  return yield* compileFormulaSteps(formulaSources(fields), formulaFieldTypes(fields));
}

/** Fields of one object: our choice, far beyond what a page shows. What a call works on in one piece grows with them. */
export const MAX_FIELDS = 500;
/** A picklist of the workspace has the same limit. */
export const MAX_FIELD_OPTIONS = 2_000;
/** Characters of all formulas of an object: ten of the longest, or four hundred as people write them. */
export const MAX_EXPRESSIONS = 40_000;

/** Longest value and label of an option, in UTF-16 units; our choice: what fits in a list on a screen. */
const LONGEST_OPTION = 255;
/** Possible targets of a reference: core objects except tasks, and custom objects. */
const REFERENCE_TARGET = /^(?:lead|contact|company|opportunity|custom:[A-Za-z][A-Za-z0-9_]*)$/;

const KINDS: Readonly<Record<SlotKind, string>> = { text: 'text', number: 'number', time: 'date' };

type Report = (code: DefinitionProblemCode, path: readonly (string | number)[], detail?: string) => void;

/**
 * Returns the inconsistencies in the definitions of an object's fields; empty when records can be validated by them.
 * Names, roles and the meaning of expressions are checked elsewhere. Pointers are relative to the list: `/0/options`.
 * The definitions may come from an untrusted package: missing or unknown parts are problems, not exceptions.
 * @param budget shared by all objects of a package
 */
export function checkDefinition(fields: readonly FieldDefinition[], budget = new PatternBudget()): FieldProblem[] {
  const problems: FieldProblem[] = [];
  budget.beginObject();
  const indexed: Record<SlotKind, number> = { text: 0, number: 0, time: 0 };
  let expressions = 0;
  for (const [index, field] of fields.entries()) {
    const report: Report = (code, path, detail = DEFINITION_PROBLEMS[code]) => {
      problems.push({ pointer: pointerTo(index, ...path), code, detail });
    };
    if (index === MAX_FIELDS) {
      report('FIELDS_TOO_MANY', [], `An object can have up to ${MAX_FIELDS} fields`);
      break;
    }
    const type = fieldTypes.get(field?.type);
    if (!type) {
      report('TYPE_UNKNOWN', ['type']);
      continue;
    }
    const before = problems.length;
    checkOptions(field, type, report);
    checkTarget(field, report);
    checkIndex(field, type, indexed, report);
    checkFormula(field, report);
    const length = typeof field.expression === 'string' ? field.expression.length : 0;
    expressions += length;
    // Once, where it is too much.
    if (expressions > MAX_EXPRESSIONS && expressions - length <= MAX_EXPRESSIONS) {
      const detail = `An object's formulas can have up to ${MAX_EXPRESSIONS} characters in total`;
      report('EXPRESSIONS_TOO_LONG', ['expression'], detail);
    }
    checkRules(field, type, report, budget);
    if (field.is_unique && !type.mayBeUnique) report('UNIQUE_NOT_ALLOWED', ['is_unique']);
    // A default is checked against the rest of the definition, which must be valid first.
    if (problems.length === before) checkDefault(field, report, budget);
  }
  return problems;
}

function checkOptions(field: FieldDefinition, type: FieldType, report: Report): void {
  const wanted = type.hasOptions === true;
  const given = Array.isArray(field.options) && field.options.length > 0;
  if (wanted && !given) report('OPTIONS_REQUIRED', ['options']);
  if (!wanted && given) report('OPTIONS_NOT_ALLOWED', ['options']);
  if (!wanted || !given) return;
  if (field.options!.length > MAX_FIELD_OPTIONS) {
    report('OPTIONS_TOO_MANY', ['options'], `A field can have up to ${MAX_FIELD_OPTIONS} options`);
    return;
  }
  const wellFormed = field.options!.map((option, index) => {
    const valid = isOption(option);
    if (!valid) report('OPTION_INVALID', ['options', index]);
    return valid;
  });
  if (wellFormed.includes(false)) return;
  const values = new Set<string>();
  for (const [index, { value }] of normaliseOptions(field.options).entries()) {
    if (values.has(value)) report('OPTION_DUPLICATE', ['options', index]);
    values.add(value);
  }
}

function isOption(option: unknown): boolean {
  const isLabel = (text: unknown) =>
    typeof text === 'string' && text.trim() !== '' && text.length <= LONGEST_OPTION && !/[\p{Cc}\p{Cs}]/u.test(text);
  if (typeof option !== 'object' || option === null) return isLabel(option);
  const { value, label } = option as { value?: unknown; label?: unknown };
  return isLabel(value) && isLabel(label);
}

function checkTarget(field: FieldDefinition, report: Report): void {
  const { referenceTarget: target, onDelete, required } = field;
  if (onDelete !== undefined && onDelete !== null) {
    if (field.type !== 'reference') report('ON_DELETE_NOT_ALLOWED', ['onDelete']);
    else if (onDelete === 'set_null' && required) report('ON_DELETE_INVALID', ['onDelete']);
  }
  if (field.type !== 'reference') {
    if (target !== undefined && target !== null) report('REFERENCE_TARGET_NOT_ALLOWED', ['referenceTarget']);
  } else if (target === undefined || target === null) {
    report('REFERENCE_TARGET_REQUIRED', ['referenceTarget']);
  } else if (typeof target !== 'string' || !REFERENCE_TARGET.test(target)) {
    report('REFERENCE_TARGET_INVALID', ['referenceTarget']);
  }
}

/** @param indexed how many fields before this one are indexed */
function checkIndex(
  field: FieldDefinition,
  { slotKind }: FieldType,
  indexed: Record<SlotKind, number>,
  report: Report,
): void {
  if (!field.indexed) return;
  if (slotKind === null) {
    report('INDEXED_NOT_ALLOWED', ['indexed']);
    return;
  }
  indexed[slotKind] += 1;
  if (indexed[slotKind] > SLOT_COUNTS[slotKind]) {
    const detail = `An object can have up to ${SLOT_COUNTS[slotKind]} indexed ${KINDS[slotKind]} fields`;
    report('INDEXED_TOO_MANY', ['indexed'], detail);
  }
}

function checkFormula(field: FieldDefinition, report: Report): void {
  const hasExpression = typeof field.expression === 'string' && field.expression.trim() !== '';
  if (field.type === 'formula') {
    if (!hasExpression) report('EXPRESSION_REQUIRED', ['expression']);
    if (field.required) report('REQUIRED_NOT_ALLOWED', ['required']);
    if (hasDefault(field)) report('DEFAULT_NOT_ALLOWED', ['default']);
  } else {
    if (hasExpression) report('EXPRESSION_NOT_ALLOWED', ['expression']);
    if (field.exposes) report('EXPOSES_NOT_ALLOWED', ['exposes']);
  }
}

function checkRules(field: FieldDefinition, type: FieldType, report: Report, budget: PatternBudget): void {
  const given: unknown = field.validationRules ?? [];
  if (!Array.isArray(given)) {
    report('RULE_UNKNOWN', ['validationRules'], 'The validation rules must be a list');
    return;
  }
  const limits = new Map<string, number>();
  for (const [index, declared] of (given as readonly (ValidationRule | null)[]).entries()) {
    const rule = declared ? rules.get(declared.type) : undefined;
    if (!declared || !rule) {
      report('RULE_UNKNOWN', ['validationRules', index, 'type']);
      continue;
    }
    if (!type.allowedRules.includes(rule.type)) {
      const detail = `The rule ${rule.type} doesn't apply to the type ${field.type}`;
      report('RULE_NOT_ALLOWED', ['validationRules', index], detail);
    }
    const pattern = patternOf(declared);
    if (pattern !== undefined && !budget.mayCompile) {
      const detail = 'The package has too many or too complex patterns';
      report('RULE_PATTERN_INVALID', ['validationRules', index, 'value'], detail);
      continue;
    }
    const wrong = rule.checkValue(declared.value);
    if (pattern !== undefined) budget.countCompiled(pattern);
    if (wrong) report(wrong.code, ['validationRules', index, 'value'], wrong.detail);
    else if (typeof declared.value === 'number') tighten(limits, rule.type, declared.value);
  }
  checkLimits(field.type, limits, type, report);
  checkCost(field, type, limits, report, budget);
}

/** Reports patterns of the object that would take too long on the longest values. */
function checkCost(
  { validationRules = [] }: FieldDefinition,
  { allowedRules, bound = TEXTAREA_LIMIT }: FieldType,
  limits: ReadonlyMap<string, number>,
  report: Report,
  budget: PatternBudget,
): void {
  if (!allowedRules.includes('regex')) return;
  const longest = Math.min(bound, limits.get('maxLength') ?? bound);
  for (const [index, declared] of validationRules.entries()) {
    const pattern = patternOf(declared);
    if (pattern === undefined || !budget.mayCompile || budget.allowsRecords(pattern, longest)) continue;
    const detail = `This pattern and the earlier ones of the object take too long for values of up to ${longest} characters. Add a maxLength rule, or use fewer repetitions`;
    report('RULE_PATTERN_INVALID', ['validationRules', index, 'value'], detail);
  }
}

function patternOf(declared: ValidationRule | null): string | undefined {
  return declared?.type === 'regex' && typeof declared.value === 'string' ? declared.value : undefined;
}

/** Reports rules that no value, or no value of the type, can satisfy. */
function checkLimits(
  name: string,
  limits: ReadonlyMap<string, number>,
  { bound = Infinity }: FieldType,
  report: Report,
): void {
  for (const [low, high] of [
    ['min', 'max'],
    ['minLength', 'maxLength'],
  ] as const) {
    if ((limits.get(low) ?? -Infinity) <= (limits.get(high) ?? Infinity)) continue;
    report('RULE_CONFLICT', ['validationRules'], `${low} requires more than ${high} allows`);
  }
  const isBeyond =
    !passes('min', bound, limits) || !passes('max', -bound, limits) || (limits.get('minLength') ?? 0) > bound;
  if (isBeyond) report('RULE_CONFLICT', ['validationRules'], `No ${name} value can satisfy the rules`);
}

/** Returns whether a number is within a limit according to the rule itself. */
function passes(type: 'min' | 'max', value: number, limits: ReadonlyMap<string, number>): boolean {
  const limit = limits.get(type);
  return limit === undefined || rules.get(type)!.passes(value, limit);
}

/** Keeps the strictest of several rules of one type. */
function tighten(limits: Map<string, number>, type: string, value: number): void {
  const known = limits.get(type) ?? value;
  limits.set(type, type.startsWith('min') ? Math.max(known, value) : Math.min(known, value));
}

function checkDefault(field: FieldDefinition, report: Report, budget: PatternBudget): void {
  if (!hasDefault(field)) return;
  const patterns = (field.validationRules ?? []).map(patternOf).filter((pattern) => pattern !== undefined);
  if (typeof field.default === 'string' && !budget.allowsDefault(patterns, field.default)) {
    report('DEFAULT_INVALID', ['default'], "The package's defaults are too long for their patterns");
    return;
  }
  const problems: FieldProblem[] = [];
  // No default country, because a package is for tenants of every country.
  validateValue(field, field.default, {}, problems);
  for (const { detail } of problems) report('DEFAULT_INVALID', ['default'], `The default isn't valid: ${detail}`);
}

function hasDefault(field: FieldDefinition): boolean {
  return field.default !== undefined && field.default !== null;
}
