import { type FieldDefinition, type FieldTypeName, fieldTypes } from '@crm/fields';
import type { ValueType } from '@crm/formula';

export type PlainType = Exclude<FieldTypeName, 'formula'>;

/** Stands for the id of a record of the referenced object: the record with this number, in the order of creation. */
export interface RecordNumber {
  readonly record: number;
}

export const isRecordNumber = (value: unknown): value is RecordNumber =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, 'record');

/** Options of generated picklists and multi-selects. */
export const OPTIONS = ['red', 'green', 'dark red'];

/** Longer than what an indexed column keeps of a text. */
const LONG = 'long '.repeat(50);

const TEXTS = ['alpha', 'alphabet', 'Beta', 'Straße', '', `${LONG}alpha`, `${LONG}beta`];
const NUMBERS = [0, 1, 2, 2.5, -3];

/** Instead of the examples of a type: values that have beginnings and parts in common, for filters, sorting and searches. */
const VALUES: Readonly<Partial<Record<PlainType, readonly unknown[]>>> = {
  text: TEXTS,
  textarea: [...TEXTS, 'first line\nalpha', 'x'.repeat(9_000)],
  number: NUMBERS,
  currency: NUMBERS,
  percent: NUMBERS,
  date: ['1999-12-31', '2024-02-29', '2100-01-01'],
  datetime: ['1999-12-31T22:30:00Z', '2024-02-29T09:30:00Z', '2100-01-01T00:00:00Z'],
  email: ['alpha@example.com', 'beta@example.com', 'alphabet@example.com'],
  phone: ['+4930123456', '+12025550123', '+442079460958'],
  url: ['https://example.com/alpha', 'https://example.com/beta'],
  picklist: OPTIONS,
  multi_select: [['red'], ['red', 'green'], ['green', 'dark red']],
  reference: [{ record: 0 }, { record: 1 }, { record: 2 }],
};

/**
 * Values of a type: few, so that what a caller guesses is often what another record has, and in the form in which they are
 * stored, so that two of them are the same value only when they are equal.
 */
export const valuesOf = (type: FieldDefinition['type']): readonly unknown[] =>
  VALUES[type as PlainType] ?? fieldTypes.get(type)!.examples;

/** What is a value of no type, or not of this one. */
export const REFUSED: readonly unknown[] = ['none of these', -1e20, ['blue'], {}, '2024-02-30', true];

/** Many values of a type, all different also where case and white space make no difference. */
export const UNIQUE_VALUES: Readonly<Partial<Record<PlainType, (number: number) => unknown>>> = {
  text: (number) => `code ${number}`,
  number: (number) => number,
  currency: (number) => number / 2,
  email: (number) => `code${number}@example.com`,
  date: (number) => new Date(Date.UTC(2024, 0, 1 + number)).toISOString().slice(0, 10),
};

/** The value of a field with a number: for a unique field each number has a value of its own. */
export function numberedValue(field: FieldDefinition, number: number): unknown {
  const unique = field.is_unique ? UNIQUE_VALUES[field.type as PlainType] : undefined;
  const values = valuesOf(field.type);
  return unique ? unique(number) : values[number % values.length];
}

/** Texts to search for: parts of the values above, and what no record has. */
export const SEARCHED = [
  'alpha',
  'bet',
  'STRASSE',
  'long alpha',
  'code 1',
  'red',
  '+4930',
  'example.com',
  'nowhere',
  '%',
];

/** Values that formulas often have. */
export const COMPUTED = ['0', '1', '2', '3.5', 'true', 'false', 'yes', 'no', 'ALPHA', 'none', 'alpha/1', '2024-02-29'];

/** What a formula can read. */
export interface Operand {
  readonly apiName: string;
  readonly type: ValueType;
}

export interface GeneratedExpression {
  readonly expression: string;
  readonly type: ValueType;
  /** The fields that it reads, plain ones and formulas. */
  readonly reads: readonly string[];
}

type Template = (first: string, second: string) => [expression: string, type: ValueType];

/** By the type of what they read. */
const TEMPLATES: Readonly<Partial<Record<ValueType, readonly Template[]>>> = {
  number: [
    (a, b) => [`${a} + ${b}`, 'number'],
    (a, b) => [`IF(${a} > 1, ${b}, 0)`, 'number'],
    (a, b) => [`IF(${a} > ${b}, "high", "low")`, 'text'],
    (a) => [`${a} >= 1`, 'boolean'],
    (a, b) => [`MAX(${a}, ${b}) / 2`, 'number'],
  ],
  text: [
    (a, b) => [`CONCAT(${a}, "/", ${b})`, 'text'],
    (a) => [`LEN(${a})`, 'number'],
    (a) => [`UPPER(${a})`, 'text'],
    (a, b) => [`BLANKVALUE(${a}, ${b})`, 'text'],
    (a, b) => [`CONTAINS(${a}, "alph") || ${b} == "Beta"`, 'boolean'],
  ],
  boolean: [(a) => [`IF(${a}, "yes", "no")`, 'text'], (a, b) => [`${a} && !${b}`, 'boolean']],
  date: [
    (a) => [`DAYS_BETWEEN(${a}, TODAY())`, 'number'],
    (a, b) => [`IF(${a} < TODAY(), ${b})`, 'date'],
    (a, b) => [`${a} < ${b}`, 'boolean'],
  ],
  datetime: [
    (a, b) => [`DAYS_BETWEEN(${a}, ${b})`, 'number'],
    (a, b) => [`MIN(${a}, ${b})`, 'datetime'],
    (a) => [`TODAY() > ${a}`, 'boolean'],
  ],
  multi_select: [(a) => [`CONTAINS(${a}, "red")`, 'boolean'], (a, b) => [`LEN(${a}) + LEN(${b})`, 'number']],
};

/**
 * A well-typed expression over some of the operands.
 * @param operands at least one
 * @param choice which operands and which template; any numbers
 */
export function expressionOver(
  operands: readonly Operand[],
  choice: readonly [first: number, second: number, template: number],
): GeneratedExpression {
  const first = at(operands, choice[0]);
  const second = at(
    operands.filter(({ type }) => type === first.type),
    choice[1],
  );
  const template = at(TEMPLATES[first.type] ?? [], choice[2]);
  const [expression, type] = template(first.apiName, second.apiName);
  const reads = [first, second]
    .map(({ apiName }) => apiName)
    .filter((name) => new RegExp(`\\b${name}\\b`).test(expression));
  return { expression, type, reads: [...new Set(reads)] };
}

function at<T>(list: readonly T[], number: number): T {
  const found = list[number % list.length];
  if (found === undefined) throw new Error('There is nothing to choose from');
  return found;
}
