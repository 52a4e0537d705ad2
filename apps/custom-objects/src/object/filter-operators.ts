import type { ValueType } from '@crm/formula';
import type { StoredField } from './object-definition.js';

export const FILTER_OPERATORS = [
  'eq',
  'ne',
  'lt',
  'lte',
  'gt',
  'gte',
  'in',
  'contains',
  'startsWith',
  'empty',
  'notEmpty',
] as const;
export type FilterOperator = (typeof FILTER_OPERATORS)[number];

const CHOICE: readonly FilterOperator[] = ['eq', 'ne', 'in', 'empty', 'notEmpty'];
const ORDERED: readonly FilterOperator[] = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'empty', 'notEmpty'];
const TEXT: readonly FilterOperator[] = ['eq', 'ne', 'in', 'contains', 'startsWith', 'empty', 'notEmpty'];
const NONE: readonly FilterOperator[] = [];

const BY_VALUE: Readonly<Record<ValueType, readonly FilterOperator[]>> = {
  text: TEXT,
  number: ORDERED,
  date: ORDERED,
  datetime: ORDERED,
  boolean: ['eq', 'ne', 'empty', 'notEmpty'],
  multi_select: CHOICE,
  any: NONE,
  null: NONE,
};

/** Texts of which no part means anything. */
const WHOLE_TEXTS: ReadonlySet<string> = new Set(['picklist', 'reference']);

/** @param valueType of the field in formulas; of a formula the type of its result */
export function operatorsOf({ type }: Pick<StoredField, 'type'>, valueType: ValueType): readonly FilterOperator[] {
  return WHOLE_TEXTS.has(type) ? CHOICE : BY_VALUE[valueType];
}

export const isSortable = (field: Pick<StoredField, 'type'>, valueType: ValueType): boolean =>
  valueType !== 'multi_select' && operatorsOf(field, valueType) !== NONE;
