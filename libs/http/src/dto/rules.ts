import { parseUrl } from '@crm/address-policy';
import { canonicalJson, type FieldProblem, isUuid } from '@crm/contracts';
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
import type { JsonType, StringFormat } from './schema.js';

/** What a field decorator passes to the pipe in the context of class-validator's rules. */
export interface RefusalContext extends Refusal {
  /** The problems of a list's items, with pointers relative to the list; at most `limit`. */
  readonly ofItems?: (list: readonly unknown[], limit: number) => FieldProblem[];
}

/** Says which item is invalid; class-validator's `each` only says that some item is. */
export function everyItem(rules: readonly Rule[], nullable: boolean): Rule {
  const brokenBy = (item: unknown): Rule | undefined =>
    item === null && nullable ? undefined : rules.find(({ test }) => !test(item));
  const test = (list: unknown): boolean => Array.isArray(list) && list.every((item) => !brokenBy(item));
  const ofItems = (list: readonly unknown[], limit: number): FieldProblem[] => {
    const problems: FieldProblem[] = [];
    for (const [index, item] of list.entries()) {
      if (problems.length >= limit) break;
      const broken = brokenBy(item);
      if (broken) problems.push({ pointer: `/${index}`, ...broken.refusal });
    }
    return problems;
  };
  const refusal: RefusalContext = { code: 'INVALID_VALUE', detail: 'Contains an invalid item', ofItems };
  return {
    decorate: (options) => ValidateBy({ name: 'items', validator: { validate: test } }, options),
    test,
    refusal,
  };
}

/** Equal as in JSON Schema. class-validator's `ArrayUnique` compares each item with every other: minutes for a full body. */
export function noDuplicates(): Rule {
  const test = (list: unknown): boolean => Array.isArray(list) && new Set(list.map(identityOf)).size === list.length;
  return {
    decorate: (options) => ValidateBy({ name: 'arrayUnique', validator: { validate: test } }, options),
    test,
    refusal: { code: 'DUPLICATE_ITEMS', detail: 'Items must be unique' },
  };
}

/** An item rejected for unknown members has values that JSON does not have; they are omitted. */
const identityOf = (item: unknown): string => canonicalJson(JSON.parse(JSON.stringify(item)));

/** The form of HTML's e-mail input, with a dot required in the domain: so that mail can be sent to the address over the internet. */
const EMAIL =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/i;
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

const isDate = (text: string): boolean => {
  const match = DATE.exec(text);
  if (!match) return false;
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number];
  // Postgres has no year 0; the last day of a month is day 0 of the next one.
  return (
    year >= 1 &&
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= new Date(Date.UTC(2000, month, 0)).getUTCDate() &&
    (month !== 2 || day !== 29 || (year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)))
  );
};

const isHttpUrl = (text: string): boolean => {
  // The WHATWG parser silently drops tabs and line breaks, so an address with them would change.
  if (!/^https?:\/\/[^\s\\]+$/i.test(text)) return false;
  return parseUrl(text) !== undefined;
};

export const FORMATS: Readonly<
  Record<StringFormat, { readonly test: (text: string) => boolean; readonly expected: string }>
> = {
  email: { test: (text) => EMAIL.test(text), expected: 'an email address' },
  uuid: { test: isUuid, expected: 'a UUID' },
  date: { test: isDate, expected: 'a date (YYYY-MM-DD)' },
  'date-time': {
    test: (text) => isDate(DATE_TIME.exec(text)?.[1] ?? ''),
    expected: 'a date and time with an offset (RFC 3339)',
  },
  uri: { test: isHttpUrl, expected: 'an http or https URL' },
};

type Refusal = Omit<FieldProblem, 'pointer'>;

/** One rule of a value: a decorator of class-validator, its check for list items, and its problem. */
export interface Rule {
  readonly decorate: (options: ValidationOptions) => PropertyDecorator;
  readonly test: (value: unknown) => boolean;
  readonly refusal: Refusal;
}

export type ValueType = Exclude<JsonType, 'null'>;

const TYPES: Readonly<Record<ValueType, Pick<Rule, 'decorate' | 'test'> & { readonly name: string }>> = {
  string: { name: 'a string', decorate: IsString, test: isString },
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
  refusal: { code: 'NOT_AN_OPTION', detail: `Must be one of: ${values.join(', ')}`, params: { options: [...values] } },
});

export const atLeast = (minimum: number): Rule => ({
  decorate: (options) => Min(minimum, options),
  test: (value) => min(value, minimum),
  refusal: { code: 'TOO_SMALL', detail: `Must be ${minimum} or more`, params: { minimum } },
});

export const atMost = (maximum: number): Rule => ({
  decorate: (options) => Max(maximum, options),
  test: (value) => max(value, maximum),
  refusal: { code: 'TOO_LARGE', detail: `Must be ${maximum} or less`, params: { maximum } },
});

export const minItems = (minimum: number): Rule => ({
  decorate: (options) => ArrayMinSize(minimum, options),
  test: (value) => arrayMinSize(value, minimum),
  refusal: { code: 'TOO_FEW_ITEMS', detail: `Must have ${minimum} items or more`, params: { minimum } },
});

export const maxItems = (maximum: number): Rule => ({
  decorate: (options) => ArrayMaxSize(maximum, options),
  test: (value) => arrayMaxSize(value, maximum),
  refusal: { code: 'TOO_MANY_ITEMS', detail: `Must have ${maximum} items or fewer`, params: { maximum } },
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

/** In code points, like JSON Schema and Postgres; class-validator does not count variation selectors. */
export function maxLength(maximum: number): Rule {
  const test = (value: unknown): boolean =>
    typeof value === 'string' && (value.length <= maximum || codePoints(value, maximum) <= maximum);
  const refusal = { code: 'TOO_LONG', detail: `Must be ${maximum} characters or fewer`, params: { maximum } };
  return rule('maxLength', test, refusal);
}

export function minLength(minimum: number): Rule {
  const test = (value: unknown): boolean =>
    typeof value === 'string' && (value.length >= 2 * minimum || codePoints(value, minimum) >= minimum);
  const detail = minimum === 1 ? 'Must not be empty' : `Must be ${minimum} characters or more`;
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
