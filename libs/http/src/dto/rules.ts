import type { FieldProblem } from '@crm/contracts';
import {
  ArrayMaxSize,
  ArrayMinSize,
  arrayMaxSize,
  arrayMinSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsNumber,
  IsObject,
  IsString,
  isArray,
  isBoolean,
  isIn,
  isInt,
  isNumber,
  isObject,
  isString,
  Matches,
  Max,
  Min,
  matches,
  max,
  min,
  ValidateBy,
  type ValidationOptions,
} from 'class-validator';
import { FORMATS } from './formats.js';
import type { JsonType, StringFormat } from './schema.js';

/** The problem of a broken rule, without the pointer. */
export type Refusal = Omit<FieldProblem, 'pointer'>;

/** One rule of a value: a decorator of class-validator, its check for list items, and its problem. */
export interface Rule {
  readonly decorate: (options: ValidationOptions) => PropertyDecorator;
  readonly test: (value: unknown) => boolean;
  readonly refusal: Refusal;
}

/** Schema types that correspond to a decorator of class-validator. */
export type ValueType = Exclude<JsonType, 'null'>;

const TYPES: Readonly<Record<ValueType, Pick<Rule, 'decorate' | 'test'> & { readonly name: string }>> = {
  string: { name: 'a text', decorate: IsString, test: isString },
  integer: { name: 'a whole number', decorate: IsInt, test: isInt },
  number: { name: 'a number', decorate: (options) => IsNumber({}, options), test: (value) => isNumber(value, {}) },
  boolean: { name: 'true or false', decorate: IsBoolean, test: isBoolean },
  object: { name: 'an object', decorate: IsObject, test: isObject },
  array: { name: 'a list', decorate: IsArray, test: isArray },
};

export function ofType(type: ValueType, nullable: boolean): Rule {
  const { name, decorate, test } = TYPES[type];
  const refusal = {
    code: 'INVALID_TYPE',
    detail: `Must be ${name}${nullable ? ' or null' : ''}`,
    params: { expected: nullable ? [type, 'null'] : [type] },
  };
  return { decorate, test, refusal };
}

export const oneOf = (values: readonly string[]): Rule => ({
  decorate: (options) => IsIn([...values], options),
  test: (value) => isIn(value, values),
  refusal: { code: 'NOT_AN_OPTION', detail: `Must be one of ${values.join(', ')}`, params: { options: [...values] } },
});

export const atLeast = (minimum: number): Rule => ({
  decorate: (options) => Min(minimum, options),
  test: (value) => min(value, minimum),
  refusal: { code: 'TOO_SMALL', detail: `Must be at least ${minimum}`, params: { minimum } },
});

export const atMost = (maximum: number): Rule => ({
  decorate: (options) => Max(maximum, options),
  test: (value) => max(value, maximum),
  refusal: { code: 'TOO_LARGE', detail: `Must be at most ${maximum}`, params: { maximum } },
});

export const minItems = (minimum: number): Rule => ({
  decorate: (options) => ArrayMinSize(minimum, options),
  test: (value) => arrayMinSize(value, minimum),
  refusal: { code: 'TOO_FEW_ITEMS', detail: `Must have at least ${minimum} items`, params: { minimum } },
});

export const maxItems = (maximum: number): Rule => ({
  decorate: (options) => ArrayMaxSize(maximum, options),
  test: (value) => arrayMaxSize(value, maximum),
  refusal: { code: 'TOO_MANY_ITEMS', detail: `Must have at most ${maximum} items`, params: { maximum } },
});

/** Matched as in JSON Schema, with the Unicode flag. */
export function matching({ source }: RegExp): Rule {
  const pattern = new RegExp(source, 'u');
  return {
    decorate: (options) => Matches(pattern, options),
    test: (value) => matches(value as string, pattern),
    refusal: { code: 'PATTERN_MISMATCH', detail: `Must match ${source}` },
  };
}

/**
 * In code points, like JSON Schema and Postgres. class-validator's own decorators do not count variation selectors, so a
 * text that they accept might be too long for its column.
 */
export function maxLength(maximum: number): Rule {
  const test = (value: unknown): boolean =>
    typeof value === 'string' && (value.length <= maximum || codePoints(value, maximum) <= maximum);
  const refusal = { code: 'TOO_LONG', detail: `Must have at most ${maximum} characters`, params: { maximum } };
  return rule('maxLength', test, refusal);
}

export function minLength(minimum: number): Rule {
  const test = (value: unknown): boolean =>
    typeof value === 'string' && (value.length >= 2 * minimum || codePoints(value, minimum) >= minimum);
  const detail = minimum === 1 ? 'Must not be empty' : `Must have at least ${minimum} characters`;
  return rule('minLength', test, { code: 'TOO_SHORT', detail, params: { minimum } });
}

export function ofFormat(format: StringFormat): Rule {
  const { test, expected } = FORMATS[format];
  const refusal = { code: 'INVALID_FORMAT', detail: `Must be ${expected}` };
  return rule(format, (value) => typeof value === 'string' && test(value), refusal);
}

/** A custom rule for which class-validator has no decorator. */
const rule = (name: string, test: (value: unknown) => boolean, refusal: Refusal): Rule => ({
  decorate: (options) => ValidateBy({ name, validator: { validate: test } }, options),
  test,
  refusal,
});

/** Counts code points, but only as far as needed to compare with the limit. */
function codePoints(text: string, limit: number): number {
  let count = 0;
  for (const _ of text) {
    count += 1;
    if (count > limit) break;
  }
  return count;
}
