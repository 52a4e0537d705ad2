import { escapePointer, type FieldProblem } from '@crm/contracts';
import type { ValidationError } from '@nestjs/common';
import type { RefusalContext } from './rules.js';

const MAX_PROBLEMS = 50;

/** Codes for class-validator's own decorators, used when no field decorator specifies one. */
const CODES: Readonly<Record<string, string>> = {
  whitelistValidation: 'UNKNOWN_FIELD',
  isDefined: 'REQUIRED',
  nestedValidation: 'INVALID_TYPE',
  isString: 'INVALID_TYPE',
  isInt: 'INVALID_TYPE',
  isNumber: 'INVALID_TYPE',
  isBoolean: 'INVALID_TYPE',
  isArray: 'INVALID_TYPE',
  isObject: 'INVALID_TYPE',
  isDate: 'INVALID_TYPE',
  isIn: 'NOT_AN_OPTION',
  isEnum: 'NOT_AN_OPTION',
  isNotEmpty: 'TOO_SHORT',
  minLength: 'TOO_SHORT',
  maxLength: 'TOO_LONG',
  min: 'TOO_SMALL',
  isPositive: 'TOO_SMALL',
  max: 'TOO_LARGE',
  isNegative: 'TOO_LARGE',
  matches: 'PATTERN_MISMATCH',
  arrayNotEmpty: 'TOO_FEW_ITEMS',
  arrayMinSize: 'TOO_FEW_ITEMS',
  arrayMaxSize: 'TOO_MANY_ITEMS',
  arrayUnique: 'DUPLICATE_ITEMS',
};

/** The errors of class-validator in the form of the platform: at most 50 problems with JSON pointers (RFC 6901). */
export function fieldProblems(errors: readonly ValidationError[]): FieldProblem[] {
  const problems: FieldProblem[] = [];
  collect(errors, '', problems);
  return problems.slice(0, MAX_PROBLEMS);
}

/** Its depth is limited by the nesting of DTO classes, not by that of the body. */
function collect(errors: readonly ValidationError[], parent: string, problems: FieldProblem[]): void {
  for (const error of errors) {
    if (problems.length >= MAX_PROBLEMS) return;
    const pointer = `${parent}/${escapePointer(error.property)}`;
    problems.push(...ownProblems(error, pointer));
    if (error.children) collect(error.children, pointer, problems);
  }
}

function ownProblems(
  { property, value, constraints, contexts }: ValidationError,
  pointer: string,
): readonly FieldProblem[] {
  // The pipe is configured to report one broken rule per property.
  const [broken] = Object.entries(constraints ?? {});
  if (!broken) return [];
  const [rule, message] = broken;
  if (rule === 'whitelistValidation') return [{ pointer, code: 'UNKNOWN_FIELD', detail: 'Unknown field' }];
  // JSON has no undefined: the member is absent.
  if (value === undefined) return [{ pointer, code: 'REQUIRED', detail: 'Is required' }];
  const context = contexts?.[rule] as RefusalContext | undefined;
  if (context?.ofItems && Array.isArray(value)) {
    return context.ofItems(value, MAX_PROBLEMS).map((problem) => ({ ...problem, pointer: pointer + problem.pointer }));
  }
  if (context?.code) {
    const { code, detail, params } = context;
    return [{ pointer, code, detail, ...(params && { params }) }];
  }
  return [{ pointer, code: codeOf(rule), detail: detailOf(property, message) }];
}

const codeOf = (rule: string): string => CODES[rule] ?? (rule.startsWith('is') ? 'INVALID_FORMAT' : 'INVALID_VALUE');

/** "email must be an email" → "Must be an email": the pointer identifies the member. */
function detailOf(property: string, message: string): string {
  const text = message.startsWith(`${property} `) ? message.slice(property.length + 1) : message;
  return text === '' ? 'Invalid value' : text.charAt(0).toUpperCase() + text.slice(1);
}
